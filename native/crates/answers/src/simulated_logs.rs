//! Logs of transactions that are in no block.

use rhizome_primitives::B256;
use rhizome_primitives::rlp::{Item, RlpError};

use crate::log_text::LogWriter;
use crate::receipt_text::push_logs;

/// A transaction of a simulated block.
pub struct SimulatedTransaction<'a> {
    /// Hash of the block.
    pub block_hash: B256,
    /// Height.
    pub block_number: u64,
    /// Index in the block.
    pub index: u64,
    /// RLP in the form that its hash is of.
    pub encoding: &'a [u8],
}

/// Writes log objects as elements of a JSON array without its brackets. @param logs RLP list of `[address, topics,
/// data]`; `first_log`: index in the block of the first of them
pub fn write_simulated_logs(
    transaction: &SimulatedTransaction<'_>,
    logs: &[u8],
    first_log: u64,
) -> Result<Vec<u8>, RlpError> {
    let mut writer = LogWriter::present(transaction.block_hash, transaction.block_number);
    let mut out = Vec::with_capacity(512 + 4 * logs.len());
    push_logs(&mut out, &mut writer, Item::read_only(logs)?, transaction.encoding, transaction.index, first_log)?;
    Ok(out)
}
