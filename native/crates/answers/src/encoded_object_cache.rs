//! Texts that all threads share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::{Mutex, RwLock};
use rhizome_cache::ClockCache;
use rhizome_primitives::B256;
use rhizome_primitives::rlp::RlpError;

use crate::log_text::BlockLogs;
use crate::log_walk::StoredBlock;

/// Few enough that the logs of the largest block fit in one, enough that threads seldom meet.
const SHARDS: usize = 16;

/// Kinds of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TextKind {
    /// The logs of a block, by its hash.
    Logs,
    /// The receipt of a transaction, by the transaction's hash.
    Receipt,
    /// The receipts of a block as an array, by its hash.
    BlockReceipts,
    /// A mined transaction, by its hash.
    Transaction,
    /// A block with its transactions, by its hash.
    FullBlock,
    /// A block with the hashes of its transactions, by its hash.
    Block,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: TextKind,
    hash: B256,
}

enum Kept {
    Logs(Arc<BlockLogs>),
    Text(EncodedObject),
}

/// The block that a text describes, or that has what it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectBlock {
    /// Hash of the block.
    pub block_hash: B256,
    /// Height.
    pub block_number: u64,
}

/// A JSON text.
pub struct EncodedObject {
    /// The block of what it describes: it is the answer as long as that block is canonical.
    pub block: ObjectBlock,
    /// A JSON value.
    pub json: Box<[u8]>,
}

/// Texts by hash, bounded in bytes. What is read stays.
pub struct EncodedObjectCache {
    shards: Box<[RwLock<ClockCache<Key, Kept>>]>,
}

/// Texts of the data folders that are in use, so that threads which load the addon separately share them.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<EncodedObjectCache>>>> = LazyLock::new(Mutex::default);

impl EncodedObjectCache {
    /// An empty one. @param limit bytes
    pub fn new(limit: usize) -> Self {
        Self { shards: (0..SHARDS).map(|_| RwLock::new(ClockCache::new(limit / SHARDS))).collect() }
    }

    /// The texts of the chain in a folder. The limit counts for the one who opens first.
    pub fn open(folder: &Path, limit: usize) -> Arc<Self> {
        let mut open = OPEN.lock();
        open.retain(|_, texts| texts.strong_count() > 0);
        if let Some(texts) = open.get(folder).and_then(Weak::upgrade) {
            return texts;
        }
        let texts = Arc::new(Self::new(limit));
        open.insert(folder.to_path_buf(), Arc::downgrade(&texts));
        texts
    }

    /// Calls an action with the text of a hash, if it is kept.
    pub fn with_text<T>(&self, kind: TextKind, hash: B256, action: impl FnOnce(&EncodedObject) -> T) -> Option<T> {
        match self.shard(&hash).read().get(&Key { kind, hash })? {
            Kept::Text(text) => Some(action(text)),
            Kept::Logs(_) => None,
        }
    }

    /// Keeps a text.
    pub fn keep_text(&self, kind: TextKind, hash: B256, block: ObjectBlock, json: &[u8]) {
        let text = Kept::Text(EncodedObject { block, json: json.into() });
        self.shard(&hash).write().insert(Key { kind, hash }, text, json.len());
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().bytes()).sum()
    }

    /// Calls an action with the logs of a block, if they are kept.
    pub(crate) fn with_logs<T>(&self, hash: B256, action: impl FnOnce(&BlockLogs) -> T) -> Option<T> {
        match self.shard(&hash).read().get(&Key { kind: TextKind::Logs, hash })? {
            Kept::Logs(logs) => Some(action(logs)),
            Kept::Text(_) => None,
        }
    }

    /// Writes and keeps the logs of a block.
    pub fn write_logs(&self, block: &StoredBlock<'_>) -> Result<(), RlpError> {
        if let Some(logs) = BlockLogs::write(block)? {
            self.keep_logs(block.hash, Arc::new(logs));
        }
        Ok(())
    }

    pub(crate) fn has_logs(&self, hash: B256) -> bool {
        self.shard(&hash).read().get(&Key { kind: TextKind::Logs, hash }).is_some()
    }

    pub(crate) fn keep_logs(&self, hash: B256, logs: Arc<BlockLogs>) {
        let weight = logs.weight();
        self.shard(&hash).write().insert(Key { kind: TextKind::Logs, hash }, Kept::Logs(logs), weight);
    }

    fn shard(&self, hash: &B256) -> &RwLock<ClockCache<Key, Kept>> {
        // The last byte: hashes of merged-mined blocks may begin alike.
        &self.shards[usize::from(hash[31]) % SHARDS]
    }
}
