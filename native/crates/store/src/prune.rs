//! Giving up the oldest part of the log of nodes. With each block, nodes of the state that lie in old epochs are written
//! again at the end of the log ([`rhizome_trie::Trie::renew`]); what is known of where the nodes of a state lie is
//! recorded with its root and passes on to the states that are made of it. An epoch goes once the oldest state that has
//! to be kept has no node in it. A thread of the store turns old parts of the table of nodes into files.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_trie::{EMPTY_ROOT, Location, Trie};

use crate::epoch_list::{Epoch, Form};
use crate::epochs::{LogStats, Proofs};
use crate::head_mark::HeadMark;
use crate::lmdb::Lmdb;
use crate::node_log::START;
use crate::state_record::{Copying, Extent, StateRecord};
use crate::state_store::StateStore;

/// Bounds of the nodes that are read with each block to copy those of old epochs. One takes a microsecond or two.
const MIN_NODES_AT_ONCE: u64 = 1_000;
const MAX_NODES_AT_ONCE: u64 = 20_000;
/// The same as long as nobody knows how many nodes a state has.
const FIRST_NODES_AT_ONCE: u64 = 4_000;

/// An open epoch is copied to a file up to so many times the size at which it is sealed; a larger one stays in the table.
const MAX_COPIED: u64 = 2;

/// Time for which nothing is sealed after a failure.
const RETRY: Duration = Duration::from_secs(30);

impl StateStore {
    /// Keeps nodes for a time from now on; None for an archive, which gives nothing up. Without effect on a store in
    /// memory and on one that is only read.
    pub fn set_proofs(self: &Arc<Self>, proofs: Option<Proofs>) {
        let Some(lmdb) = self.backend.lmdb().filter(|lmdb| lmdb.is_writable) else { return };
        let is_cut = {
            let mut state = lmdb.epochs.state.lock();
            state.proofs = proofs;
            proofs.is_some() || state.is_stored
        };
        if is_cut {
            lmdb.epochs.track();
        }
        if proofs.is_none() {
            // Nothing is sealed any more when this returns.
            drop(lmdb.epochs.stepping.lock());
        }
        self.start_epoch_work();
    }

    /// True when the log is cut, on disk.
    pub(crate) fn is_cut(&self) -> bool {
        self.tracks_nodes().is_some_and(|lmdb| lmdb.epochs.state.lock().is_stored)
    }

    /// The store, when what is known of the nodes of states is recorded.
    pub(crate) fn tracks_nodes(&self) -> Option<&Lmdb> {
        self.backend.lmdb().filter(|lmdb| lmdb.epochs.is_tracked())
    }

    /// The extent of a state: what is known of where its nodes lie.
    pub(crate) fn extent(&self, root: &B256) -> Result<Extent, StateError> {
        if self.tracks_nodes().is_none() {
            return Ok(Extent::UNKNOWN);
        }
        if *root == EMPTY_ROOT {
            return Ok(Extent::EMPTY);
        }
        Ok(self.record(root)?.map_or(Extent::UNKNOWN, |record| record.extent))
    }

    fn record(&self, root: &B256) -> Result<Option<StateRecord>, StateError> {
        match self.pending.get(|batch| batch.states.get(root).cloned()) {
            Some(record) => Ok(Some(record)),
            None => self.backend.record(root),
        }
    }

    /// True when a state is here already, with newer nodes than it is made of now, as another branch may do that has copied
    /// less. It keeps those, and has states be made of them: otherwise a block on top of it, on the branch that has them,
    /// would have older nodes than a block below it, and be given up before its time.
    pub(crate) fn has_newer(&self, root: &B256, extent: &Extent) -> bool {
        if self.tracks_nodes().is_none() {
            return false;
        }
        // What cannot be read is an error of the commit, which reads it again.
        let Ok(Some(newer)) = self.record(root) else { return false };
        if newer.extent.floor <= extent.floor {
            return false;
        }
        self.pending.add(|batch| {
            batch.states.insert(*root, StateRecord { is_repeated: true, ..newer });
        });
        true
    }

