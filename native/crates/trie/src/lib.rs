//! The Unitrie (RSKIP16, RSKIP107, RSKIP108): node formats, put and delete, hashes, keys, proofs.
//!
//! A [`Trie`] is a value: cloning is cheap and later changes do not affect the clone. Stored nodes are read from a
//! [`NodeSource`] only along the paths that are accessed. Hashes of changed nodes are computed once, when they are
//! needed. Parsed nodes may stay in memory, so that the next change need not read them again.

pub mod account;
pub mod bits;
pub mod chunk;
pub mod difference;
pub mod iterate;
pub mod keys;
pub mod lookup;
pub mod node;
pub mod node_view;
pub mod orchid;
pub mod orchid_state;
pub mod orchid_stream;
pub mod ordered;
pub mod proof;
pub mod renew;
pub mod source;
pub mod storage_cells;
pub mod store_new;
pub mod trie;
pub mod value;

mod update;
mod varint;

pub use rhizome_crypto::keccak256;
pub use source::{Location, MemoryNodes, NodeSink, NodeSource, StoredNode};
pub use trie::Trie;
pub use value::Value;

use rhizome_primitives::{B256, b256};

/// Root of a trie without values: Keccak-256 of the byte `80` (consensus.md §0.3).
pub const EMPTY_ROOT: B256 = b256!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
