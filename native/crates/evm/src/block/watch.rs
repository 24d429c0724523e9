//! Inspecting the transactions of a block.

use rhizome_primitives::state::StateError;

use crate::journal::Journal;
use crate::trace::{Inspector, NoInspector};
use crate::transaction::TransactionOutcome;

/// Chooses what to inspect while a block runs.
pub trait Watcher {
    /// What inspects.
    type Inspector: Inspector;
    /// False when nothing is ever inspected.
    const WATCHES: bool = true;

    /// The inspector for the transaction about to run on this state; None runs it at full speed.
    fn inspector(&mut self, index: usize, journal: &mut Journal) -> Result<Option<&mut Self::Inspector>, StateError>;

    /// The transaction ended with this state.
    fn finished(
        &mut self,
        index: usize,
        outcome: &TransactionOutcome,
        journal: &mut Journal,
    ) -> Result<(), StateError> {
        let _ = (index, outcome, journal);
        Ok(())
    }

    /// Whether the rest of the block is of no use: it then ends as if interrupted.
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
