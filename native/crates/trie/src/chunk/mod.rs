//! Pieces of a state as the reference hands them out in snapshot sync (p2p.md §5 Snapshot sync).
//!
//! The nodes of a trie that have a serialisation of their own stand in key order (left child, node, right child) on
//! one line of bytes. Each takes its serialisation, its long value, and for each embedded child the same again; the
//! line is as long as the size of the trie. A chunk has the nodes of a range of this line, beside them as many others
//! as it takes to compute the root. No node names its children in it: that follows from where the nodes stand, because
//! of two neighbours the one with more bytes below it is the ancestor.

mod check;
mod node;
mod read;

pub use check::{CheckedChunk, ChunkError, check_chunk};
pub use node::ChunkNode;
pub use read::{StateChunk, read_chunk, trie_size};

/// Bytes of the line that a chunk has.
pub const CHUNK_SPAN: u64 = 50 * 1024;
