//! Inspection of the transactions of a block.

use rhizome_primitives::state::StateError;

use crate::journal::Journal;
use crate::trace::{Inspector, NoInspector};
use crate::transaction::TransactionOutcome;

/// Chooses the transactions to inspect while a block runs.
pub trait Watcher {
    /// The type of its inspectors.
    type Inspector: Inspector;
    /// False if nothing is ever inspected.
    const WATCHES: bool = true;

    /// The inspector for the transaction about to run on this state; None runs it at full speed.
    fn inspector(&mut self, index: usize, journal: &mut Journal) -> Result<Option<&mut Self::Inspector>, StateError>;

    /// Called when the transaction has ended with this state.
    fn finished(
        &mut self,
        index: usize,
        outcome: &TransactionOutcome,
        journal: &mut Journal,
    ) -> Result<(), StateError> {
        let _ = (index, outcome, journal);
        Ok(())
    }

    /// True when the rest of the block is not needed: execution then ends as if interrupted.
    fn is_done(&self) -> bool {
        false
    }
}

/// Inspects nothing.
pub struct Unwatched;

impl Watcher for Unwatched {
    type Inspector = NoInspector;
    const WATCHES: bool = false;

    fn inspector(&mut self, _index: usize, _journal: &mut Journal) -> Result<Option<&mut NoInspector>, StateError> {
        Ok(None)
    }
}
