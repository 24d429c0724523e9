//! A traced transaction, and the interface of tracers.

use rhizome_primitives::state::StateError;

use super::errors::TraceFailure;
use super::options::{BlockId, TraceError};
use super::{FrameKind, Inspector};
use crate::journal::Journal;
use crate::trace::call_tree::{Call, CallKind, CallTree};
use crate::transaction::{Transaction, TransactionOutcome};

/// A traced transaction with its outcome and position.
pub(crate) struct Traced<'a> {
    pub(crate) transaction: &'a Transaction,
    pub(crate) outcome: &'a TransactionOutcome,
    /// Index in the block.
    pub(crate) index: usize,
    /// Number of logs in the block before it.
    pub(crate) logs_before: usize,
    /// None for simulated calls.
    pub(crate) block: Option<BlockId>,
}

/// A tracer: an inspector that writes JSON.
pub(crate) trait Tracing: Inspector + Sized {
    /// Called before the transaction runs.
    fn start(&mut self, transaction: &Transaction, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (transaction, journal);
        Ok(())
    }

    /// Called after it ended; `max_bytes` limits the JSON.
    fn finish(self, traced: &Traced<'_>, journal: &mut Journal, max_bytes: usize) -> Result<Vec<String>, TraceError>;
}

impl Traced<'_> {
    /// The transaction itself as a call. Its gas is the limit, also where no code runs (decisions.md D47); its gas used
    /// is that of the receipt.
    pub(crate) fn top_call(&self, tree: &CallTree) -> Call {
        let Self { transaction, outcome, .. } = self;
        let kind = if transaction.to.is_none() { FrameKind::Create } else { FrameKind::Call };
        Call {
            level: 0,
            kind: CallKind::Frame(kind),
            from: transaction.sender.address(),
            to: transaction.to.or(outcome.contract_address).unwrap_or_default(),
            value: transaction.value,
            gas: transaction.gas_limit,
            gas_used: outcome.gas_used,
            input: transaction.data.clone(),
            output: outcome.output.clone(),
            failure: TraceFailure::of_transaction(outcome.failure.as_ref()),
            logs: 0..outcome.logs.len(),
            logs_passed: outcome.logs.len(),
            children: tree.children,
        }
    }
}
