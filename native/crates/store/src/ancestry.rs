//! Walking up from a block. The branch that is being extended is held as a window indexed by number, so blocks on it
//! reach any depth in one step. Other branches are walked parent by parent until they meet it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rhizome_primitives::block::{AncestorBlock, Ancestry};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::ancestor_codec::{decode_ancestor, encode_ancestor};
use crate::fork::ForkBranch;
use crate::state_store::StateStore;

/// Blocks held. REMASC reads 4,000 + span blocks back and the BlockHeader contract 4,000; the rest is
/// some more for reorganisations. About 1 KiB each.
const WINDOW: usize = 8192;

/// Blocks walked to connect a new tip with the window before starting a new one.
const MAX_REBASE_BLOCKS: usize = 1024;

/// A run of blocks in which each is the parent of the next.
#[derive(Default)]
pub(crate) struct Window(VecDeque<Arc<AncestorBlock>>);

impl Window {
    /// The block of that number on this branch, if it is inside.
    pub(crate) fn at(&self, number: u64) -> Option<&Arc<AncestorBlock>> {
        let lowest = self.0.front()?.number;
        self.0.get(usize::try_from(number.checked_sub(lowest)?).ok()?)
    }

    pub(crate) fn contains(&self, block: &AncestorBlock) -> bool {
        self.at(block.number).is_some_and(|inside| inside.hash == block.hash)
    }

    /// Adds a block if it follows the tip.
    pub(crate) fn extend(&mut self, block: Arc<AncestorBlock>) {
        let follows = |tip: &Arc<AncestorBlock>| tip.hash == block.parent_hash && tip.number + 1 == block.number;
        if self.0.back().is_some_and(follows) {
            self.0.push_back(block);
            if self.0.len() > WINDOW {
                self.0.pop_front();
            }
        }
    }

    /// Adds the parent of the lowest block, where the window is not full.
    pub(crate) fn extend_down(&mut self, parent: Arc<AncestorBlock>) {
        if self.lowest().is_some_and(|lowest| lowest.parent_hash == parent.hash) {
            self.0.push_front(parent);
        }
    }

    /// Moves the window to the branch of `tip`, unless it is there already or `tip` is lower than the present tip. A
    /// window whose lowest block is a child of `tip` has it, too, from then on.
    pub(crate) fn rebase(&mut self, store: &StateStore, tip: &Arc<AncestorBlock>) {
        self.extend_down(tip.clone());
        if self.contains(tip) || self.0.back().is_some_and(|present| present.number > tip.number) {
            return;
        }
        let mut branch = vec![tip.clone()];
        while let Some(lowest) = branch.last() {
            let parent = lowest.number.checked_sub(1).and_then(|number| self.at(number));
            if let Some(parent) = parent.filter(|parent| parent.hash == lowest.parent_hash) {
                let keep = parent.number - self.0[0].number + 1;
                self.0.truncate(keep as usize);
                branch.into_iter().rev().for_each(|block| self.extend(block));
                return;
            }
            let inside = self.0.front().is_some_and(|front| front.number < lowest.number);
            match parent_of(store, lowest).filter(|_| inside && branch.len() < MAX_REBASE_BLOCKS) {
                Some(parent) => branch.push(parent),
                None => break,
            }
        }
        self.0 = branch.into_iter().rev().collect();
    }

    /// The highest block.
    pub(crate) fn tip(&self) -> Option<&Arc<AncestorBlock>> {
        self.0.back()
    }

    /// The lowest block, where the window takes more below it.
    pub(crate) fn lowest(&self) -> Option<&Arc<AncestorBlock>> {
        self.0.front().filter(|_| self.0.len() < WINDOW)
    }

    /// Extends the window down to `number`, until it is full.
    pub(crate) fn reach_down(&mut self, store: &StateStore, number: u64) {
        while self.0.len() < WINDOW
            && let Some(lowest) = self.0.front().filter(|lowest| lowest.number > number)
            && let Some(parent) = parent_of(store, lowest)
        {
            self.0.push_front(parent);
        }
    }
}

