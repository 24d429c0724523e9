//! Inspecting the transactions of a block.

use crate::trace::{Inspector, NoInspector};
use crate::transaction::TransactionOutcome;

/// Chooses what to inspect while a block runs.
pub trait Watcher {
    /// What inspects.
    type Inspector: Inspector;
    /// False when nothing is ever inspected.
    const WATCHES: bool = true;

    /// The inspector for a transaction; None runs it at full speed.
    fn inspector(&mut self, index: usize) -> Option<&mut Self::Inspector>;

    /// The transaction ended.
    fn finished(&mut self, index: usize, outcome: &TransactionOutcome) {
        let _ = (index, outcome);
    }
}

/// Inspects nothing.
pub struct Unwatched;

impl Watcher for Unwatched {
    type Inspector = NoInspector;
    const WATCHES: bool = false;

    fn inspector(&mut self, _index: usize) -> Option<&mut NoInspector> {
        None
    }
}
