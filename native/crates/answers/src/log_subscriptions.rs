//! Who takes the logs of a block as they come.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use rhizome_primitives::rlp::RlpError;
use rhizome_primitives::{Address, B256};

use crate::criteria::Matcher;
use crate::encoded_object_cache::EncodedObjectCache;
use crate::log_text::{LogParts, LogWriter, end_of_log};
use crate::log_walk::{StoredBlock, walk_logs};

/// Positions of topics by which subscribers are found.
const POSITIONS: usize = 4;

/// Bytes in front of the text of a log: those of its text and its number of subscribers, 4 each.
const RECORD_HEAD: usize = 8;

/// Bytes after which a part of the logs of a block ends: logs times subscribers may be any number.
const PART_BYTES: usize = 1 << 20;

/// Counts the logs of a block, of which one part is written at a time.
struct Part {
    first: usize,
    index: usize,
    next: Option<usize>,
}

impl Part {
    fn new(first: usize) -> Self {
        Self { first, index: 0, next: None }
    }

    /// True when the next log belongs to the part, of which so many bytes are written.
    fn includes_next(&mut self, written: usize) -> bool {
        let index = self.index;
        self.index += 1;
        if index < self.first || self.next.is_some() {
            return false;
        }
        if written >= PART_BYTES {
            self.next = Some(index);
        }
        self.next.is_none()
    }
}

/// Subscribers by the first thing that their logs must have.
type Bucket = HashMap<Vec<u8>, BTreeSet<u64>, RandomState>;

/// Under what a subscriber is found.
enum Keys {
    Addresses(Vec<Vec<u8>>),
    Topics(usize, Vec<Vec<u8>>),
    None,
}

struct Subscriber {
    matcher: Matcher,
    keys: Keys,
}

/// Finds the subscribers of a log without asking each: those that name addresses are under their addresses, others
/// under the topics of the first position that names any, the rest is asked for every log.
pub struct LogSubscriptions {
    objects: Arc<EncodedObjectCache>,
    subscribers: HashMap<u64, Subscriber, RandomState>,
    by_address: Bucket,
    by_topic: [Bucket; POSITIONS],
    others: BTreeSet<u64>,
}

impl LogSubscriptions {
    /// Nobody subscribes.
    pub fn new(objects: Arc<EncodedObjectCache>) -> Self {
        Self {
            objects,
            subscribers: HashMap::default(),
            by_address: HashMap::default(),
            by_topic: std::array::from_fn(|_| HashMap::default()),
            others: BTreeSet::new(),
        }
    }

    /// Adds a subscriber, in place of one with that id. Empty lists match anything.
    pub fn add(&mut self, id: u64, addresses: &[Address], topics: &[Vec<B256>]) {
        self.remove(id);
        let keys = keys_of(addresses, topics);
        self.change_sets(&keys, |set| {
            set.insert(id);
        });
        self.subscribers.insert(id, Subscriber { matcher: Matcher::of_bytes(addresses, topics), keys });
    }

    /// Ends the subscription of an id.
    pub fn remove(&mut self, id: u64) {
        if let Some(Subscriber { keys, .. }) = self.subscribers.remove(&id) {
            self.change_sets(&keys, |set| {
                set.remove(&id);
            });
        }
    }

    /// Appends the logs of a block that somebody takes, from the log `first` on, if they are kept as text: with which
    /// log the next part begins, of about a mebibyte each. None when they are not kept. Of each log: bytes of its text
    /// 4, number of its subscribers 4, their ids 8 each, all little-endian, and the text.
    pub fn find_kept(&self, block_hash: B256, removed: bool, first: usize, out: &mut Vec<u8>) -> Option<Option<usize>> {
        let mut ids = Vec::new();
        let mut part = Part::new(first);
        let end = end_of_log(removed);
        let find = |LogParts { text, address, topics }: LogParts<'_>| {
            if !part.includes_next(out.len()) {
                return;
            }
            self.takers(address, topics, &mut ids);
            if !ids.is_empty() {
                push_head(out, text.len() + end.len(), &ids);
                out.extend_from_slice(text);
                out.extend_from_slice(end);
            }
        };
        self.objects.with_logs(block_hash, |logs| logs.for_each(find))?;
        Some(part.next)
    }

    /// The same of the stored bytes of a block.
    pub fn find_stored(
        &self,
        block: &StoredBlock<'_>,
        removed: bool,
        first: usize,
        out: &mut Vec<u8>,
    ) -> Result<Option<usize>, RlpError> {
        let mut part = Part::new(first);
        let mut writer = LogWriter::new(block, removed);
        let (mut ids, mut text) = (Vec::new(), Vec::new());
        walk_logs(block, |log| {
            if !part.includes_next(out.len()) {
                return;
            }
            self.takers(log.address, &log.topics, &mut ids);
            if !ids.is_empty() {
                text.clear();
                writer.write(&mut text, &log);
                push_head(out, text.len(), &ids);
                out.extend_from_slice(&text);
            }
        })?;
        Ok(part.next)
    }

    /// Subscribers of a log, in place of those in the list.
    fn takers(&self, address: &[u8], topics: &[&[u8]], ids: &mut Vec<u64>) {
        ids.clear();
        let mut take = |candidates: &BTreeSet<u64>| {
            ids.extend(candidates.iter().filter(|id| {
                let subscriber = self.subscribers.get(id);
                subscriber.is_some_and(|each| each.matcher.matches(address, topics.len(), |position| topics[position]))
            }));
        };
        if let Some(candidates) = self.by_address.get(address) {
            take(candidates);
        }
        for (bucket, topic) in self.by_topic.iter().zip(topics) {
            if let Some(candidates) = bucket.get(*topic) {
                take(candidates);
            }
        }
        take(&self.others);
    }

    /// Changes the sets that a subscriber with these keys is in.
    fn change_sets(&mut self, keys: &Keys, mut change: impl FnMut(&mut BTreeSet<u64>)) {
        let (bucket, keys) = match keys {
            Keys::Addresses(keys) => (&mut self.by_address, keys),
            Keys::Topics(position, keys) => (&mut self.by_topic[*position], keys),
            Keys::None => return change(&mut self.others),
        };
        for key in keys {
            let set = bucket.entry(key.clone()).or_default();
            change(set);
            if set.is_empty() {
                bucket.remove(key);
            }
        }
    }
}

fn keys_of(addresses: &[Address], topics: &[Vec<B256>]) -> Keys {
    if !addresses.is_empty() {
        return Keys::Addresses(addresses.iter().map(|address| address.to_vec()).collect());
    }
    match topics.iter().take(POSITIONS).position(|alternatives| !alternatives.is_empty()) {
        Some(position) => Keys::Topics(position, topics[position].iter().map(|topic| topic.to_vec()).collect()),
        None => Keys::None,
    }
}

fn push_head(out: &mut Vec<u8>, length: usize, ids: &[u64]) {
    out.reserve(RECORD_HEAD + size_of_val(ids) + length);
    // Receipts of a block are shorter than 2^31 bytes, and so are the logs and their subscribers in memory.
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.extend_from_slice(&(ids.len() as u32).to_le_bytes());
    for id in ids {
        out.extend_from_slice(&id.to_le_bytes());
    }
}
