//! Blocks of the head's branch that are too deep to be held in memory, by their numbers: `numbers` has hash and root of the
//! state after each. A thread adds what leaves the window, and begins with the newest of them, so that the first fill of a
//! long chain is of use before it ends. It is never asked for blocks that may still leave the branch unless they left the
//! window, too: then what differs is written again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use heed::RwTxn;
use parking_lot::{Mutex, RwLock};
use rhizome_primitives::B256;
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::StateError;

use crate::ancestry::parent_of;
use crate::lmdb::{Lmdb, Table};
use crate::lmdb_head::damaged;
use crate::state_store::StateStore;

/// Key of the mark in the table of metadata.
const MARK: &[u8] = b"numbers";

/// Blocks below the head that are not added yet.
const DEPTH: u64 = 4_096;

/// Blocks that wait until a thread adds them.
const MIN_BLOCKS: u64 = if cfg!(test) { 8 } else { 1_024 };

/// Blocks that one commit adds.
const BATCH: u64 = if cfg!(test) { 5 } else { 10_000 };

/// Blocks that the table has: from `low` to `top`, which has this hash. With an earlier range below, whose blocks are
/// still to be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeepRange {
    pub(crate) top: u64,
    pub(crate) hash: B256,
    low: u64,
    earlier: Option<(u64, u64)>,
}

impl DeepRange {
    fn encode(&self) -> Vec<u8> {
        let mut out = [&self.top.to_be_bytes()[..], self.hash.as_slice(), &self.low.to_be_bytes()].concat();
        if let Some((top, low)) = self.earlier {
            out.extend_from_slice(&top.to_be_bytes());
            out.extend_from_slice(&low.to_be_bytes());
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (top, rest) = bytes.split_first_chunk()?;
        let (hash, rest) = rest.split_at_checked(32)?;
        let (low, rest) = rest.split_first_chunk()?;
        let earlier = match rest.split_first_chunk() {
            None => None,
            Some((top, low)) => Some((u64::from_be_bytes(*top), u64::from_be_bytes(low.try_into().ok()?))),
        };
        let (top, low) = (u64::from_be_bytes(*top), u64::from_be_bytes(*low));
        Some(Self { top, hash: B256::from_slice(hash), low, earlier })
    }

    /// True when the table has a block of that height on the branch of the range.
    pub(crate) fn has(&self, number: u64) -> bool {
        (self.low..=self.top).contains(&number)
    }
}

/// Deep blocks of a store.
#[derive(Default)]
pub(crate) struct DeepBlocks {
    /// Those that the table has.
    pub(crate) range: RwLock<Option<DeepRange>>,
    /// The lowest one that there is, once it was met.
    end: RwLock<Option<u64>>,
    /// Held for one commit.
    stepping: Mutex<()>,
    /// True while a thread adds some.
    has_thread: AtomicBool,
}

/// Hash of a block, and root of the state after it where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepBlock {
    /// Its hash.
    pub hash: B256,
    /// See above; without edits by users.
    pub root: Option<B256>,
}

/// A block that is known by both.
struct DeepName {
    hash: B256,
    number: u64,
}

fn decode_block(bytes: &[u8]) -> Option<DeepBlock> {
    let (hash, root) = bytes.split_at_checked(32)?;
    let root = B256::try_from(root).ok()?;
    Some(DeepBlock { hash: B256::from_slice(hash), root: (root != B256::ZERO).then_some(root) })
}

impl StateStore {
    /// The block of a height below the window, on the branch of a block of the window. None where the table does not have
    /// it, and while reads must not wait for the disk.
    pub(crate) fn deep_block(&self, number: u64) -> Option<DeepBlock> {
        let lmdb = self.backend.lmdb()?;
        let table = lmdb.numbers?;
        let range = (*self.deep.range.read())?;
        let is_below = self.window.read().at(range.top).is_some_and(|block| block.hash == range.hash);
        if !is_below || !range.has(number) {
            return None;
        }
        let read = || {
            lmdb.transact(|transaction| {
                let found = table.get(transaction, &number.to_be_bytes())?;
                found.map(|bytes| decode_block(bytes).ok_or_else(damaged)).transpose()
            })
        };
        self.table.unless_paused(read).ok().flatten()
    }

