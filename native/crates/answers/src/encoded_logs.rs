//! Searches that are answered from kept logs alone.

use std::sync::Arc;

use rhizome_primitives::B256;

use crate::criteria::LogCriteria;
use crate::encoded_object_cache::EncodedObjectCache;

/// Limits of a search, which is given up beyond.
#[derive(Clone, Copy)]
pub struct SearchBounds {
    /// Bytes of text, the last block with all of its logs.
    pub bytes: usize,
    /// Logs that are looked at, whether they match or not.
    pub logs: usize,
}

/// Puts logs of kept blocks together, in memory that it uses again.
pub struct EncodedLogs {
    texts: Arc<EncodedObjectCache>,
    text: Vec<u8>,
}

impl EncodedLogs {
    /// Nothing was searched yet.
    pub fn new(texts: Arc<EncodedObjectCache>) -> Self {
        Self { texts, text: Vec::new() }
    }

    /// Searches blocks; whether the logs of all of them are kept and within bounds. Then the text is theirs.
    pub fn find(
        &mut self,
        criteria: &LogCriteria,
        hashes: impl Iterator<Item = B256>,
        SearchBounds { bytes, mut logs }: SearchBounds,
    ) -> bool {
        self.text.clear();
        for hash in hashes {
            let text = &mut self.text;
            let is_within = self.texts.with_logs(hash, |block| {
                logs = logs.checked_sub(block.count())?;
                // All of the block might match.
                (text.len() + block.length() <= bytes).then(|| block.append(text, criteria, false))
            });
            if is_within.flatten().is_none() {
                return false;
            }
        }
        true
    }

    /// Result of the last search: objects with commas between.
    pub fn text(&self) -> &[u8] {
        &self.text
    }
}
