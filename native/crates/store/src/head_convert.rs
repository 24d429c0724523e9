//! Conversion of states from before the line: the trie after each block is compared with its parent's, from the lowest
//! block whose state the line has down to the first whose trie there is. What differs is added in commits of some
//! megabytes, whose mark says how far it is, so that a restart goes on and each commit makes more states quick to read.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rhizome_primitives::B256;
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::StateError;
use rhizome_trie::Trie;
use rhizome_trie::keys::item_of;
use smallvec::SmallVec;

use crate::ancestry::parent_of;
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_move::item_value;
use crate::head_older::{BlockName, OlderMark, OlderRange, OlderTables, encode_value, entry_key, item_prefix};
use crate::lmdb::Lmdb;
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// Bytes of entries that one commit adds, about. Commits of blocks wait for one, some tenths of a second.
const BATCH_BYTES: usize = 8 << 20;

/// Blocks that one commit adds at most, so that it is soon seen how far it is.
const MAX_BLOCKS: usize = 10_000;

/// Rows of no use that one commit removes before it begins anew.
const CLEARED_ROWS: usize = 20_000;

/// Blocks above the line that are passed to find it.
const MAX_ABOVE: usize = 1_024;

/// Bytes that stay free for blocks to come.
const RESERVED_BYTES: u64 = 128 << 20;

/// How long the thread waits for a table that is being made.
const PAUSE: Duration = Duration::from_millis(500);

/// How far conversion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OlderProgress {
    /// The lowest block of the line: those below are converted.
    pub top: u64,
    /// The lowest block after which the state is converted.
    pub low: u64,
    /// True while a thread goes on.
    pub is_under_way: bool,
}

/// Entries and states that one commit adds.
#[derive(Default)]
struct Part {
    entries: Vec<Entry>,
    states: Vec<(B256, u64)>,
    bytes: usize,
    /// Bytes from which on it is enough.
    limit: usize,
}

type Entry = (SmallVec<[u8; 72]>, SmallVec<[u8; 64]>);

enum Step {
    /// It goes on with the next commit.
    Done,
    /// The table stands for no state at present, or the mark has changed.
    Waits,
    /// The rest has no tries, or there is none.
    Ended,
}

impl StateStore {
    /// Has a thread convert states from before the line, of the branch that ends with the block `head`. It takes half of
    /// a core at most, and ends where nothing is left to convert; a later start goes on.
    pub fn start_conversion(self: &Arc<Self>, head: B256) {
        // A chain that begins has no states from before, and its table none that a thread would have to wait for.
        let has_older = matches!(self.ancestor(&head), Ok(Some(block)) if block.number > 0);
        if !has_older || !self.can_convert() || self.table.has_converter.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = Arc::downgrade(self);
        let thread = thread::Builder::new().name("state history".to_owned()).spawn(move || {
            loop {
                // Held for a step only: a store that everybody else has dropped is closed in between.
                let Some(store) = store.upgrade() else { break };
                let begun = Instant::now();
                let step = store.convert_step(head, BATCH_BYTES);
                if !matches!(step, Ok(Step::Done | Step::Waits)) || store.is_closed() {
                    store.table.has_converter.store(false, Ordering::Release);
                    break;
                }
                drop(store);
                thread::sleep(if matches!(step, Ok(Step::Waits)) { PAUSE } else { begun.elapsed().min(PAUSE) });
            }
        });
        if thread.is_err() {
            self.table.has_converter.store(false, Ordering::Release);
        }
    }

    /// Converts all of them on the calling thread, or what so many commits of so many bytes take. For tests and tools.
    pub fn convert(self: &Arc<Self>, head: B256, limits: Option<(usize, usize)>) -> Result<(), StateError> {
        let (mut left, bytes) = limits.unwrap_or((usize::MAX, BATCH_BYTES));
        while left > 0 && self.can_convert() && matches!(self.convert_step(head, bytes)?, Step::Done) {
            left -= 1;
        }
        Ok(())
    }