/// The stored parent; None past genesis, when it is unknown, or when the store contradicts itself.
pub(crate) fn parent_of(store: &StateStore, block: &AncestorBlock) -> Option<Arc<AncestorBlock>> {
    stored_parent(store, block).ok().flatten()
}

/// The stored parent; None past genesis. Every connected block has its ancestors in the store, so one that is not
/// there, or has another number, is damage.
fn stored_parent(store: &StateStore, block: &AncestorBlock) -> Result<Option<Arc<AncestorBlock>>, StateError> {
    let Some(number) = block.number.checked_sub(1) else { return Ok(None) };
    let corrupt = |reason: String| StateError::Corrupt { hash: block.parent_hash, reason };
    let parent = store.ancestor(&block.parent_hash)?;
    let parent = parent.ok_or_else(|| corrupt(format!("ancestor block {number} is not there")))?;
    if parent.number == number {
        Ok(Some(parent))
    } else {
        Err(corrupt(format!("ancestor block {number} has the number {}", parent.number)))
    }
}

impl StateStore {
    /// Keeps the metadata of a connected block. Durable with the next commit.
    pub fn put_ancestor(&self, block: AncestorBlock) {
        let encoded = Bytes::from(encode_ancestor(&block));
        self.pending.add(|batch| {
            batch.ancestors.insert(block.hash, encoded);
        });
        self.window.write().extend(Arc::new(block));
    }

    /// The metadata of a block that was put before.
    pub fn ancestor(&self, hash: &B256) -> Result<Option<Arc<AncestorBlock>>, StateError> {
        let encoded = match self.pending.get(|batch| batch.ancestors.get(hash).cloned()) {
            Some(encoded) => Some(encoded),
            None => self.backend.ancestor(hash)?,
        };
        encoded.map(|encoded| decode_ancestor(hash, &encoded).map(Arc::new)).transpose()
    }

    /// The branch that ends with the block `parent_hash`, for executing a block on top of it. On the branch that was
    /// used last, any depth takes constant time, even thousands of blocks down.
    pub fn ancestry(self: &Arc<Self>, parent_hash: B256) -> Arc<dyn Ancestry> {
        let below = BranchBelow::new(self.clone(), parent_hash);
        match self.fork() {
            None => Arc::new(below),
            Some(fork) => Arc::new(ForkBranch::new(fork.clone(), below, &parent_hash)),
        }
    }
}

/// The branch that ends with one block.
pub(crate) struct BranchBelow {
    store: Arc<StateStore>,
    parent: Option<Arc<AncestorBlock>>,
    /// Blocks from the parent down that are outside the window, as far as they were walked.
    aside: Mutex<Vec<Arc<AncestorBlock>>>,
    failure: Mutex<Option<StateError>>,
}

impl BranchBelow {
    pub(crate) fn new(store: Arc<StateStore>, parent_hash: B256) -> Self {
        let tip = store.window.read().0.back().filter(|tip| tip.hash == parent_hash).cloned();
        let parent = tip.or_else(|| store.ancestor(&parent_hash).ok().flatten());
        if let Some(parent) = &parent {
            store.window.write().rebase(&store, parent);
        }
        Self { store, parent, aside: Mutex::default(), failure: Mutex::default() }
    }

    /// The stored parent. Keeps the reason why there is none.
    fn parent(&self, block: &AncestorBlock) -> Option<Arc<AncestorBlock>> {
        stored_parent(&self.store, block).unwrap_or_else(|error| {
            *self.failure.lock() = Some(error);
            None
        })
    }

