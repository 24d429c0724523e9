//! Decoded accounts and cells of the head state, so that the usual read costs one lookup instead of a walk down the
//! trie and two hashes for the key.
//!
//! Every change of the head starts a new generation. A shard belongs to exactly one generation, and a reader only uses
//! shards of the generation that it was made for, so it never sees a value of another root, not even while the head is
//! changing.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use parking_lot::{Mutex, RwLock};
use rhizome_cache::ClockCache;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{B256, Bytes, U256};

/// Shards; see [`crate::node_cache`].
const SHARDS: usize = 64;

/// Key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HeadKey {
    Account(AccountRef),
    Code(AccountRef),
    Marker(AccountRef),
    Cell(AccountRef, U256),
}

impl HeadKey {
    fn account(&self) -> &AccountRef {
        match self {
            Self::Account(account) | Self::Code(account) | Self::Marker(account) | Self::Cell(account, _) => account,
        }
    }
}

/// Value of an entry; absence is cached, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadValue {
    Account(Option<Account>),
    Code(Option<(B256, u32)>),
    Marker(bool),
    Cell(Option<Bytes>),
}

impl HeadValue {
    /// A cell with bytes of its own, not a slice that would hold a whole node in memory.
    pub(crate) fn cell(value: Option<&Bytes>) -> Self {
        Self::Cell(value.filter(|value| !value.is_empty()).map(|value| Bytes::copy_from_slice(value)))
    }

    fn weight(&self) -> usize {
        if let Self::Cell(Some(bytes)) = self { bytes.len() } else { 0 }
    }
}

/// Names one state of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Generation(u64);

/// Accounts that were deleted and are remembered; beyond, all entries are dropped.
const MAX_DELETED: usize = 1_024;

/// A key, and how often its account had been deleted when the entry was made. Entries of before are never found again,
/// and age out: a contract may have as many as there is room for, and to drop them would take the commit's time.
type EntryKey = (HeadKey, u32);

struct Shard {
    generation: Generation,
    entries: ClockCache<EntryKey, HeadValue>,
    /// How often accounts were deleted since the entries were dropped last.
    deletions: HashMap<AccountRef, u32, RandomState>,
}

impl Shard {
    fn key(&self, key: HeadKey) -> EntryKey {
        let deletions = if self.deletions.is_empty() { None } else { self.deletions.get(key.account()) };
        (key, deletions.copied().unwrap_or_default())
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.deletions.clear();
    }

    fn delete(&mut self, accounts: &[AccountRef]) {
        if self.deletions.len() + accounts.len() > MAX_DELETED {
            return self.clear();
        }
        for account in accounts {
            *self.deletions.entry(*account).or_default() += 1;
        }
    }
}

pub(crate) struct HeadCache {
    shards: Box<[RwLock<Shard>]>,
    head: RwLock<(Option<B256>, Generation)>,
    /// Held during a whole change of the head: changes do not overlap.
    moving: Mutex<()>,
    hasher: RandomState,
}

impl HeadCache {
    pub(crate) fn new(limit: usize) -> Self {
        let generation = Generation(0);
        let shard = || {
            let entries = ClockCache::new(limit / SHARDS);
            RwLock::new(Shard { generation, entries, deletions: HashMap::default() })
        };
        Self {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            head: RwLock::new((None, generation)),
            moving: Mutex::new(()),
            hasher: RandomState::default(),
        }
    }

    /// The generation that stands for a root; None when the root is not the head's.
    pub(crate) fn generation_of(&self, root: &B256) -> Option<Generation> {
        let (head, generation) = *self.head.read();
        (head.as_ref() == Some(root)).then_some(generation)
    }

    /// Root of the head.
    pub(crate) fn root(&self) -> Option<B256> {
        self.head.read().0
    }

    fn shard(&self, key: &HeadKey) -> usize {
        self.hasher.hash_one(key) as usize % SHARDS
    }

    pub(crate) fn get(&self, generation: Generation, key: &HeadKey) -> Option<HeadValue> {
        let shard = self.shards[self.shard(key)].read();
        if shard.generation == generation { shard.entries.get(&shard.key(*key)).cloned() } else { None }
    }

    /// Adds values that were read from the trie under the root of that generation. They are dropped when the head has
    /// changed.
    pub(crate) fn fill(&self, generation: Generation, key: HeadKey, value: HeadValue) {
        let mut shard = self.shards[self.shard(&key)].write();
        if shard.generation == generation {
            let (key, weight) = (shard.key(key), value.weight());
            shard.entries.insert(key, value, weight);
        }
    }

    /// Changes the head. With the changes that lead from the present head's root (`parent`) to `root`, the entries are
    /// carried over; otherwise they are dropped.
    pub(crate) fn move_to(&self, root: B256, change: Option<(&B256, &WriteSet)>) {
        let _moving = self.moving.lock();
        let (head, old) = *self.head.read();
        if head == Some(root) {
            return;
        }
        let next = Generation(old.0 + 1);
        let change = change.filter(|(parent, _)| head.as_ref() == Some(*parent)).map(|(_, change)| change);
        let mut updates = self.updates(change);
        for (shard, updates) in self.shards.iter().zip(&mut updates) {
            let mut shard = shard.write();
            match change {
                None => shard.clear(),
                Some(change) => shard.delete(&change.deleted),
            }
            for (key, value) in updates.drain(..) {
                let key = shard.key(key);
                match value {
                    None => shard.entries.remove(&key),
                    Some(value) => {
                        let weight = value.weight();
                        shard.entries.insert(key, value, weight);
                    }
                }
            }
            shard.generation = next;
        }
        *self.head.write() = (Some(root), next);
    }

    /// New entries by shard; None for entries that must be read again.
    fn updates(&self, change: Option<&WriteSet>) -> Vec<Vec<(HeadKey, Option<HeadValue>)>> {
        let mut updates = vec![Vec::new(); SHARDS];
        let Some(change) = change else { return updates };
        let mut add = |key: HeadKey, value: Option<HeadValue>| updates[self.shard(&key)].push((key, value));
        for (account, state) in &change.accounts {
            add(HeadKey::Account(*account), Some(HeadValue::Account(Some(*state))));
        }
        for (account, _) in &change.code {
            add(HeadKey::Code(*account), None);
        }
        for account in &change.markers {
            add(HeadKey::Marker(*account), Some(HeadValue::Marker(true)));
        }
        for (account, slot, value) in &change.storage {
            add(HeadKey::Cell(*account, *slot), Some(HeadValue::cell(value.as_ref())));
        }
        updates
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().entries.bytes()).sum()
    }

    /// Entries held.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().entries.len()).sum()
    }
}