    /// Has a bounded number of nodes in old epochs, with those that lead to them, stored again with the trie. Returns
    /// what is then known of its nodes.
    pub(crate) fn renew(&self, trie: &mut Trie, extent: Extent) -> Extent {
        let Some(lmdb) = self.tracks_nodes() else { return extent };
        let (copying, limit) = {
            let mut state = lmdb.epochs.state.lock();
            state.list.open_blocks += 1;
            let Some(proofs) = state.proofs else { return extent };
            let due = || state.list.end_before(proofs.blocks / 2, extent.floor);
            let copying = match &extent.copying {
                Some(copying) => copying.clone(),
                None => match due() {
                    Some(below) => Copying { below, visited: 0, from: Vec::new() },
                    None => return extent,
                },
            };
            let by_size = match state.list.state_nodes {
                0 => FIRST_NODES_AT_ONCE,
                // Twice the speed at which epochs are made.
                nodes => (2 * nodes / proofs.epoch_blocks).clamp(MIN_NODES_AT_ONCE, MAX_NODES_AT_ONCE),
            };
            (copying, proofs.nodes_at_once.unwrap_or(by_size as usize))
        };
        match trie.renew(Location(copying.below), &copying.from, limit) {
            Ok(renewed) => {
                let visited = copying.visited + renewed.visited as u64;
                match renewed.next {
                    Some(from) => {
                        Extent { floor: extent.floor, copying: Some(Copying { below: copying.below, visited, from }) }
                    }
                    None => {
                        lmdb.epochs.state.lock().list.state_nodes = visited;
                        Extent { floor: extent.floor.max(copying.below), copying: None }
                    }
                }
            }
            Err(error) => {
                // The block itself is whole: the damage is in a part of the state that it did not read.
                lmdb.epochs.state.lock().fault = Some(error.to_string());
                extent
            }
        }
    }

    /// Position before which a state has no node; None when the state is not here. Of a store in memory, and of a log
    /// that was never cut, it is the begin of the log.
    pub fn floor(&self, root: &B256) -> Result<Option<u64>, StateError> {
        if *root == EMPTY_ROOT {
            return Ok(Some(u64::MAX));
        }
        let record = self.record(root)?;
        Ok(record.filter(|record| !self.is_gone(record)).map(|record| record.extent.floor))
    }

    /// True for a state whose trie was given up. Records of such states are removed after some time.
    pub(crate) fn is_given_up(&self, root: &B256) -> Result<bool, StateError> {
        if *root == EMPTY_ROOT {
            return Ok(false);
        }
        let is_cut = || self.backend.lmdb().is_some_and(|lmdb| lmdb.epochs.first() > START);
        Ok(self.record(root)?.map_or_else(is_cut, |record| self.is_gone(&record)))
    }

    pub(crate) fn is_gone(&self, record: &StateRecord) -> bool {
        self.backend.lmdb().is_some_and(|lmdb| record.extent.floor < lmdb.epochs.first())
    }

    /// Position up to which the log is not needed if this state, and those that were made of it, are all that is kept;
    /// None when that gives nothing up, and for a state that occurred several times, of which that cannot be said. Not to be
    /// called for a block whose state was given up before: who made it again since is not known.
    pub fn prunable(&self, root: &B256) -> Result<Option<u64>, StateError> {
        let Some(lmdb) = self.tracks_nodes() else { return Ok(None) };
        {
            let state = lmdb.epochs.state.lock();
            if state.proofs.is_none() || state.list.sealed.is_empty() {
                return Ok(None);
            }
        }
        if *root == EMPTY_ROOT || self.pending.get(|batch| batch.states.get(root).map(|_| ())).is_some() {
            return Ok(None);
        }
        let record = lmdb.record(root)?.filter(|record| !record.is_repeated && !self.is_gone(record));
        let Some(StateRecord { extent: Extent { mut floor, .. }, .. }) = record else { return Ok(None) };
        // The table of the newest state is moved from the state that it stands for, which may be some blocks older.
        for root in self.states_of_table() {
            if root == EMPTY_ROOT {
                // It has no node that would keep those of the states above it, of which a killed process may have had
                // layers alone: without their tries the table could not be moved along them again.
                return Ok(None);
            }
            if let Some(record) = lmdb.record(&root)? {
                floor = floor.min(record.extent.floor);
            }
        }
        Ok(lmdb.epochs.state.lock().list.end_below(floor))
    }

