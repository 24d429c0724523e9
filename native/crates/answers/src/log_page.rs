//! A part of the logs of a search.

use std::cell::RefCell;
use std::sync::Arc;

use rhizome_primitives::B256;
use rhizome_primitives::rlp::RlpError;

use crate::criteria::LogCriteria;
use crate::encoded_object_cache::EncodedObjectCache;
use crate::log_text::{BlockLogs, LogWriter, separate};
use crate::log_walk::{StoredBlock, walk_logs};

/// The logs of a block are kept when it has no more than these, whatever part of them is asked for …
const MAX_KEPT_AT_ONCE: u32 = 64;
/// … or when one in so many is asked for. Others are written when they match: keeping a large block for the sake
/// of a few logs costs more than reading it again.
const KEPT_PART: u32 = 4;

/// Memory of pages that this thread keeps for the next ones: fresh memory costs more than what is written to it.
const KEPT_MEMORIES: usize = 8;
const MAX_KEPT_BYTES: usize = 1 << 20;

thread_local! {
    static MEMORIES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

fn recycled_memory() -> Vec<u8> {
    MEMORIES.with_borrow_mut(Vec::pop).unwrap_or_default()
}

fn recycle(mut memory: Vec<u8>) {
    memory.clear();
    if (1..=MAX_KEPT_BYTES).contains(&memory.capacity()) {
        MEMORIES.with_borrow_mut(|memories| {
            if memories.len() < KEPT_MEMORIES {
                memories.push(memory);
            }
        });
    }
}

/// After what a page takes no further block. A block is never cut.
#[derive(Clone, Copy)]
pub struct PageEnd {
    /// As many bytes.
    pub bytes: usize,
    /// More logs than these.
    pub logs: u32,
}

/// Logs that match, block after block, as elements of a JSON array without its brackets.
pub struct LogPage {
    texts: Arc<EncodedObjectCache>,
    criteria: LogCriteria,
    end: PageEnd,
    out: Vec<u8>,
    count: u32,
}

impl LogPage {
    /// An empty page.
    pub fn new(texts: Arc<EncodedObjectCache>, criteria: LogCriteria, end: PageEnd) -> Self {
        Self { texts, criteria, end, out: recycled_memory(), count: 0 }
    }

    /// Logs so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes so far.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// True when no further block is to be added.
    pub fn is_full(&self) -> bool {
        self.out.len() >= self.end.bytes || self.count > self.end.logs
    }

    /// Adds blocks whose logs are kept, up to the first of which they are not, or until the page is full.
    /// @returns how many blocks were added
    pub fn add_kept(&mut self, hashes: impl Iterator<Item = B256>, removed: bool) -> usize {
        let mut added = 0;
        for hash in hashes {
            if self.is_full() {
                break;
            }
            let Self { texts, criteria, out, .. } = self;
            let Some(count) = texts.with_logs(hash, |logs| logs.append(out, criteria, removed)) else { break };
            self.count += count;
            added += 1;
        }
        added
    }

    /// Number of blocks up to the first whose logs are kept.
    pub fn count_missing(&self, hashes: impl Iterator<Item = B256>) -> usize {
        hashes.take_while(|hash| !self.texts.has_logs(*hash)).count()
    }

    /// Adds a block of its stored bytes.
    pub fn add_stored(&mut self, block: &StoredBlock<'_>, removed: bool) -> Result<(), RlpError> {
        let matcher = self.criteria.bytes();
        let (mut total, mut matching) = (0u32, 0u32);
        walk_logs(block, |log| {
            total += 1;
            matching += u32::from(matcher.matches(log.address, log.topics.len(), |position| log.topics[position]));
        })?;
        if (total <= MAX_KEPT_AT_ONCE || matching >= total / KEPT_PART)
            && let Some(logs) = BlockLogs::write(block)?
        {
            self.count += logs.append(&mut self.out, &self.criteria, removed);
            self.texts.keep_logs(block.hash, Arc::new(logs));
            return Ok(());
        }
        let (mut writer, out) = (LogWriter::new(block, removed), &mut self.out);
        walk_logs(block, |log| {
            if matcher.matches(log.address, log.topics.len(), |position| log.topics[position]) {
                separate(out);
                writer.write(out, &log);
            }
        })?;
        self.count += matching;
        Ok(())
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.out
    }

    /// Empties the page, whose memory other pages of this thread may use then.
    pub fn clear(&mut self) {
        self.count = 0;
        recycle(std::mem::take(&mut self.out));
    }
}
