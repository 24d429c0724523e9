//! A block as it is stored, and where its transactions are in it.

use rhizome_primitives::B256;

/// A block, as it is stored.
pub struct MinedBlock<'a> {
    /// Hash of the block.
    pub hash: B256,
    /// Height.
    pub number: u64,
    /// RLP `[transactions, uncles]`.
    pub body: &'a [u8],
    /// Senders of the transactions, 20 bytes each; zeros for the reward transaction.
    pub senders: &'a [u8],
}

impl MinedBlock<'_> {
    pub(crate) fn position(&self, index: u64) -> Position {
        Position { block_hash: self.hash, block_number: self.number, index }
    }
}

/// Position of a transaction in the chain.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) block_hash: B256,
    pub(crate) block_number: u64,
    pub(crate) index: u64,
}
