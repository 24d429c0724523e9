//! The blocks below a head by their numbers, for threads that must not wait for the disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use rhizome_primitives::B256;
use rhizome_primitives::block::AncestorBlock;

use crate::ancestry::parent_of;
use crate::deep_blocks::DeepBlock;
use crate::state_store::StateStore;

/// Blocks of the head's branch that are held for it alone, above where it leaves the window.
const MAX_ASIDE: usize = 64;

/// Blocks that are read at a time when the window is filled.
const FILL_STEP: u64 = 64;

/// The branch that ends with one head. It holds no blocks but those that the shared window has not.
pub struct HeadBranch {
    store: Arc<StateStore>,
    head: Arc<AncestorBlock>,
    /// Ancestors of the head down to the first that was in the window; none where the head is itself.
    aside: Vec<Arc<AncestorBlock>>,
}

impl HeadBranch {
    /// The head.
    pub fn head(&self) -> &Arc<AncestorBlock> {
        &self.head
    }

    /// The block of a height at or below the head, if it is in memory. None also when the window has meanwhile left
    /// the branch.
    pub fn at(&self, number: u64) -> Option<Arc<AncestorBlock>> {
        let depth = usize::try_from(self.head.number.checked_sub(number)?).ok()?;
        if depth == 0 {
            return Some(self.head.clone());
        }
        if let Some(block) = self.aside.get(depth - 1) {
            return Some(block.clone());
        }
        let window = self.store.window.read();
        let is_below = window.contains(self.aside.last().unwrap_or(&self.head));
        window.at(number).filter(|_| is_below).cloned()
    }

    /// Hash of the block of a height at or below the head, and root of the state after it, as users edited it. None for a
    /// block that is neither in memory nor quickly read.
    pub fn name_at(&self, number: u64) -> Option<DeepBlock> {
        if let Some(block) = self.at(number) {
            return Some(DeepBlock { hash: block.hash, root: self.root_after(&block) });
        }
        let is_below = self.store.window.read().contains(self.aside.last().unwrap_or(&self.head));
        // What left the window is below every block of it.
        let depth = self.head.number.checked_sub(number)?;
        if !is_below || depth <= self.aside.len() as u64 {
            return None;
        }
        let block = self.store.deep_block(number)?;
        Some(DeepBlock { hash: block.hash, root: self.store.edited_root(&block.hash).or(block.root) })
    }

    /// True when a block of that height is known to be on the branch.
    pub fn has(&self, hash: B256, number: u64) -> bool {
        self.at(number).is_some_and(|block| block.hash == hash)
    }

    /// The block of a hash, on this branch or not. None for one that is neither in memory nor quickly read.
    pub fn block_of(&self, hash: B256, number: u64) -> Option<Arc<AncestorBlock>> {
        let in_memory = self.at(number).filter(|block| block.hash == hash);
        in_memory.or_else(|| self.store.ancestor_at_once(&hash))
    }

    /// Height of the block of a hash, on this branch or not. None as for [`Self::block_of`].
    pub fn number_of(&self, hash: B256) -> Option<u64> {
        if self.head.hash == hash {
            return Some(self.head.number);
        }
        self.store.ancestor_at_once(&hash).map(|block| block.number)
    }

    /// Root of the state after a block, as users edited it; None when it is not in memory.
    pub fn root_after(&self, block: &AncestorBlock) -> Option<B256> {
        self.store.root_after(block)
    }
}

impl StateStore {
    /// The branch that ends with a block; None when the block is unknown. Reads the block, and its ancestors down to
    /// those in memory.
    pub fn head_branch(self: &Arc<Self>, hash: B256) -> Option<HeadBranch> {
        let head = self.recent_block(hash)?;
        if !self.window.read().contains(&head) {
            self.window.write().rebase(self, &head);
        }
        self.start_deep_blocks();
        let mut aside = Vec::new();
        let mut lowest = head.clone();
        while !self.window.read().contains(&lowest) && aside.len() < MAX_ASIDE {
            let Some(parent) = parent_of(self, &lowest) else { break };
            aside.push(parent.clone());
            lowest = parent;
        }
        Some(HeadBranch { store: self.clone(), head, aside })
    }

    /// A connected block, which costs no read when it is the last one of the branch that is being extended.
    pub fn recent_block(&self, hash: B256) -> Option<Arc<AncestorBlock>> {
        let tip = self.window.read().tip().filter(|tip| tip.hash == hash).cloned();
        tip.or_else(|| self.ancestor(&hash).ok().flatten())
    }

    /// Root of the state after a block, as users edited it; None when it is not known from the block alone.
    pub fn root_after(&self, block: &AncestorBlock) -> Option<B256> {
        self.edited_root(&block.hash).or(block.state_root)
    }

    /// Has a thread read the blocks below those in memory, as many as are held, once in the life of the store: the
    /// branch is extended at its tip from then on.
    pub fn fill_window(self: &Arc<Self>) {
        if self.window.read().lowest().is_none_or(|lowest| lowest.number == 0)
            || self.is_filled.swap(true, Ordering::Relaxed)
        {
            return;
        }
        let store = Arc::downgrade(self);
        thread::spawn(move || {
            // The store may be closed meanwhile: its reads fail then, and this ends.
            while let Some(store) = store.upgrade() {
                if !store.fill_step() {
                    // Those below can be added from now on, and the head may stay where it is.
                    store.start_deep_blocks();
                    break;
                }
            }
        });
    }

    /// Reads some more blocks; false when there are none, or the window is full. Others may use the window meanwhile.
    fn fill_step(&self) -> bool {
        let Some(lowest) = self.window.read().lowest().cloned() else { return false };
        let mut blocks: Vec<Arc<AncestorBlock>> = Vec::new();
        while blocks.len() < FILL_STEP as usize
            && let Some(parent) = parent_of(self, blocks.last().unwrap_or(&lowest))
        {
            blocks.push(parent);
        }
        let is_end = blocks.len() < FILL_STEP as usize;
        let mut window = self.window.write();
        blocks.into_iter().for_each(|block| window.extend_down(block));
        !is_end
    }
}
