//! Tracers of calls, which differ only in how they write the tree.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::call_tree::CallTree;
use super::options::TraceError;
use super::traced::{Traced, Tracing};
use super::{FrameEntry, FrameExit, Inspector};
use crate::journal::{Journal, Transfer};

/// Writes the calls of a transaction.
pub(crate) trait CallFormat {
    /// The JSON of all calls, of at most `max_bytes`; the tree is complete.
    fn write(&self, tree: &CallTree, traced: &Traced<'_>, max_bytes: usize) -> Result<Vec<String>, TraceError>;
}

/// Records the calls of a transaction and writes them in one format.
pub(crate) struct TreeTracer<F> {
    tree: CallTree,
    format: F,
}

impl<F> TreeTracer<F> {
    pub(crate) fn new(format: F, max_bytes: usize) -> Self {
        Self { tree: CallTree::new(max_bytes), format }
    }
}

impl<F> Inspector for TreeTracer<F> {
    const STEPS: bool = CallTree::STEPS;
    const FRAMES: bool = CallTree::FRAMES;

    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        self.tree.enter(entry, journal)
    }

    fn exit(&mut self, exit: &FrameExit, journal: &mut Journal) -> Result<(), StateError> {
        self.tree.exit(exit, journal)
    }

    fn selfdestruct(&mut self, account: Address, beneficiary: Address, balance: U256) {
        self.tree.selfdestruct(account, beneficiary, balance);
    }

    fn transfer(&mut self, transfer: &Transfer) {
        self.tree.transfer(transfer);
    }
}

impl<F: CallFormat> Tracing for TreeTracer<F> {
    fn finish(self, traced: &Traced<'_>, _journal: &mut Journal, max_bytes: usize) -> Result<Vec<String>, TraceError> {
        if self.tree.is_over() {
            return Err(TraceError::TooLarge(max_bytes));
        }
        self.format.write(&self.tree, traced, max_bytes)
    }
}
