//! Keeping the table of the head at the head. Blocks that follow one another add layers, which commits move to the table
//! in one go. Any other change of the head (reorganisation, rewind, edit, another store) is found by comparing two tries:
//! a small one becomes a layer, and a large one is made in bounded commits by a thread of its own, which goes on after a
//! restart. The table of a store that has none is made in the same way, as a move from the empty state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rhizome_primitives::B256;
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_trie::keys::{Item, item_of};
use rhizome_trie::{EMPTY_ROOT, Trie, Value};

use crate::batch::Batch;
use crate::head_changes::{CellValue, HeadChanges, ItemValue, MAX_ROW_VALUE_BYTES};
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_view::{Layer, View};
use crate::head_write::{HeadStep, HeadWrite};
use crate::node_log::START;
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// Differences up to which a change of the head becomes a layer at once, with all earlier states still on the line.
const MAX_AT_ONCE: usize = 20_000;

/// Differences that one commit of a move writes. They lie all over the table, so that a commit writes most of its pages
/// anew: fewer and larger ones write less in all. Commits of blocks wait for one, some tenths of a second.
const MOVE_STEP: usize = 100_000;

/// Layers that a commit moves to the table.
pub(crate) struct Flush {
    from: Option<HeadMark>,
    layers: Vec<Arc<Layer>>,
    end: LineEnd,
}

impl Flush {
    pub(crate) fn write(&self) -> HeadWrite<'_> {
        HeadWrite { from: self.from.as_ref(), step: HeadStep::Layers(&self.layers), mark: HeadMark::At(self.end) }
    }
}

