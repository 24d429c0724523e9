//! Pieces of a state in the form in which the reference sends them in snapshot sync (p2p.md §5 Snapshot sync).
//!
//! The nodes of a trie that are not embedded are laid out in key order (left child, node, right child) on one line of
//! bytes. Each node takes the bytes of its serialisation and of its long value, and the same for each embedded child,
//! so the line is as long as the size of the trie. A chunk has the nodes of one range of this line, and besides them as
//! many others as are needed to compute the root. No node names its children in it: they follow from the positions,
//! because of two neighbours the one with more bytes below it is the ancestor.

mod check;
mod error;
mod node;
mod read;

pub use check::{CheckedChunk, check_chunk};
pub use error::ChunkError;
pub use node::ChunkNode;
pub use read::{StateChunk, read_chunk, trie_size};

/// Bytes of the line that one chunk covers.
pub const CHUNK_SPAN: u64 = 50 * 1024;