    /// The ancestor of `base` with that number, when `base` is in the window.
    fn in_window(&self, base: &AncestorBlock, number: u64) -> Option<Option<Arc<AncestorBlock>>> {
        let window = self.store.window.read();
        if !window.contains(base) {
            return None;
        }
        if let Some(block) = window.at(number) {
            return Some(Some(block.clone()));
        }
        drop(window);
        let mut window = self.store.window.write();
        // The window may have been rebased meanwhile.
        if !window.contains(base) {
            return None;
        }
        window.reach_down(&self.store, number);
        let mut block = window.0.front()?.clone();
        if let Some(inside) = window.at(number) {
            return Some(Some(inside.clone()));
        }
        drop(window);
        while block.number > number {
            match self.parent(&block) {
                Some(parent) => block = parent,
                None => return Some(None),
            }
        }
        Some(Some(block))
    }
}

impl Ancestry for BranchBelow {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        let parent = self.parent.as_ref()?;
        let number = parent.number.checked_sub(depth)?;
        if number == parent.number {
            return Some(parent.clone());
        }
        if let Some(answer) = self.in_window(parent, number) {
            return answer;
        }
        let mut aside = self.aside.lock();
        loop {
            if let Some(block) = aside.get(usize::try_from(depth).ok()?.checked_sub(1)?) {
                return Some(block.clone());
            }
            let lowest = aside.last().unwrap_or(parent);
            if let Some(answer) = self.in_window(lowest, number) {
                return answer;
            }
            let above = self.parent(lowest)?;
            aside.push(above);
        }
    }

    fn failure(&self) -> Option<StateError> {
        self.failure.lock().clone()
    }
}

/// The branch that ends with one block, as far as it is in memory or quickly read. For threads that must not wait for
/// the disk.
pub struct MemoryBranch {
    store: Arc<StateStore>,
    /// Hash and number of the parent; None below genesis.
    parent: Option<(B256, u64)>,
    has_missed: AtomicBool,
}

impl StateStore {
    /// Like [`Self::ancestry`], for the block `number` on top of `parent_hash`, without the disk.
    pub fn memory_ancestry(self: &Arc<Self>, parent_hash: B256, number: u64) -> MemoryBranch {
        let parent = number.checked_sub(1).map(|number| (parent_hash, number));
        MemoryBranch { store: self.clone(), parent, has_missed: AtomicBool::new(false) }
    }

    /// The metadata of a block for threads that must not wait for the disk: None also while they leave it alone.
    pub fn ancestor_at_once(&self, hash: &B256) -> Option<Arc<AncestorBlock>> {
        self.table.unless_paused(|| self.ancestor(hash)).ok().flatten()
    }
}

impl MemoryBranch {
    /// True when, since the last call, a block was requested that could not be given but may be on disk. It was reported
    /// as unknown, so results that depend on it are wrong.
    pub fn take_missed(&self) -> bool {
        self.has_missed.swap(false, Ordering::Relaxed)
    }

    /// The block of a height if it is in the window, and the parent as well.
    fn in_window(&self, (hash, tip): (B256, u64), number: u64) -> Option<Arc<AncestorBlock>> {
        let window = self.store.window.read();
        let is_inside = window.at(tip).is_some_and(|parent| parent.hash == hash);
        window.at(number).filter(|_| is_inside).cloned()
    }

    /// Hash of the block of a height that is below the window.
    fn deep_hash(&self, parent: (B256, u64), number: u64) -> Option<B256> {
        if number == parent.1 { Some(parent.0) } else { self.store.deep_hash(parent, number) }
    }

    /// The found block; a block that was not found is remembered.
    fn noted<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.has_missed.store(true, Ordering::Relaxed);
        }
        found
    }
}

impl Ancestry for MemoryBranch {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        let parent = self.parent?;
        let number = parent.1.checked_sub(depth)?;
        let found = self.in_window(parent, number).or_else(|| {
            let hash = self.deep_hash(parent, number)?;
            self.store.ancestor_at_once(&hash)
        });
        self.noted(found)
    }

    fn ancestor_hash(&self, depth: u64) -> Option<B256> {
        let parent = self.parent?;
        let number = parent.1.checked_sub(depth)?;
        let found = self.in_window(parent, number).map(|block| block.hash);
        self.noted(found.or_else(|| self.deep_hash(parent, number)))
    }
}
