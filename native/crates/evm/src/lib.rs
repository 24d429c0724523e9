//! The Rootstock EVM: state journal, machine, transaction and block executor, local calls, tracing.
//!
//! The interpreter loop, stack, memory and the instructions that Rootstock shares with Ethereum are
//! revm's; host, journal, frames and executors are here (native/README.md).

mod block;
mod bridge_state;
mod code;
mod direct;
mod error;
mod frames;
mod gas;
mod host;
mod instructions;
mod internal_transaction;
mod journal;
mod local;
mod maps;
mod receipt;
pub mod rules;
mod tables;
#[cfg(test)]
mod testing;
pub mod trace;
mod transaction;
mod words;

pub use block::{
    BlockError, BlockInput, BlockOutcome, BuiltBlock, Candidates, ExecutedTransaction, Skipped, SublistLimits,
    Unwatched, Watcher, build_block, execute_block, execute_block_watched, precompile_accounts, sublist_limits,
    worth_threads,
};
pub use bridge_state::{BridgeSummary, bridge_status, bridge_summary};
pub use direct::{DirectCall, DirectCaller};
pub use error::{ExecutionError, Failure, Halt, HaltKind, InvalidTransaction, TransactionError};
pub use frames::{Evm, Workspace};
pub use gas::basic_cost;
pub use host::BlockContext;
pub use journal::{Cell, Journal, KeySets, StateKey, Transfer};
pub use local::{
    AccountOverride, BelowOverridden, CallOutcome, CallStatus, EstimateError, EstimateInput, LocalCall, Message,
    SimulatedBlock, SimulatedCall, SimulatedOutcome, ValueTransfer, call, call_in, call_watched, estimate_gas,
    simulate,
};
pub use receipt::{Bloom, Receipt, bloom};
pub use transaction::{FeePayment, Position, REMASC_ADDRESS, Transaction, TransactionOutcome};