    /// Hash of the block of a height below the window, on the branch that ends with a block of the window or of the
    /// table. None as for [`Self::deep_block`].
    pub(crate) fn deep_hash(&self, (tip, top): (B256, u64), number: u64) -> Option<B256> {
        let lmdb = self.backend.lmdb()?;
        let table = lmdb.numbers?;
        let range = (*self.deep.range.read())?;
        // Rows are those of the branch if this one is, too: another branch is written from its top down.
        let anchor = {
            let window = self.window.read();
            window.at(range.top).filter(|block| block.hash == range.hash)?;
            let is_tip_inside = window.at(top).is_some_and(|block| block.hash == tip);
            if is_tip_inside {
                DeepName { hash: range.hash, number: range.top }
            } else {
                DeepName { hash: tip, number: top }
            }
        };
        if number > top || !range.has(number) || !range.has(anchor.number) {
            return None;
        }
        let read = || {
            lmdb.transact(|transaction| {
                let hash_at = |number: u64| -> heed::Result<Option<B256>> {
                    let found = table.get(transaction, &number.to_be_bytes())?;
                    found.map(|bytes| decode_block(bytes).map(|block| block.hash).ok_or_else(damaged)).transpose()
                };
                if hash_at(anchor.number)? == Some(anchor.hash) { hash_at(number) } else { Ok(None) }
            })
        };
        self.table.unless_paused(read).ok().flatten()
    }

    /// Has a thread add blocks that the table does not have yet, where there are many.
    pub(crate) fn start_deep_blocks(self: &Arc<Self>) {
        if self.deep_target().is_none() || self.deep.has_thread.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = Arc::downgrade(self);
        let thread = thread::Builder::new().name("state numbers".to_owned()).spawn(move || {
            // Held for a step only: a store that everybody else has dropped is closed in between.
            while let Some(store) = store.upgrade() {
                if !store.deep_step().unwrap_or(false) {
                    store.deep.has_thread.store(false, Ordering::Release);
                    break;
                }
            }
        });
        if thread.is_err() {
            self.deep.has_thread.store(false, Ordering::Release);
        }
    }

    /// Adds all of them on the calling thread, for tests and tools.
    pub fn settle_deep_blocks(&self) -> Result<(), StateError> {
        while self.deep_step()? {}
        Ok(())
    }

    /// The block from which on down the table is to have them, where it lacks many.
    fn deep_target(&self) -> Option<Arc<AncestorBlock>> {
        let lmdb = self.backend.lmdb().filter(|lmdb| lmdb.numbers.is_some() && lmdb.is_writable)?;
        if self.fork().is_some() || lmdb.is_closed() {
            return None;
        }
        let window = self.window.read();
        let target = window.at(window.tip()?.number.checked_sub(DEPTH)?)?.clone();
        let range = *self.deep.range.read();
        let lacks = range.is_none_or(|range| {
            let is_below = window.at(range.top).is_some_and(|block| block.hash == range.hash);
            !is_below || range.low > 0 && !self.is_deep_end(&range) || range.top + MIN_BLOCKS <= target.number
        });
        lacks.then_some(target)
    }

    /// True when the table has the lowest block that is known.
    fn is_deep_end(&self, range: &DeepRange) -> bool {
        *self.deep.end.read() == Some(range.low)
    }

    /// One commit. False when there is nothing to add.
    fn deep_step(&self) -> Result<bool, StateError> {
        let _stepping = self.deep.stepping.lock();
        let Some(target) = self.deep_target() else { return Ok(false) };
        let Some((lmdb, table)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.numbers?))) else {
            return Ok(false);
        };
        let stored = lmdb.deep_range()?;
        let is_below =
            |range: &DeepRange| self.window.read().at(range.top).is_some_and(|block| block.hash == range.hash);
        // A range that ends on the branch goes on downwards before a new one begins above it.
        let mut range = match stored.filter(|range| is_below(range)) {
            Some(range) if range.low > 0 && !self.is_deep_end(&range) => range,
            _ => DeepRange {
                top: target.number,
                hash: target.hash,
                low: target.number + 1,
                earlier: stored.map(|range| (range.top, range.low)),
            },
        };
        let mut next = if range.low > range.top {
            Some(target)
        } else {
            let lowest = lmdb.transact(|transaction| {
                table
                    .get(transaction, &range.low.to_be_bytes())?
                    .map_or(Ok(None), |bytes| decode_block(bytes).map(Some).ok_or_else(damaged))
            })?;
            let lowest = lowest.map_or(Ok(None), |block| self.ancestor(&block.hash))?;
            lowest.and_then(|block| parent_of(self, &block))
        };
        let mut blocks = Vec::new();
        while let Some(block) = next.take() {
            if let Some((top, low)) = range.earlier.filter(|(top, low)| (*low..=*top).contains(&block.number)) {
                let known = lmdb.transact(|transaction| {
                    Ok(table.get(transaction, &block.number.to_be_bytes())?.and_then(decode_block))
                })?;
                if known.is_some_and(|known| known.hash == block.hash) {
                    // What is below was added before.
                    debug_assert!(block.number <= top);
                    range.low = low;
                    range.earlier = None;
                    break;
                }
            }
            let root = match block.state_root {
                None => self.root_for(&block.hash)?,
                root => root,
            };
            range.low = block.number;
            blocks.push((block.number, DeepBlock { hash: block.hash, root }));
            if blocks.len() as u64 == BATCH {
                break;
            }
            next = parent_of(self, &block);
            if next.is_none() {
                *self.deep.end.write() = Some(block.number);
            }
        }
        if blocks.is_empty() && stored == Some(range) {
            *self.deep.end.write() = Some(range.low);
            return Ok(false);
        }
        let _committing = self.committing.lock();
        lmdb.put_deep_blocks(table, &blocks, &range)?;
        *self.deep.range.write() = Some(range);
        Ok(true)
    }
}

