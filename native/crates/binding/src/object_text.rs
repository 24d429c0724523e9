//! JSON text of what is not kept, and what the index of logs has of a block.

use napi_derive::napi;
use rhizome_answers::{Listed, SimulatedTransaction};

use crate::answers::{MinedBlockBytes, height};
use crate::borrowed::Borrowed;
use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};

/// A simulated block.
#[napi(object)]
pub struct SimulatedBlockKey {
    /// Its hash.
    pub hash: Uint8Array,
    /// Height.
    pub number: i64,
}

/// A transaction of a simulated block.
#[napi(object)]
pub struct SimulatedTransactionBytes {
    /// Hash of the block.
    pub block_hash: Uint8Array,
    /// Height.
    pub block_number: i64,
    /// Index in the block.
    pub index: u32,
    /// RLP in the form that its hash is of.
    pub encoded: Uint8Array,
}

/// The transaction object of an index of a block; null when the block has no transaction there.
#[napi(catch_unwind)]
pub fn write_transaction_at(block: MinedBlockBytes, index: u32) -> Result<Option<Buffer>> {
    let text = rhizome_answers::write_transaction_at(&block.mined()?, index as usize).map_err(invalid)?;
    Ok(text.map(Into::into))
}

/// Transaction objects with commas between: those of a simulated block, which nobody signed, or without one pending
/// transactions. @param transactions RLP list of them in canonical form; `senders`: 20 bytes each
#[napi(catch_unwind)]
pub fn write_transactions(
    #[napi(ts_arg_type = "Uint8Array")] transactions: Borrowed<u8>,
    #[napi(ts_arg_type = "Uint8Array")] senders: Borrowed<u8>,
    simulated: Option<SimulatedBlockKey>,
) -> Result<Buffer> {
    let listed = match simulated {
        None => Listed::Pending,
        Some(SimulatedBlockKey { hash, number }) => {
            Listed::Simulated { block_hash: bytes::hash("block hash", &hash)?, block_number: height(number)? }
        }
    };
    let text = rhizome_answers::write_transactions(&transactions, &senders, listed).map_err(invalid)?;
    Ok(text.into())
}

/// Log objects of a simulated transaction with commas between. @param logs RLP list of `[address, topics, data]`;
/// `first_log`: index in the block of the first of them
#[napi(catch_unwind)]
pub fn write_simulated_logs(
    transaction: SimulatedTransactionBytes,
    #[napi(ts_arg_type = "Uint8Array")] logs: Borrowed<u8>,
    first_log: u32,
) -> Result<Buffer> {
    let simulated = SimulatedTransaction {
        block_hash: bytes::hash("block hash", &transaction.block_hash)?,
        block_number: height(transaction.block_number)?,
        index: u64::from(transaction.index),
        encoding: &transaction.encoded,
    };
    let text = rhizome_answers::write_simulated_logs(&simulated, &logs, u64::from(first_log)).map_err(invalid)?;
    Ok(text.into())
}

/// The terms of the logs of a block, 8 bytes each. @param receipts RLP list of its receipts
#[napi(catch_unwind)]
pub fn log_terms(#[napi(ts_arg_type = "Uint8Array")] receipts: Borrowed<u8>) -> Result<Buffer> {
    Ok(rhizome_answers::log_terms(&receipts).map_err(invalid)?.into())
}
