//! Merged mining: the proof-of-work rules over Bitcoin headers, coinbases and Merkle proofs
//! (consensus.md §3), and what a solo miner needs to make such a proof.
//!
//! Bitcoin's own rules (nBits, previous hash, script validity) play no part. Hashes are in internal
//! byte order unless a name says display order, the reverse.

pub mod coinbase;
pub mod error;
pub mod fallback;
pub mod header;
pub mod merkle;
pub mod partial_merkle_tree;
pub mod pow;
pub mod solution;
pub mod submission;
pub mod target;

mod transactions;

pub use coinbase::compress_coinbase;
pub use error::{FallbackError, MerkleError, PartialTreeError, PowError};
pub use header::{block_hash, hash_as_number, timestamp, timestamps_linked};
pub use pow::{MergedMining, check_proof_of_work};
pub use solution::{Control, Solution, Template, WorkNonce, mine, mine_on_threads};
pub use submission::{BlockParts, read_block, read_block_header, read_coinbase, work_of_coinbase};
pub use target::target_from_difficulty;

/// Marks the hash for merged mining in a coinbase: ASCII `RSKBLOCK:`.
pub const TAG: &[u8; 9] = b"RSKBLOCK:";