    fn states_of_table(&self) -> Vec<B256> {
        match &self.table.state.read().mark {
            None => Vec::new(),
            Some(HeadMark::At(end)) => vec![end.root],
            Some(HeadMark::Moving { from, to, .. }) => vec![*from, *to],
            Some(HeadMark::Sorting { to, .. } | HeadMark::Merging { to, .. }) => vec![*to],
        }
    }

    /// Gives up the log before a position that [`Self::prunable`] returned: states that have a node there are not here
    /// any more. Returns the bytes that were given up; zero when it has to wait for a commit.
    pub fn drop_before(self: &Arc<Self>, end: u64) -> Result<u64, StateError> {
        let Some(lmdb) = self.tracks_nodes() else { return Ok(0) };
        let dropped = {
            let _committing = self.committing.lock();
            let waits = |batch: &crate::batch::Batch| {
                batch.states.values().any(|record| record.extent.floor < end).then_some(())
            };
            if self.pending.get(waits).is_some() {
                return Ok(0);
            }
            let mut dropped = 0;
            lmdb.change_epochs(|list| {
                let (next, gone) = list.without(end);
                dropped = gone.iter().map(|epoch| epoch.end - epoch.start).sum();
                *list = next;
            })?;
            if dropped == 0 {
                return Ok(0);
            }
            let first = lmdb.epochs.state.lock().list.first;
            let files = lmdb.epochs.forget(first);
            lmdb.epochs.state.lock().sweep = Some(Vec::new());
            self.states.clear();
            lmdb.unlink(files)?;
            dropped
        };
        self.start_epoch_work();
        Ok(dropped)
    }