impl StateStore {
    /// Takes up the table as it is on disk.
    pub(crate) fn load_head_table(&self, log_end: u64) -> Result<(), StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(()) };
        *self.deep.range.write() = lmdb.deep_range()?;
        let mark = lmdb.head_mark()?;
        let base = match &mark {
            Some(HeadMark::At(end)) => Some(end.root),
            // A new store has the empty state.
            None if log_end == START => Some(EMPTY_ROOT),
            _ => None,
        };
        let mut state = self.table.state.write();
        state.view = Arc::new(View { base, layers: Vec::new() });
        state.mark = mark;
        Ok(())
    }

    /// Follows the head; see [`Self::set_head`].
    pub(crate) fn move_head_table(self: &Arc<Self>, root: B256, change: Option<(&B256, &WriteSet)>) {
        // The table would have to tell what a fork has not changed from what it has removed.
        if self.backend.lmdb().is_none() || self.fork().is_some() {
            return;
        }
        if self.is_along_line(&root, change) {
            self.go_along_line(root);
        }
        {
            let _moving = self.table.moving.lock();
            let (view, head) = {
                let state = self.table.state.read();
                (state.view.clone(), state.head)
            };
            let next = self.next_view(&view, head, root, change);
            let mut state = self.table.state.write();
            state.view = next;
            state.head = Some(root);
        }
        self.start_moving();
    }

    /// True when the way to the state is in the records of the line.
    fn is_along_line(&self, root: &B256, change: Option<(&B256, &WriteSet)>) -> bool {
        let view = self.table.state.read().view.clone();
        let is_above = change.is_some_and(|(parent, _)| view.tip() == Some(*parent));
        !is_above && view.layers_up_to(root).is_none() && self.has_on_line(root).unwrap_or(false)
    }

    fn next_view(
        self: &Arc<Self>,
        view: &Arc<View>,
        head: Option<B256>,
        root: B256,
        change: Option<(&B256, &WriteSet)>,
    ) -> Arc<View> {
        let Some(tip) = view.tip() else { return Arc::default() };
        let is_above = change.is_some_and(|(parent, _)| *parent == tip && root != tip);
        if !is_above && let Some(layers) = view.layers_up_to(&root) {
            return Arc::new(View { base: view.base, layers: view.layers[..layers].to_vec() });
        }
        let changes = match change {
            Some((parent, changes)) if *parent == tip => self.changes_of(tip, changes).ok(),
            // The table is on its way already.
            _ if head.is_some_and(|head| head != tip) => None,
            _ => self
                .changes_between(tip, root, None, MAX_AT_ONCE)
                .ok()
                .and_then(|(changes, rest)| rest.is_none().then_some(changes)),
        };
        let mut next = View { base: view.base, layers: Vec::new() };
        if let Some(changes) = changes {
            next.layers.clone_from(&view.layers);
            next.layers.push(Arc::new(Layer::new(root, changes)));
        }
        Arc::new(next)
    }

    fn changes_of(self: &Arc<Self>, parent: B256, changes: &WriteSet) -> Result<HeadChanges, StateError> {
        let reader = self.reader(parent)?;
        HeadChanges::of(changes, |account| Ok(reader.account(account)?.is_some()))
    }

    /// At most `limit` changes from one state to another in key order, behind the key `after`; with the last key when
    /// there may be more.
    fn changes_between(
        self: &Arc<Self>,
        from: B256,
        to: B256,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<(HeadChanges, Option<Vec<u8>>), StateError> {
        let source = Arc::new(UncachedNodes::new(self.clone()));
        let (old, new) = (Trie::at(source.clone(), from), Trie::at(source, to));
        let mut changes = HeadChanges::default();
        let (mut found, mut last) = (0, None);
        old.differences(&new, after, &mut |key, _, value| {
            let (account, item) = item_of(key)
                .ok_or_else(|| StateError::Corrupt { hash: to, reason: "it has a key that no state has".to_owned() })?;
            changes.put(&account, item, item_value(&new, item, value)?);
            found += 1;
            if found < limit {
                return Ok(ControlFlow::Continue(()));
            }
            last = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok((changes, last))
    }

    /// The layers that a commit of `batch` is to move to the table: all or none. `at_once` does not wait for more.
    pub(crate) fn head_flush(&self, batch: &Batch, at_once: bool) -> Option<Flush> {
        let (view, mark) = {
            let state = self.table.state.read();
            (state.view.clone(), state.mark.clone())
        };
        let root = view.tip()?;
        if view.layers.is_empty() && !(at_once && mark.is_none()) {
            return None;
        }
        // The table of a new store gets its mark early, because nobody reads it without.
        if !self.table.is_writable || !(at_once || view.is_full() || mark.is_none()) {
            return None;
        }
        // The table stands for states that last, and no others.
        let lasts = batch.states.contains_key(&root) || self.is_durable(&root);
        if !lasts {
            return None;
        }
        let step = HeadMark::next_step(mark.as_ref()) - 1 + view.layers.len() as u64;
        let base = if let Some(HeadMark::At(end)) = &mark { end.base } else { 0 };
        Some(Flush { from: mark, layers: view.layers.clone(), end: LineEnd { root, step, base } })
    }

    /// To be called when a commit has moved layers to the table.
    pub(crate) fn head_flushed(&self, flush: &Flush) {
        let _moving = self.table.moving.lock();
        let mut state = self.table.state.write();
        state.mark = Some(HeadMark::At(flush.end));
        state.view = Arc::new(state.view.rebased(flush.end.root));
    }

    fn is_durable(&self, root: &B256) -> bool {
        *root == EMPTY_ROOT || self.backend.state(root).is_ok_and(|at| at.is_some())
    }

    /// The head, when the table has to be moved to it and can be.
    fn head_to_reach(&self) -> Option<B256> {
        let head = {
            let state = self.table.state.read();
            state.head.filter(|head| state.view.tip() != Some(*head))
        }?;
        (self.table.is_writable && self.backend.lmdb().is_some() && !self.is_closed() && self.is_durable(&head))
            .then_some(head)
    }

    /// Starts the thread that moves the table, when it is needed and there is none.
    pub(crate) fn start_moving(self: &Arc<Self>) {
        if !self.has_work() || self.table.has_mover.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("state head".to_owned()).spawn(move || {
            // Held for a step only: a store that everybody else has dropped is closed in between.
            while let Some(store) = store.upgrade() {
                let step = match store.move_step() {
                    // What makes earlier states quicker to read comes behind what makes the newest one quick.
                    Ok(false) if store.has_to_index() => store.index_step(),
                    Ok(false) if store.has_to_prune_line() => store.prune_line_step(),
                    step => step,
                };
                if matches!(step, Ok(true)) {
                    continue;
                }
                store.table.has_mover.store(false, Ordering::Release);
                // The head may have moved after the step: whoever moved it found this thread at work.
                let goes_on = step.is_ok()
                    && store.head_to_reach().is_some()
                    && !store.table.has_mover.swap(true, Ordering::AcqRel);
                if !goes_on {
                    break;
                }
            }
        });
        if thread.is_err() {
            self.table.has_mover.store(false, Ordering::Release);
        }
    }

    fn has_work(&self) -> bool {
        self.head_to_reach().is_some() || self.has_to_index() || self.has_to_prune_line()
    }

    /// Makes everything kept so far durable, moves the table of the head to the head and completes the table of history,
    /// on the calling thread. For
    /// tests and tools: commits and a thread of the store do it otherwise.
    pub fn settle_head(self: &Arc<Self>) -> Result<(), StateError> {
        self.commit_with(true)?;
        while self.head_to_reach().is_some() {
            self.move_step()?;
        }
        self.commit_with(true)?;
        while self.index_step()? {}
        Ok(())
    }

    /// One commit of a move. False when the table is where it has to be, or has to wait for a commit.
    pub(crate) fn move_step(self: &Arc<Self>) -> Result<bool, StateError> {
        let _stepping = self.table.stepping.lock();
        let Some(head) = self.head_to_reach() else { return Ok(false) };
        let Some(lmdb) = self.backend.lmdb() else { return Ok(false) };
        let mark = self.table.state.read().mark.clone();
        let next = match &mark {
            Some(HeadMark::Moving { from, to, after, .. }) if self.is_durable(from) && self.is_durable(to) => {
                self.write_move(mark.as_ref(), *from, *to, Some(after))?
            }
            // A table that was never anything but empty is not worth being changed row by row. One that came back to the
            // empty state has a line, which goes on.
            Some(HeadMark::At(end))
                if (end.root != EMPTY_ROOT || end.step > end.base) && self.is_durable(&end.root) =>
            {
                let root = end.root;
                match self.step_along_line(head)? {
                    Some(next) => Some(next),
                    None => self.write_move(mark.as_ref(), root, head, None)?,
                }
            }
            Some(found @ (HeadMark::Sorting { to, .. } | HeadMark::Merging { to, .. })) if self.is_durable(to) => {
                self.build_step(lmdb, found)?
            }
            // None, or one that is of no use: it is made from the beginning.
            _ => {
                self.claim_space(lmdb, head)?;
                self.leave_table();
                self.sort_run(lmdb, mark.as_ref(), head, 0, None)?
            }
        };
        let _moving = self.table.moving.lock();
        let mut state = self.table.state.write();
        if let Some(next) = &next {
            if let HeadMark::At(end) = next {
                state.view = Arc::new(View { base: Some(end.root), layers: Vec::new() });
            }
            state.mark = Some(next.clone());
        } else {
            // A commit was first, or another program.
            state.mark = lmdb.head_mark()?;
        }
        Ok(next.is_some() && state.view.tip() != state.head)
    }

    /// Nobody adds layers to a table that stands for no state.
    pub(crate) fn leave_table(&self) {
        let _moving = self.table.moving.lock();
        self.table.state.write().view = Arc::default();
    }

    /// One commit of a move from state to state. None when the mark is not the expected one, otherwise the next mark.
    fn write_move(
        self: &Arc<Self>,
        mark: Option<&HeadMark>,
        from: B256,
        to: B256,
        after: Option<&[u8]>,
    ) -> Result<Option<HeadMark>, StateError> {
        let (changes, last) = self.changes_between(from, to, after, MOVE_STEP)?;
        let step = HeadMark::next_step(mark);
        let base = match mark {
            Some(HeadMark::At(LineEnd { base, .. }) | HeadMark::Moving { base, .. }) => *base,
            _ => return Ok(None),
        };
        let next = match last {
            Some(after) => HeadMark::Moving { from, to, step, base, after },
            None => HeadMark::At(LineEnd { root: to, step, base }),
        };
        // Commits of blocks wait for the writing alone.
        let _committing = self.committing.lock();
        if self.head_to_reach().is_none() {
            return Ok(None);
        }
        self.leave_table();
        let write = HeadWrite { from: mark, step: HeadStep::Part(&changes), mark: next.clone() };
        let is_written = self.backend.write(&Batch::default(), Some(&write))?;
        Ok(is_written.then_some(next))
    }
}

/// Contents of an item, by its value in a trie.
pub(crate) fn item_value(trie: &Trie, item: Item, value: &Value) -> Result<ItemValue, StateError> {
    Ok(match item {
        Item::Account => ItemValue::Bytes(value.load(&**trie.source())?),
        Item::Code => ItemValue::Code(value.hash().map(|hash| (hash, value.length()))),
        Item::Marker => ItemValue::Marker(!value.is_none()),
        Item::Cell(_) => ItemValue::Cell(cell_value(trie, value)?),
    })
}

pub(crate) fn cell_value(trie: &Trie, value: &Value) -> Result<Option<CellValue>, StateError> {
    match value {
        Value::Long { hash, length, .. } if *length as usize > MAX_ROW_VALUE_BYTES => {
            Ok(Some(CellValue::Apart(*hash, *length)))
        }
        value => Ok(CellValue::of(value.load(&**trie.source())?.as_ref())),
    }
}
