//! One shard of a cache that is bounded in bytes. Entries that were read since the hand last passed
//! get a second chance (clock eviction), so that a read only sets a flag and needs no exclusive lock.

use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

/// Bytes counted for an entry beside its key and value: index slot, flag, weight.
const ENTRY_OVERHEAD: usize = 32;

struct Slot<V> {
    value: V,
    weight: usize,
    read: AtomicBool,
}

/// A map with a limit on the sum of weights.
pub struct ClockCache<K, V> {
    slots: IndexMap<K, Slot<V>, RandomState>,
    hand: usize,
    bytes: usize,
    limit: usize,
}

impl<K: Hash + Eq, V> ClockCache<K, V> {
    /// An empty one that holds at most `limit` bytes, as [`ClockCache::insert`] counts them.
    pub fn new(limit: usize) -> Self {
        Self { slots: IndexMap::default(), hand: 0, bytes: 0, limit }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// True when it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Entries held.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The value under a key. Reading it gives the entry a second chance at the next eviction.
    pub fn get(&self, key: &K) -> Option<&V> {
        let slot = self.slots.get(key)?;
        // Written only when it changes: a shared cache line that is only read stays on every core.
        if !slot.read.load(Ordering::Relaxed) {
            slot.read.store(true, Ordering::Relaxed);
        }
        Some(&slot.value)
    }

    /// Adds or replaces an entry; `weight` is the number of bytes that the value holds outside itself. Then evicts down
    /// to the limit.
    pub fn insert(&mut self, key: K, value: V, weight: usize) {
        let weight = weight + size_of::<K>() + size_of::<Slot<V>>() + ENTRY_OVERHEAD;
        if weight > self.limit {
            self.remove(&key);
            return;
        }
        let slot = Slot { value, weight, read: AtomicBool::new(false) };
        match self.slots.entry(key) {
            Entry::Occupied(mut entry) => self.bytes -= entry.insert(slot).weight,
            Entry::Vacant(entry) => {
                entry.insert(slot);
            }
        }
        self.bytes += weight;
        while self.bytes > self.limit {
            self.evict();
        }
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &K) {
        if let Some(slot) = self.slots.swap_remove(key) {
            self.bytes -= slot.weight;
        }
    }

    /// Removes the entries for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&K) -> bool) {
        let mut freed = 0;
        self.slots.retain(|key, slot| {
            let keep = keep(key);
            freed += if keep { 0 } else { slot.weight };
            keep
        });
        self.bytes -= freed;
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.bytes = 0;
    }

    /// Moves the hand to the next entry that was not read since, and removes it. Ends because each
    /// step clears a flag, and the caller ensures that there are entries.
    fn evict(&mut self) {
        loop {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let Some((_, slot)) = self.slots.get_index_mut(self.hand) else {
                self.bytes = 0;
                return;
            };
            if *slot.read.get_mut() {
                *slot.read.get_mut() = false;
                self.hand += 1;
            } else {
                if let Some((_, slot)) = self.slots.swap_remove_index(self.hand) {
                    self.bytes -= slot.weight;
                }
                // The newest entry is there now: it is judged last, or the hand would stay and remove each new one.
                self.hand += 1;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    const EACH: usize = size_of::<u64>() + size_of::<Slot<u64>>() + ENTRY_OVERHEAD;

    #[test]
    fn stays_within_its_limit_and_keeps_what_is_read() {
        let mut cache = ClockCache::new(10 * EACH);
        for key in 0..1000u64 {
            cache.insert(key, key, 0);
            assert!(cache.bytes() <= 10 * EACH && cache.bytes() == cache.len() * EACH);
            assert_eq!(cache.get(&0), Some(&0), "the entry read each time is evicted at {key}");
        }
        assert_eq!(cache.len(), 10);
    }

    #[test]
    fn gives_up_what_is_read_no_more_for_what_is_read_now() {
        let mut cache = ClockCache::new(10 * EACH);
        let mut read = |key: u64| {
            let is_there = cache.get(&key).is_some();
            if !is_there {
                cache.insert(key, key, 0);
            }
            is_there
        };
        let mut missed = |keys: Range<u64>| keys.filter(|key| !read(*key)).count();
        assert_eq!((missed(0..10), missed(0..10)), (10, 0));
        (0..4).for_each(|_| _ = missed(100..108));
        assert_eq!(missed(100..108), 0, "eight entries that are read in turn stay among ten");
    }

    #[test]
    fn replaces_removes_and_refuses_what_is_too_large() {
        let mut cache = ClockCache::new(4 * EACH);
        cache.insert(1u64, 1u64, 0);
        cache.insert(1, 2, EACH);
        assert_eq!((cache.get(&1), cache.bytes()), (Some(&2), 2 * EACH));
        cache.insert(1, 3, 100 * EACH);
        assert_eq!((cache.get(&1), cache.bytes()), (None, 0));
        cache.insert(2, 2, 0);
        cache.insert(3, 3, 0);
        cache.retain(|key| *key == 3);
        assert_eq!((cache.get(&2), cache.get(&3), cache.bytes()), (None, Some(&3), EACH));
        cache.clear();
        assert_eq!((cache.len(), cache.bytes()), (0, 0));
    }
}