    /// Sizes of the log.
    pub fn log_stats(&self) -> Result<LogStats, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(LogStats::default()) };
        let end = lmdb.end()?;
        let mut stats = LogStats::of(&lmdb.epochs.state.lock(), end);
        stats.fault = stats.fault.or_else(|| self.table.giving_up.lock().fault.clone());
        Ok(stats)
    }

    /// Reads the files of the log. An error for one that is no sequence of nodes.
    pub fn check_log(&self) -> Result<(), StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(()) };
        for file in lmdb.epochs.files() {
            if !file.is_whole()? {
                return Err(StateError::Store(format!(
                    "the log of nodes is not whole: its part from {} to {} is damaged",
                    file.start, file.end
                )));
            }
        }
        Ok(())
    }

    /// Starts the thread that seals epochs and removes what is of no use, when there is something to do and it does not
    /// run.
    pub(crate) fn start_epoch_work(self: &Arc<Self>) {
        let Some(lmdb) = self.tracks_nodes() else { return };
        if !self.has_epoch_work(lmdb) || lmdb.epochs.has_worker.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("state epochs".to_owned()).spawn(move || {
            // Held for a step only: a store that everybody else has dropped is closed in between.
            while let Some(store) = store.upgrade() {
                let Some(lmdb) = store.backend.lmdb() else { break };
                if matches!(store.epoch_step(), Ok(true)) {
                    continue;
                }
                lmdb.epochs.has_worker.store(false, Ordering::Release);
                // A commit may have found this thread at work after it had looked.
                if !store.has_epoch_work(lmdb) || lmdb.epochs.has_worker.swap(true, Ordering::AcqRel) {
                    break;
                }
            }
        });
        if thread.is_err() {
            lmdb.epochs.has_worker.store(false, Ordering::Release);
        }
    }

    fn has_epoch_work(&self, lmdb: &Lmdb) -> bool {
        if !lmdb.is_writable || lmdb.is_closed() {
            return false;
        }
        let (useless, open) = {
            let state = lmdb.epochs.state.lock();
            if state.retry.is_some_and(|retry| Instant::now() < retry) {
                return false;
            }
            (state.sweep.is_some() || state.list.useless().is_some(), state.list.open)
        };
        useless || lmdb.end().is_ok_and(|end| self.is_due(lmdb, open, end))
    }

    fn is_due(&self, lmdb: &Lmdb, open: u64, end: u64) -> bool {
        let state = lmdb.epochs.state.lock();
        state.proofs.is_some_and(|proofs| {
            end > open && (end - open >= proofs.epoch_bytes || state.list.open_blocks >= proofs.epoch_blocks)
        })
    }

    /// Seals what is due, and removes what is of no use, on the calling thread. For tests and tools: a thread of the
    /// store does it otherwise.
    pub fn settle_epochs(self: &Arc<Self>) -> Result<(), StateError> {
        while self.epoch_step()? {}
        Ok(())
    }

    /// One commit of the thread. False when there is nothing left to do.
    pub(crate) fn epoch_step(self: &Arc<Self>) -> Result<bool, StateError> {
        let Some(lmdb) = self.tracks_nodes().filter(|lmdb| lmdb.is_writable) else { return Ok(false) };
        let _stepping = lmdb.epochs.stepping.lock();
        let step = self.epoch_step_of(lmdb);
        let mut state = lmdb.epochs.state.lock();
        match &step {
            Ok(_) => {
                state.retry = None;
            }
            Err(error) => {
                state.fault = Some(error.to_string());
                state.retry = Some(Instant::now() + RETRY);
            }
        }
        step
    }

    fn epoch_step_of(&self, lmdb: &Lmdb) -> Result<bool, StateError> {
        let (open, sweep, useless) = {
            let state = lmdb.epochs.state.lock();
            (state.list.open, state.sweep.clone(), state.list.useless())
        };
        if useless.is_some() {
            let _committing = self.committing.lock();
            lmdb.clear_step()?;
            return Ok(true);
        }
        let end = lmdb.end()?;
        if self.is_due(lmdb, open, end) {
            return self.seal(lmdb, open, end);
        }
        let Some(after) = sweep else { return Ok(false) };
        let _committing = self.committing.lock();
        let next = lmdb.sweep_step(&after)?;
        lmdb.epochs.state.lock().sweep = next;
        Ok(true)
    }

    /// Seals the open epoch up to a position at which a commit ended. True when something was sealed.
    fn seal(&self, lmdb: &Lmdb, open: u64, end: u64) -> Result<bool, StateError> {
        let (blocks, copied) = {
            let state = lmdb.epochs.state.lock();
            let bytes = state.proofs.map_or(0, |proofs| proofs.epoch_bytes);
            (state.list.open_blocks, end - open <= bytes.saturating_mul(MAX_COPIED))
        };
        let sealed = if copied {
            lmdb.assert_space(end - open)?;
            lmdb.write_epoch(open, end)?.map(|(start, end)| Epoch { start, end, blocks: 0, form: Form::File })
        } else {
            Some(Epoch { start: open, end, blocks: 0, form: Form::Table })
        };
        let Some(mut epoch) = sealed else { return Ok(false) };
        // Behind a gap there is more, in which these blocks are.
        if epoch.end == end {
            epoch.blocks = blocks;
        }
        let _committing = self.committing.lock();
        lmdb.change_epochs(|list| {
            list.sealed.push(epoch);
            list.open = epoch.end;
            list.open_blocks -= epoch.blocks.min(list.open_blocks);
        })?;
        let mut state = lmdb.epochs.state.lock();
        state.fault = None;
        let list = state.list.clone();
        drop(state);
        lmdb.epochs.open_files(&lmdb.folder, &list, false)?;
        Ok(true)
    }
}
