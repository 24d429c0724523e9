//! The state store: trie nodes, code and ancestor metadata in LMDB, with the caches that all threads share.
//!
//! Nodes never change, so a state is named by its root alone. Several roots exist side by side, and what they have in
//! common is stored once. A block is applied to a parent root ([`StateStore::apply`]), kept when it is accepted
//! ([`StateStore::keep`]) and made durable with others by one [`StateStore::commit`]. A crash loses what was not
//! committed; what was committed is complete.

pub mod account_proof;
pub mod ancestor_codec;
pub mod applied;
pub mod check;
pub mod options;
pub mod state_store;

mod ancestry;
mod backend;
mod batch;
mod chunk_intake;
mod deep_blocks;
mod directory_lock;
mod epoch_file;
mod epoch_list;
mod epochs;
mod fork;
mod fork_guess;
mod format;
mod head_branch;
mod head_build;
mod head_cache;
mod head_changes;
mod head_check;
mod head_convert;
mod head_filter;
mod head_history;
mod head_line;
mod head_line_check;
mod head_mark;
mod head_move;
mod head_older;
mod head_older_check;
mod head_prune;
mod head_reads;
mod head_record;
mod head_rows;
mod head_space;
mod head_view;
mod head_write;
mod lmdb;
mod lmdb_epochs;
mod lmdb_head;
mod lmdb_line;
mod lmdb_open;
mod log_copy;
mod log_export;
mod log_import;
mod memory_nodes;
mod node_cache;
mod node_log;
mod node_reads;
mod pending;
mod prune;
mod reader;
mod registry;
mod state_record;
mod table_sizes;

pub use account_proof::{AccountProof, CellProof};
pub use ancestry::MemoryBranch;
pub use applied::AppliedState;
pub use check::{CheckProgress, CheckReport};
pub use chunk_intake::{ChunkIntake, IntakeError, IntakeReport};
pub use deep_blocks::DeepBlock;
pub use directory_lock::DirectoryLock;
pub use epochs::{LogStats, Proofs};
pub use fork::{Answer, Fork, ForkPoint, ForkStats, UpstreamAccount, Wanted};
pub use format::StoreFormat;
pub use head_branch::HeadBranch;
pub use head_check::HeadReport;
pub use head_convert::OlderProgress;
pub use head_line_check::LineReport;
pub use head_older_check::OlderReport;
pub use head_prune::HistoryStats;
pub use head_space::{HeadPhase, HeadProgress};
pub use log_copy::LogError;
pub use log_export::{LogExport, StateExport};
pub use log_import::{LogImport, PieceReport};
pub use options::StoreOptions;
pub use state_store::{StateStore, StoreStats};
