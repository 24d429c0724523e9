//! Ends of transactions that were registered.

use rhizome_bitcoin::Transaction;
use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractContext, ContractError};

use crate::pegout::{Refund, refund_pegin};
use crate::storage::Frame;

/// Records that a transaction was processed in this block.
pub(super) fn mark(frame: &mut Frame<'_>, transaction: B256) -> Result<(), ContractError> {
    frame.set_processed_height(transaction, frame.block_number as i64)
}

/// Sends the federations' outputs back, and marks the transaction as processed.
pub(super) fn refund(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    transaction: &Transaction,
    destination: BitcoinAddress,
    satoshi: i64,
) -> Result<(), ContractError> {
    let refund = Refund { transaction, destination, rsk_hash: context.transaction_hash, satoshi };
    refund_pegin(frame, &refund)?;
    mark(frame, transaction.txid())
}
