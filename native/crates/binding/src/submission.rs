//! Submissions of mining pools.

use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;
use rhizome_bitcoin::merkle::prove_first;
use rhizome_bitcoin::{read_block, read_block_header, read_coinbase, work_of_coinbase};
use rhizome_primitives::B256;

use crate::errors::{Result, invalid};

/// The parts of a Bitcoin block that a header needs.
#[napi(object)]
pub struct BitcoinBlockParts {
    /// Header, 80 bytes.
    pub header: Buffer,
    /// First transaction, as serialised in the block.
    pub coinbase: Buffer,
    /// Proof in the RSKIP92 format that it is the first.
    pub merkle_proof: Buffer,
}

/// Splits a serialised Bitcoin block. Null when it does not parse or has no transaction.
#[napi(catch_unwind)]
pub fn read_bitcoin_block(block: Uint8Array) -> Option<BitcoinBlockParts> {
    read_block(&block).map(|parts| BitcoinBlockParts {
        header: parts.header.to_vec().into(),
        coinbase: parts.coinbase.to_vec().into(),
        merkle_proof: parts.merkle_proof.into(),
    })
}

/// The 80 bytes of the header of a serialised Bitcoin block, with or without transactions. Null when it does
/// not parse.
#[napi(catch_unwind)]
pub fn read_bitcoin_header(block: Uint8Array) -> Option<Buffer> {
    read_block_header(&block).map(|header| header.to_vec().into())
}

/// The Bitcoin transaction at the start of the bytes, without what follows it. Null when it does not parse.
#[napi(catch_unwind)]
pub fn read_bitcoin_coinbase(bytes: Uint8Array) -> Option<Buffer> {
    read_coinbase(&bytes).map(|coinbase| coinbase.to_vec().into())
}

/// The 32 bytes after the last tag of a coinbase, which identify the work. Null when the coinbase is too short.
#[napi(catch_unwind)]
pub fn work_of_bitcoin_coinbase(coinbase: Uint8Array) -> Option<Buffer> {
    work_of_coinbase(&coinbase).map(|hash| hash.to_vec().into())
}

/// Proof in the RSKIP92 format that the first of a block's transactions is in it. `ids` are their ids in block
/// order, 32 bytes each in internal byte order.
#[napi(catch_unwind)]
pub fn prove_bitcoin_coinbase(ids: Uint8Array) -> Result<Buffer> {
    let (ids, rest) = ids.as_chunks::<32>();
    if !rest.is_empty() {
        return Err(invalid(format!("ids: {} bytes are left over", rest.len())));
    }
    let ids: Vec<B256> = ids.iter().copied().map(B256::new).collect();
    Ok(prove_first(&ids).into())
}
