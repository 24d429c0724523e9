//! Stored bytes by hash, shared by all threads. Bytes under a hash never change, so nothing is ever
//! invalidated.

use parking_lot::RwLock;
use rhizome_cache::ClockCache;
use rhizome_primitives::{B256, Bytes};

/// Shards; a power of two well above the number of threads, so that writers seldom meet readers.
const SHARDS: usize = 64;

pub(crate) struct NodeCache {
    shards: Box<[RwLock<ClockCache<B256, Bytes>>]>,
}

impl NodeCache {
    pub(crate) fn new(limit: usize) -> Self {
        Self { shards: (0..SHARDS).map(|_| RwLock::new(ClockCache::new(limit / SHARDS))).collect() }
    }

    fn shard(&self, hash: &B256) -> &RwLock<ClockCache<B256, Bytes>> {
        &self.shards[usize::from(hash[0]) % SHARDS]
    }

    pub(crate) fn get(&self, hash: &B256) -> Option<Bytes> {
        self.shard(hash).read().get(hash).cloned()
    }

    pub(crate) fn insert(&self, hash: B256, bytes: Bytes) {
        let weight = bytes.len();
        self.shard(&hash).write().insert(hash, bytes, weight);
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
