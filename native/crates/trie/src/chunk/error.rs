//! Why a chunk is refused.

use rhizome_primitives::B256;
use rhizome_primitives::rlp::RlpError;
use thiserror::Error;

/// Reason why bytes are not the requested chunk.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ChunkError {
    /// Not the lists that a chunk is made of.
    #[error("the chunk has another form: {0}")]
    Form(#[from] RlpError),
    /// A wrong number of parts, or a hash of the wrong length.
    #[error("the chunk has other parts")]
    Parts,
    /// Bytes that are no node.
    #[error("a node does not parse")]
    Node,
    /// The nodes are not in key order, or there is one too few or too many.
    #[error("the nodes do not form one trie")]
    Structure,
    /// More nodes than a range can have.
    #[error("the chunk has too many nodes")]
    TooMany,
    /// The nodes belong to another trie, or were altered.
    #[error("the nodes have the root {0}")]
    Root(B256),
    /// The nodes belong to the trie, but are not those of the range.
    #[error("the nodes are those of another range")]
    Range,
}
