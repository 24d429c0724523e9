//! The Bitcoin headers that the Bridge knows, and proofs that depend on them (bridge.md §3.1, bridge.md §3.3).

pub(crate) mod chain;
pub(crate) mod coinbase;
pub(crate) mod confirmations;
mod heights;
pub(crate) mod proof;
pub(crate) mod receive;
mod store;

use rhizome_primitives::contract::ContractError;

/// An error that the reference throws.
fn throws(reason: impl ToString) -> ContractError {
    ContractError::Failed(reason.to_string())
}
