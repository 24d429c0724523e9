//! Stored nodes and values, shared by all threads. Stored data never change, so nothing is ever invalidated.

use std::hash::Hash;

use parking_lot::RwLock;
use rhizome_cache::ClockCache;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, StoredNode};

/// Shards; a power of two well above the number of threads, so that writers seldom meet readers.
const SHARDS: usize = 64;

/// A key that determines its shard.
pub(crate) trait ShardKey: Hash + Eq + Copy {
    /// An evenly distributed number.
    fn spread(&self) -> u64;
}

impl ShardKey for B256 {
    fn spread(&self) -> u64 {
        u64::from(self[0])
    }
}

impl ShardKey for Location {
    fn spread(&self) -> u64 {
        // Fibonacci hashing: positions near one another go to different shards.
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56
    }
}

/// A value with a known number of bytes outside itself.
pub(crate) trait Weighed: Clone {
    fn weight(&self) -> usize;
}

impl Weighed for Bytes {
    fn weight(&self) -> usize {
        self.len()
    }
}

impl Weighed for Location {
    fn weight(&self) -> usize {
        0
    }
}

impl Weighed for StoredNode {
    fn weight(&self) -> usize {
        self.message.len()
    }
}

pub(crate) struct NodeCache<K, V> {
    shards: Box<[RwLock<ClockCache<K, V>>]>,
}

impl<K: ShardKey, V: Weighed> NodeCache<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { shards: (0..SHARDS).map(|_| RwLock::new(ClockCache::new(limit / SHARDS))).collect() }
    }

    fn shard(&self, key: &K) -> &RwLock<ClockCache<K, V>> {
        &self.shards[key.spread() as usize % SHARDS]
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.shard(key).read().get(key).cloned()
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        let weight = value.weight();
        self.shard(&key).write().insert(key, value, weight);
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().bytes()).sum()
    }

    /// Entries held.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().len()).sum()
    }

    /// Drops everything.
    pub(crate) fn clear(&self) {
        self.shards.iter().for_each(|shard| shard.write().clear());
    }
}
