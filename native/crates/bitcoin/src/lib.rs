//! The parts of Bitcoin that a Rootstock node needs.
//!
//! - Merged mining: the proof-of-work rules over Bitcoin headers, coinbases and Merkle proofs (consensus.md §3), and
//!   the search of a solo miner for such a proof. Bitcoin's own rules (nBits, previous hash, script validity) do not
//!   apply there, and hashes are in internal byte order.
//! - Bitcoin data of the Bridge (bridge.md §3, §9): transactions, scripts, redeem scripts, signatures, proofs, headers
//!   and addresses, as the reference's Bitcoin library handles them. Hashes of transactions and blocks are in display
//!   order there, which is the reverse.

pub mod address;
pub mod block_header;
pub mod checkpoints;
pub mod coinbase;
pub mod compact;
pub mod der;
pub mod difficulty;
pub mod error;
pub mod fallback;
pub mod header;
pub mod interpreter;
pub mod key;
pub mod merkle;
pub mod merkle_branch;
pub mod multisig_input;
pub mod partial_merkle_tree;
pub mod pow;
pub mod redeem_script;
pub mod script;
pub mod sighash;
pub mod signature;
mod signers;
pub mod solution;
pub mod stated_inputs;
pub mod stored_header;
pub mod submission;
pub mod target;
pub mod transaction;
pub mod witness_commitment;

mod base58;
mod reader;
mod transactions;

pub use block_header::BlockHeader;
pub use coinbase::compress_coinbase;
pub use error::{FallbackError, MerkleError, PartialTreeError, PowError};
pub use header::{block_hash, hash_as_number, timestamp, timestamps_linked};
pub use interpreter::correctly_spends;
pub use key::{PublicKey, PublicKeyError};
pub use merkle_branch::reversed;
pub use pow::{MergedMining, check_proof_of_work};
pub use reader::write_var_int;
pub use redeem_script::{RedeemScript, RedeemScriptKind};
pub use script::{Chunk, Script, ScriptBuilder, ScriptError};
pub use signature::Signature;
pub use solution::{Control, Solution, Template, WorkNonce, mine, mine_on_threads};
pub use submission::{BlockParts, read_block, read_block_header, read_coinbase, work_of_coinbase};
pub use target::target_from_difficulty;
pub use transaction::{Input, OutPoint, Output, Transaction, TransactionError, TransactionViolation, display_hash};

/// Tag before the hash for merged mining in a coinbase: ASCII `RSKBLOCK:`.
pub const TAG: &[u8; 9] = b"RSKBLOCK:";
