//! Peg-ins: bitcoin that become RBTC, and the other transactions that are registered with the Bridge
//! (bridge.md §4.2).

mod classify;
mod evaluate;
mod information;
pub(crate) mod instructions;
mod legacy;
mod legacy_classify;
pub(crate) mod lock;
pub(crate) mod outputs;
pub(crate) mod sender;

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::{Transaction, display_hash};
use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use crate::headers::proof::validate_proof;
use crate::methods::Stop;
use crate::pegout::{Refund, refund_pegin};
use crate::storage::Frame;
use crate::svp;
use classify::Kind;

/// Converts an exception of the library to the one that the call throws.
pub(crate) fn thrown(error: impl ToString) -> ContractError {
    ContractError::Failed(error.to_string())
}

/// Smallest amount that may be sent to a federation, satoshi (RSKIP219).
pub(crate) fn minimum(frame: &Frame<'_>) -> i64 {
    let minimum = &frame.bridge().minimum_pegin;
    (if frame.active(Rule::Rskip219) { minimum.rskip219 } else { minimum.legacy }) as i64
}

/// Registers a raw transaction of a Bitcoin block. A transaction that was processed before or is not proven is ignored
/// without an error.
///
/// # Errors
/// [`Stop`] where the reference throws.
pub(crate) fn register(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    raw: &[u8],
    height: i32,
    proof: &[u8],
) -> Result<(), Stop> {
    let hash = display_hash(raw);
    if frame.processed_height(hash)?.is_some() || !validate_proof(frame, raw, hash, height, proof)? {
        return Ok(());
    }
    let transaction = parse(raw)?;
    if frame.processed_height(transaction.txid())?.is_some() {
        return Ok(());
    }
    match classify::kind(frame, &transaction, height)? {
        Kind::PegIn if frame.active(Rule::Rskip379) => evaluate::register(context, frame, &transaction)?,
        Kind::PegIn => legacy::register(context, frame, &transaction, height)?,
        Kind::PegOutOrMigration => lock::register_outputs(frame, &transaction)?,
        Kind::SvpFund => {
            lock::register_outputs(frame, &transaction)?;
            svp::register_fund(frame, transaction)?;
        }
        Kind::SvpSpend => {
            lock::register_outputs(frame, &transaction)?;
            svp::register_spend(frame)?;
        }
        Kind::Unknown => {}
    }
    Ok(())
}

/// Parses raw bytes and checks the rules that a transaction must satisfy by itself.
pub(crate) fn parse(raw: &[u8]) -> Result<Transaction, ContractError> {
    let (transaction, bytes_read) = Transaction::read(raw).map_err(thrown)?;
    transaction.verify(bytes_read).map_err(thrown)?;
    Ok(transaction)
}

/// Records that a transaction was processed in this block.
fn mark(frame: &mut Frame<'_>, transaction: B256) -> Result<(), ContractError> {
    frame.set_processed_height(transaction, frame.block_number as i64)
}

/// Sends the federations' outputs back, and marks the transaction as processed.
fn refund(
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
