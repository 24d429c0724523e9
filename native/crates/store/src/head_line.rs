//! The line of states for which the table of the head stood. The head goes back to one of them, or forth again, by the
//! records of what changed in between; any other change of the head makes a new state at its end.

use std::sync::Arc;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::head_mark::HeadMark;
use crate::head_view::View;
use crate::state_store::StateStore;

/// Rows that one commit brings back: all. A part of the way would lead to states that the line has twice, from which it
/// could go in circles.
const ROWS_OF_A_STEP: usize = usize::MAX;

/// Steps that wait for the table of history until a thread adds them.
pub(crate) const STEPS_TO_INDEX: u64 = if cfg!(test) { 4 } else { 1_024 };

impl StateStore {
    /// True when the states of the line have this one, or the layers above it: then the head can go back to it by records.
    pub fn has_on_line(&self, root: &B256) -> Result<bool, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(false) };
        let is_in_view = self.table.state.read().view.layers_up_to(root).is_some();
        Ok(is_in_view || lmdb.is_on_line(root)?)
    }

    /// True when reads of the state do not walk down the trie: the line has it, or one of the blocks from before the line.
    pub fn has_values(&self, root: &B256) -> Result<bool, StateError> {
        Ok(self.has_on_line(root)? || self.backend.lmdb().map_or(Ok(false), |lmdb| lmdb.is_older(root))?)
    }

    /// Brings the table to a state of the line. It is done at once, however far it is: a block above that state would
    /// otherwise be reached by a move, whose differences are found in the tries.
    pub(crate) fn go_along_line(&self, root: B256) {
        if !self.table.is_writable {
            return;
        }
        let _stepping = self.table.stepping.lock();
        // What fails is tried again by the thread that moves the table.
        while let Ok(Some(HeadMark::At(end))) = self.step_along_line(root) {
            if end.root == root {
                // The thread that moves the table would bring it back to the head of before, once it may step.
                self.table.state.write().head = Some(root);
                return;
            }
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::account::AccountRef;
    use rhizome_primitives::state::{StateReader as _, WriteSet};
    use rhizome_primitives::{Address, Bytes, U256};
    use rhizome_trie::EMPTY_ROOT;

    use super::*;
    use crate::check::CheckProgress;
    use crate::options::StoreOptions;

    const BLOCKS: u64 = 60;
    const CELLS: u64 = 5;

    fn contract() -> AccountRef {
        AccountRef::Address(Address::repeat_byte(0x22))
    }

    fn block(number: u64) -> WriteSet {
        let value = Bytes::copy_from_slice(&number.to_be_bytes());
        let storage = (0..CELLS).map(|slot| (contract(), U256::from(number + slot), Some(value.clone()))).collect();
        WriteSet { storage, ..WriteSet::default() }
    }

    #[test]
    fn a_long_way_back_is_one_step_and_the_line_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        let extend = |parent: B256, number: u64| {
            let applied = store.apply(parent, &block(number)).unwrap();
            let root = applied.root();
            store.keep(applied);
            store.set_head(root, Some((&parent, &block(number))));
            root
        };
        for number in 1..=BLOCKS {
            roots.push(extend(roots[number as usize - 1], number));
        }
        store.settle_head().unwrap();
        let steps = || store.check_line(&CheckProgress::default()).unwrap().unwrap().steps;
        assert_eq!(steps(), BLOCKS);
        // Back, a block above it at once, back to where both meet, and to the top again.
        store.set_head(roots[3], None);
        let other = extend(roots[3], 1_000);
        store.settle_head().unwrap();
        let back = steps();
        assert_eq!(back, BLOCKS + 2);
        for root in [roots[3], *roots.last().unwrap(), other] {
            store.set_head(root, None);
            store.settle_head().unwrap();
            assert_eq!(store.check_head(&CheckProgress::default()).unwrap().map(|report| report.root), Some(root));
        }
        assert_eq!(steps(), back + 3);
        for (number, root) in (0_u64..).zip(&roots) {
            assert!(store.has_on_line(root).unwrap());
            let found = store.table_reader(*root).storage(&contract(), &U256::from(number)).unwrap();
            let expected = (number > 0).then(|| Bytes::copy_from_slice(&number.to_be_bytes()));
            assert_eq!(found, expected, "{number}");
        }
    }
}