    /// How far it is; None where nothing is converted, and nothing was to be.
    pub fn older_progress(&self) -> Result<Option<OlderProgress>, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(None) };
        let mark = lmdb.transact(|transaction| lmdb.older_mark(transaction))?;
        let is_under_way = self.table.has_converter.load(Ordering::Acquire);
        Ok(mark.and_then(|mark| mark.ranges.first().copied()).map(|range| OlderProgress {
            top: range.top.number,
            low: range.low.number,
            is_under_way,
        }))
    }

    fn can_convert(&self) -> bool {
        self.table.is_writable && self.fork().is_none() && self.backend.lmdb().is_some_and(|lmdb| lmdb.older.is_some())
    }

    /// Root of the state after a block that has a trie; None where it is unknown or gone.
    pub(crate) fn stored_root_after(&self, block: &AncestorBlock) -> Result<Option<B256>, StateError> {
        let root = match self.root_after(block) {
            None => self.root_for(&block.hash)?,
            root => root,
        };
        Ok(match root {
            Some(root) if self.has_root(&root)? => Some(root),
            _ => None,
        })
    }

    fn convert_step(self: &Arc<Self>, head: B256, bytes: usize) -> Result<Step, StateError> {
        let Some((lmdb, older)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.older?))) else {
            return Ok(Step::Ended);
        };
        let Some(HeadMark::At(end)) = lmdb.head_mark()? else { return Ok(Step::Waits) };
        if end.base == 0 {
            // The line has all states that there were.
            return Ok(Step::Ended);
        }
        let stored = lmdb.transact(|transaction| lmdb.older_mark(transaction))?;
        let mut mark = stored.clone().unwrap_or_default();
        if mark.ranges.is_empty() {
            // The line gave up the state at which it met what is there.
            let _committing = self.committing.lock();
            if lmdb.clear_older(CLEARED_ROWS)? {
                return Ok(Step::Done);
            }
        }
        let meets = match mark.ranges.first() {
            Some(range) => self.is_from(lmdb, &end, &range.root)?,
            None => false,
        };
        if !meets {
            // The head may have moved since: that of the branch that is being extended comes first.
            let tip = self.window.read().tip().cloned();
            let mut range = None;
            for block in [tip, self.ancestor(&head)?].into_iter().flatten() {
                range = if range.is_none() { self.first_range(lmdb, &end, block)? } else { range };
            }
            let Some(range) = range else { return Ok(Step::Ended) };
            if mark.ranges.first().is_some_and(|below| below.top.number >= range.top.number) {
                mark = mark.forgotten();
            }
            mark.ranges.insert(0, range);
            mark.after.clear();
        }
        let generation = stored.as_ref().map_or(0, |mark| mark.generation);
        if lmdb.available_bytes()? < RESERVED_BYTES + 4 * BATCH_BYTES as u64 {
            return Ok(Step::Ended);
        }
        let mut part = Part { limit: bytes, ..Part::default() };
        let before = mark.clone();
        self.fill_part(&mut mark, &mut part)?;
        if mark == before && meets {
            return Ok(Step::Ended);
        }
        part.entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        // Commits of blocks wait for the writing alone.
        let _committing = self.committing.lock();
        let is_written = lmdb.change(|transaction| {
            let is_same = lmdb.older_mark(transaction)? == stored
                && matches!(lmdb.mark_in(transaction)?, Some(HeadMark::At(now)) if now.base == end.base);
            if !is_same {
                return Ok(false);
            }
            let OlderTables { entries, states } = older;
            if mark.generation != generation {
                entries.clear(transaction)?;
                states.clear(transaction)?;
            }
            for (key, value) in &part.entries {
                entries.put(transaction, key, value)?;
            }
            for (root, number) in &part.states {
                states.put(transaction, root.as_slice(), &number.to_be_bytes())?;
            }
            lmdb.put_older_mark(transaction, &mark)?;
            Ok(true)
        })?;
        Ok(if is_written { Step::Done } else { Step::Waits })
    }

    /// True when the line has a state.
    fn is_from(&self, lmdb: &Lmdb, end: &LineEnd, root: &B256) -> Result<bool, StateError> {
        lmdb.is_on_line(root).map(|is_on_line| is_on_line && end.base > 0)
    }

    /// A range of no blocks yet at the lowest block down from the head whose state the line has. None where the line does
    /// not have the head's, or has that of the first block.
    fn first_range(
        &self,
        lmdb: &Lmdb,
        end: &LineEnd,
        mut block: Arc<AncestorBlock>,
    ) -> Result<Option<OlderRange>, StateError> {
        let mut range = None;
        // Blocks that were connected and that the line on disk does not have yet.
        let mut above = 0;
        while let Some(root) = self.stored_root_after(&block)? {
            let name = BlockName { number: block.number, hash: block.hash };
            if self.is_from(lmdb, end, &root)? {
                range = Some(OlderRange { root, top: name, low: name });
            } else if range.is_some() || above == MAX_ABOVE {
                break;
            } else {
                above += 1;
            }
            let Some(parent) = parent_of(self, &block) else { break };
            block = parent;
        }
        Ok(range.filter(|range| range.low.number > 0))
    }

    /// Compares blocks until there is enough for a commit, and moves the mark behind them.
    fn fill_part(self: &Arc<Self>, mark: &mut OlderMark, part: &mut Part) -> Result<(), StateError> {
        for _ in 0..MAX_BLOCKS {
            let Some(range) = mark.ranges.first().copied() else { return Ok(()) };
            let Some(block) = self.ancestor(&range.low.hash)? else { return Ok(()) };
            let Some(to) = self.stored_root_after(&block)? else { return Ok(()) };
            if let Some(below) = mark.ranges.get(1).copied().filter(|below| below.top.number == range.low.number) {
                if below.top.hash == range.low.hash && below.root == to {
                    // What an earlier conversion had is right for this line, too.
                    mark.ranges.remove(1);
                    mark.ranges[0].low = below.low;
                } else {
                    // It belongs to a branch that the head has left.
                    *mark = mark.forgotten();
                    mark.ranges.push(OlderRange { low: range.top, ..range });
                    *part = Part { limit: part.limit, ..Part::default() };
                }
                continue;
            }
            let Some(parent) = parent_of(self, &block) else { return Ok(()) };
            let Some(from) = self.stored_root_after(&parent)? else { return Ok(()) };
            match self.compare_blocks(from, to, &mark.after, block.number, part)? {
                Some(after) => {
                    mark.after = after;
                    return Ok(());
                }
                None => {
                    mark.after.clear();
                    mark.ranges[0].low = BlockName { number: parent.number, hash: parent.hash };
                    part.states.push((from, parent.number));
                }
            }
            if part.bytes >= part.limit || self.is_closed() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Adds what a block changed, behind a key of the trie. The last key where there is enough before the end.
    fn compare_blocks(
        self: &Arc<Self>,
        from: B256,
        to: B256,
        after: &[u8],
        number: u64,
        part: &mut Part,
    ) -> Result<Option<Vec<u8>>, StateError> {
        let source = Arc::new(UncachedNodes::new(self.clone()));
        let (old, new) = (Trie::at(source.clone(), from), Trie::at(source, to));
        let mut last = None;
        let after = (!after.is_empty()).then_some(after);
        old.differences(&new, after, &mut |key, before, _| {
            let (account, item) = item_of(key)
                .ok_or_else(|| StateError::Corrupt { hash: to, reason: "it has a key that no state has".to_owned() })?;
            let value = encode_value(&item_value(&old, item, before)?);
            let key_of = entry_key(&item_prefix(&account, item), number);
            part.bytes += key_of.len() + value.len();
            part.entries.push((key_of, value));
            if part.bytes < part.limit {
                return Ok(ControlFlow::Continue(()));
            }
            last = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(last)
    }
}
