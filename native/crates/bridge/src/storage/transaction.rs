//! Bitcoin transactions in cells.

use rhizome_bitcoin::Transaction;
use rhizome_primitives::contract::ContractError;

use super::codec::malformed;

/// Reads a transaction from a cell; bytes that follow are ignored.
pub(crate) fn decode_transaction(raw: &[u8]) -> Result<Transaction, ContractError> {
    Transaction::parse(raw).map_err(|_| malformed())
}
