//! The line of states for which the table of the head stood. The head goes back to one of them, or forth again, by the
//! records of what changed in between; any other change of the head makes a new state at its end.

use std::sync::Arc;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::head_mark::HeadMark;
use crate::head_view::View;
use crate::state_store::StateStore;

/// Rows that one commit brings back, about. Commits of blocks wait for it, some tenths of a second.
const ROWS_OF_A_STEP: usize = if cfg!(test) { 8 } else { 100_000 };

/// Steps that wait for the table of history until a thread adds them.
pub(crate) const STEPS_TO_INDEX: u64 = if cfg!(test) { 4 } else { 1_024 };

impl StateStore {
    /// True when the states of the line have this one, or the layers above it: then reads of it do not walk down the trie.
    pub fn has_on_line(&self, root: &B256) -> Result<bool, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(false) };
        let is_in_view = self.table.state.read().view.layers_up_to(root).is_some();
        Ok(is_in_view || lmdb.is_on_line(root)?)
    }

    /// Brings the table to a state of the line, if one commit does it. A larger way is left to the thread that moves the
    /// table: the state is read as an earlier one meanwhile.
    pub(crate) fn go_along_line(&self, root: B256) {
        if !self.table.is_writable {
            return;
        }
        let _stepping = self.table.stepping.lock();
        // The rest is found by the thread, and by the next start.
        let _ = self.step_along_line(root);
    }

    /// One commit on the way to a state of the line. None where the line does not have it, otherwise the next mark.
    pub(crate) fn step_along_line(&self, root: B256) -> Result<Option<HeadMark>, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(None) };
        let _committing = self.committing.lock();
        let Some(HeadMark::At(mark)) = self.table.state.read().mark.clone() else { return Ok(None) };
        if mark.root == root || !lmdb.is_on_line(&root)? {
            return Ok(None);
        }
        self.leave_table();
        let next = lmdb.step_along(&mark, &root, ROWS_OF_A_STEP)?;
        let _moving = self.table.moving.lock();
        let mut state = self.table.state.write();
        if let Some(HeadMark::At(end)) = &next {
            state.mark.clone_from(&next);
            if end.root == root {
                state.view = Arc::new(View { base: Some(root), layers: Vec::new() });
            }
        }
        Ok(next)
    }

    /// True when the table of history waits for a batch.
    pub(crate) fn has_to_index(&self) -> bool {
        self.table.is_writable
            && !self.is_closed()
            && self.backend.lmdb().is_some_and(|lmdb| lmdb.steps_to_index().is_ok_and(|steps| steps >= STEPS_TO_INDEX))
    }
}