impl Lmdb {
    /// The blocks that the table has.
    pub(crate) fn deep_range(&self) -> Result<Option<DeepRange>, StateError> {
        self.transact(|transaction| Ok(self.meta.get(transaction, MARK)?.and_then(DeepRange::decode)))
    }

    fn put_deep_blocks(&self, table: Table, blocks: &[(u64, DeepBlock)], range: &DeepRange) -> Result<(), StateError> {
        self.change(|transaction: &mut RwTxn<'_>| {
            // Upwards, so that neighbours share the pages that are written.
            for (number, DeepBlock { hash, root }) in blocks.iter().rev() {
                let row = [hash.as_slice(), root.unwrap_or_default().as_slice()].concat();
                table.put(transaction, &number.to_be_bytes(), &row)?;
            }
            self.meta.put(transaction, MARK, &range.encode())
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::U256;

    use super::*;
    use crate::options::StoreOptions;

    fn name(branch: u64, number: u64) -> B256 {
        B256::from(U256::from(branch) << 64 | U256::from(number) | U256::from(1) << 200)
    }

    /// Connects blocks of a branch that leaves that of the number below at a height.
    fn connect(store: &Arc<StateStore>, branch: u64, leaves_at: u64, numbers: std::ops::Range<u64>) {
        for number in numbers {
            let hash = |number: u64| name(if number < leaves_at { branch - 1 } else { branch }, number);
            let parent_hash = if number == 0 { B256::ZERO } else { hash(number - 1) };
            if number > 0 {
                store.ancestry(parent_hash);
            }
            store.put_ancestor(AncestorBlock {
                state_root: Some(root(hash(number))),
                ..rhizome_testing::ancestor(hash(number), parent_hash, number)
            });
        }
        store.commit().unwrap();
    }

    fn root(hash: B256) -> B256 {
        rhizome_trie::keccak256(hash.as_slice())
    }

    /// Every block of a branch is named at its head.
    fn check(store: &Arc<StateStore>, head: u64, hash: impl Fn(u64) -> B256) {
        let branch = store.head_branch(hash(head)).unwrap();
        store.settle_deep_blocks().unwrap();
        for number in 0..=head {
            let expected = DeepBlock { hash: hash(number), root: Some(root(hash(number))) };
            assert_eq!(branch.name_at(number), Some(expected), "{number} of {head}");
        }
        assert_eq!(branch.name_at(head + 1), None);
    }

    fn fill(store: &Arc<StateStore>, head: u64) {
        store.fill_window();
        while store.window.read().at(head - 8_000).is_none() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn each_block_below_a_head_has_its_name_however_deep_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let open = || StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let store = open();
        // The window has 8,192 blocks.
        connect(&store, 1, 0, 0..8_300);
        let main = |number: u64| name(1, number);
        check(&store, 8_299, main);
        connect(&store, 1, 0, 8_300..8_330);
        check(&store, 8_329, main);
        store.close();
        let store = open();
        let branch = store.head_branch(main(8_329)).unwrap();
        // The window is not filled yet.
        assert_eq!(branch.name_at(5), None);
        fill(&store, 8_329);
        check(&store, 8_329, main);
        // What the table has leaves the branch.
        connect(&store, 2, 4_100, 4_100..8_400);
        store.close();
        let store = open();
        let joined = |number: u64| if number < 4_100 { main(number) } else { name(2, number) };
        store.head_branch(joined(8_399)).unwrap();
        fill(&store, 8_399);
        check(&store, 8_399, joined);
        store.close();
    }
}
