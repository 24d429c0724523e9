//! Answers that hold as long as the head does, by method and parameters.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Entries that the cache holds at least: one takes an eighth of it at most, so that a large answer does not evict all others.
const MIN_ENTRIES: usize = 8;

/// Bytes that an entry takes besides its texts, about: lengths, and its slot in the table.
const ENTRY_BYTES: usize = 24;

/// Lengths of key and text.
const HEAD: usize = 8;

/// Texts of answers behind their id. They lie one after the other in two halves; when the younger one is full the
/// older one, with the oldest answers, is dropped for it.
pub struct ResponseCache {
    half_bytes: usize,
    young: Half,
    old: Half,
    hasher: RandomState,
    stats: Lookups,
}

/// Lookups that found something and that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lookups {
    /// Answers that were found.
    pub hits: u64,
    /// Answers that had to be found otherwise.
    pub misses: u64,
}

#[derive(Default)]
struct Half {
    /// Lengths, method, parameters and text of each entry.
    bytes: Vec<u8>,
    offsets: HashTable<u32>,
    used: usize,
}

impl ResponseCache {
    /// `most_bytes` of all entries; 0 keeps nothing.
    pub fn new(most_bytes: usize) -> Self {
        Self {
            half_bytes: (most_bytes / 2).min(u32::MAX as usize / 2),
            young: Half::default(),
            old: Half::default(),
            hasher: RandomState::default(),
            stats: Lookups::default(),
        }
    }

    /// True when anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.half_bytes > 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.young.used + self.old.used
    }

    /// Lookups so far.
    pub fn lookups(&self) -> Lookups {
        self.stats
    }

    /// Counts responses that were found, and those that were executed. Who looks knows whether it counts.
    pub(crate) fn count(&mut self, hits: u64, misses: u64) {
        self.stats.hits += hits;
        self.stats.misses += misses;
    }

    /// Text after the id.
    pub fn find(&self, method: u16, params: &[u8]) -> Option<&[u8]> {
        if self.young.offsets.is_empty() && self.old.offsets.is_empty() {
            return None;
        }
        let hash = self.hash(method, params);
        self.young.find(hash, method, params).or_else(|| self.old.find(hash, method, params))
    }

    /// Keeps what follows the id.
    pub fn keep(&mut self, method: u16, params: &[u8], text: &[u8]) {
        let size = params.len() + text.len() + ENTRY_BYTES;
        if size * MIN_ENTRIES > self.half_bytes * 2 || self.find(method, params).is_some() {
            return;
        }
        if self.young.used + size > self.half_bytes {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        let hash = self.hash(method, params);
        self.young.add(hash, &self.hasher, method, params, text);
        self.young.used += size;
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    fn hash(&self, method: u16, params: &[u8]) -> u64 {
        hash_of(&self.hasher, method, params)
    }
}

fn hash_of(hasher: &RandomState, method: u16, params: &[u8]) -> u64 {
    hasher.hash_one((method, params))
}

impl Half {
    fn entry(&self, offset: u32) -> (u16, &[u8], &[u8]) {
        let entry = &self.bytes[offset as usize..];
        let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]) as usize;
        let params = HEAD + 2..HEAD + 2 + number(0);
        let text = params.end..params.end + number(4);
        (u16::from_le_bytes([entry[HEAD], entry[HEAD + 1]]), &entry[params], &entry[text])
    }

    fn find(&self, hash: u64, method: u16, params: &[u8]) -> Option<&[u8]> {
        let is_it = |offset: &u32| {
            let (its_method, its_params, _) = self.entry(*offset);
            its_method == method && its_params == params
        };
        self.offsets.find(hash, is_it).map(|offset| self.entry(*offset).2)
    }

    fn add(&mut self, hash: u64, hasher: &RandomState, method: u16, params: &[u8], text: &[u8]) {
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&(params.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(&method.to_le_bytes());
        self.bytes.extend_from_slice(params);
        self.bytes.extend_from_slice(text);
        let mut offsets = std::mem::take(&mut self.offsets);
        offsets.insert_unique(hash, offset, |offset| {
            let (method, params, _) = self.entry(*offset);
            hash_of(hasher, method, params)
        });
        self.offsets = offsets;
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_by_method_and_parameters() {
        let mut kept = ResponseCache::new(1 << 16);
        kept.keep(1, b"[\"a\"]", b"one");
        kept.keep(2, b"[\"a\"]", b"two");
        kept.keep(1, b"[\"a\"]", b"another");
        assert_eq!(kept.find(1, b"[\"a\"]"), Some(&b"one"[..]));
        assert_eq!(kept.find(2, b"[\"a\"]"), Some(&b"two"[..]));
        assert_eq!(kept.find(3, b"[\"a\"]"), None);
        assert_eq!(kept.find(1, b"[\"b\"]"), None);
        kept.clear();
        assert_eq!(kept.find(1, b"[\"a\"]"), None);
    }

    #[test]
    fn the_oldest_go_and_no_answer_takes_most_of_the_memory() {
        let most = 4000;
        let mut kept = ResponseCache::new(most);
        let text = [b'x'; 100];
        for i in 0..1000u32 {
            kept.keep(1, &i.to_le_bytes(), &text);
            assert!(kept.young.bytes.len() + kept.old.bytes.len() <= most, "{i}");
            assert_eq!(kept.find(1, &i.to_le_bytes()), Some(&text[..]));
        }
        assert_eq!(kept.find(1, &0u32.to_le_bytes()), None);
        // At least half of the room is in use.
        assert!((0..1000u32).filter(|i| kept.find(1, &i.to_le_bytes()).is_some()).count() >= most / 2 / 128);
        kept.keep(1, b"large", &[b'x'; 500]);
        assert_eq!(kept.find(1, b"large"), None);
        let mut none = ResponseCache::new(0);
        none.keep(1, b"", b"");
        assert_eq!((none.find(1, b""), none.is_on()), (None, false));
    }
}
