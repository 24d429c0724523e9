//! Answers as text.

use std::path::Path;
use std::sync::Arc;

use napi_derive::napi;
use rhizome_answers::{
    LogCriteria, LogPage, MinedBlock, MinedTransaction, ObjectBlock, PageEnd, SearchBounds, StoredBlock, TextKind,
};
use rhizome_primitives::B256;

use crate::borrowed::Borrowed;
use crate::byte_array::{Buffer, OutputBytes, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};

const HASH_LENGTH: usize = 32;
const HEIGHT_LENGTH: usize = 8;

/// Texts of a chain that all threads share.
#[napi]
pub struct EncodedObjectCache {
    pub(crate) inner: Arc<rhizome_answers::EncodedObjectCache>,
}

#[napi]
impl EncodedObjectCache {
    /// The texts of the chain in a folder, of at most `limit` bytes if they are not open yet.
    #[napi(factory, catch_unwind)]
    pub fn open(folder: String, limit: i64) -> Result<Self> {
        let limit = usize::try_from(limit).map_err(invalid)?;
        Ok(Self { inner: rhizome_answers::EncodedObjectCache::open(Path::new(&folder), limit) })
    }

    /// Texts that are gone with the object.
    #[napi(factory, catch_unwind)]
    pub fn in_memory(limit: i64) -> Result<Self> {
        let limit = usize::try_from(limit).map_err(invalid)?;
        Ok(Self { inner: Arc::new(rhizome_answers::EncodedObjectCache::new(limit)) })
    }

    /// Bytes held.
    #[napi(getter)]
    pub fn bytes(&self) -> i64 {
        self.inner.bytes() as i64
    }

    /// An empty page of logs: addresses of 20 bytes each, by position topics of 32 bytes each; empty lists match
    /// anything. The page is full with so many bytes or more than so many logs.
    #[napi(catch_unwind)]
    pub fn log_page(
        &self,
        addresses: Uint8Array,
        topics: Vec<Uint8Array>,
        bytes: i64,
        logs: u32,
    ) -> Result<LogPageWriter> {
        let end = PageEnd { bytes: usize::try_from(bytes).map_err(invalid)?, logs };
        let page = LogPage::new(self.inner.clone(), criteria(&addresses, &topics)?, end);
        Ok(LogPageWriter { page })
    }
}

/// What a text tells of.
#[napi(string_enum = "camelCase")]
pub enum TextSubject {
    /// A receipt, by the hash of its transaction.
    Receipt,
    /// A mined transaction, by its hash.
    Transaction,
    /// A block with its transactions, by its hash.
    FullBlock,
    /// A block with the hashes of its transactions, by its hash.
    Block,
}

impl From<TextSubject> for TextKind {
    fn from(subject: TextSubject) -> Self {
        match subject {
            TextSubject::Receipt => Self::Receipt,
            TextSubject::Transaction => Self::Transaction,
            TextSubject::FullBlock => Self::FullBlock,
            TextSubject::Block => Self::Block,
        }
    }
}

/// A transaction of a block, as it is stored.
#[napi(object)]
pub struct MinedTransactionBytes {
    /// Hash of the transaction.
    pub hash: Uint8Array,
    /// Place in the block.
    pub index: u32,
    /// Hash of the block.
    pub block_hash: Uint8Array,
    /// Height.
    pub block_number: i64,
    /// RLP `[transactions, uncles]` of the block.
    pub body: Uint8Array,
    /// RLP list of the receipts of the block; absent where the transaction itself is wanted.
    pub receipts: Option<Uint8Array>,
    /// Sender; zeros for the reward transaction.
    pub sender: Uint8Array,
}

/// A block, as it is stored.
#[napi(object)]
pub struct MinedBlockBytes {
    /// Its hash.
    pub hash: Uint8Array,
    /// Height.
    pub number: i64,
    /// RLP `[transactions, uncles]`.
    pub body: Uint8Array,
    /// Senders of the transactions, 20 bytes each; zeros for the reward transaction.
    pub senders: Uint8Array,
}

fn height(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(invalid)
}

#[napi]
impl EncodedObjectCache {
    /// The text of a hash, if it is kept and tells of something in that block.
    #[napi(catch_unwind)]
    pub fn text(&self, subject: TextSubject, hash: Uint8Array, block_hash: Uint8Array) -> Result<Option<Buffer>> {
        let block_hash = bytes::hash("block hash", &block_hash)?;
        let text = self.inner.with_text(subject.into(), bytes::hash("hash", &hash)?, |text| {
            (text.place.block_hash == block_hash).then(|| text.json.to_vec())
        });
        Ok(text.flatten().map(Into::into))
    }

    /// Writes the transactions of a block into the text of its object, from a place of it on, as objects or as their
    /// hashes, and keeps the text.
    #[napi(catch_unwind)]
    pub fn write_block(
        &self,
        full: bool,
        block: MinedBlockBytes,
        #[napi(ts_arg_type = "Uint8Array")] text: Borrowed<u8>,
        at: u32,
    ) -> Result<Buffer> {
        let mined = MinedBlock {
            hash: bytes::hash("block hash", &block.hash)?,
            number: height(block.number)?,
            body: &block.body,
            senders: &block.senders,
        };
        let text = rhizome_answers::write_block(&mined, full, &text, at as usize).map_err(invalid)?;
        let place = ObjectBlock { block_hash: mined.hash, block_number: mined.number };
        let kind = if full { TextKind::FullBlock } else { TextKind::Block };
        self.inner.keep_text(kind, mined.hash, place, &text);
        Ok(text.into())
    }

    /// Writes and keeps the receipt of a transaction, or the transaction where no receipts are given.
    #[napi(catch_unwind)]
    pub fn write_mined(&self, transaction: MinedTransactionBytes) -> Result<Buffer> {
        let mined = MinedTransaction {
            hash: bytes::hash("transaction hash", &transaction.hash)?,
            index: transaction.index as usize,
            block_hash: bytes::hash("block hash", &transaction.block_hash)?,
            block_number: height(transaction.block_number)?,
            body: &transaction.body,
            sender: bytes::address("sender", &transaction.sender)?.into_array(),
        };
        let (kind, written) = match &transaction.receipts {
            Some(receipts) => (TextKind::Receipt, rhizome_answers::write_receipt(&mined, receipts)),
            None => (TextKind::Transaction, rhizome_answers::write_transaction(&mined)),
        };
        let text = written.map_err(invalid)?;
        let place = ObjectBlock { block_hash: mined.block_hash, block_number: mined.block_number };
        self.inner.keep_text(kind, mined.hash, place, &text);
        Ok(text.into())
    }
}

/// Addresses of 20 bytes each, by position topics of 32 bytes each.
fn criteria(addresses: &[u8], topics: &[Uint8Array]) -> Result<LogCriteria> {
    let addresses: Vec<_> = addresses.chunks(20).map(|each| bytes::address("address", each)).collect::<Result<_>>()?;
    let topics: Vec<Vec<_>> =
        topics.iter().map(|alternatives| hashes("topics", alternatives)).collect::<Result<_>>()?;
    Ok(LogCriteria::new(&addresses, &topics))
}

fn hashes(name: &str, list: &[u8]) -> Result<Vec<B256>> {
    list.chunks(HASH_LENGTH).map(|each| bytes::hash(name, each)).collect()
}

/// Searches that are answered from kept logs alone.
#[napi]
pub struct EncodedLogs {
    inner: rhizome_answers::EncodedLogs,
}

#[napi]
impl EncodedLogs {
    /// Nothing was searched yet.
    #[napi(constructor)]
    pub fn new(texts: &EncodedObjectCache) -> Self {
        Self { inner: rhizome_answers::EncodedLogs::new(texts.inner.clone()) }
    }

    /// Searches blocks, hashes of 32 bytes each: the bytes of what was found, -1 when the logs of a block are not
    /// kept, or for more bytes or more logs to look at than given.
    #[napi(catch_unwind)]
    pub fn find(
        &mut self,
        addresses: Uint8Array,
        topics: Vec<Uint8Array>,
        #[napi(ts_arg_type = "Uint8Array")] block_hashes: Borrowed<u8>,
        most_bytes: u32,
        most_logs: u32,
    ) -> Result<i32> {
        let bounds = SearchBounds { bytes: most_bytes as usize, logs: most_logs as usize };
        let hashes = block_hashes.chunks_exact(HASH_LENGTH).map(B256::from_slice);
        if !self.inner.find(&criteria(&addresses, &topics)?, hashes, bounds) {
            return Ok(-1);
        }
        i32::try_from(self.inner.text().len()).map_err(invalid)
    }

    /// Copies what was found, objects with commas between, to a place of an array.
    #[napi(catch_unwind)]
    pub fn copy_to(&self, #[napi(ts_arg_type = "Uint8Array")] mut target: OutputBytes, at: u32) -> Result<()> {
        copy(self.inner.text(), &mut target, at)
    }
}

fn copy(text: &[u8], target: &mut OutputBytes, at: u32) -> Result<()> {
    let room = target.bytes().get_mut(at as usize..).and_then(|rest| rest.get_mut(..text.len()));
    room.ok_or_else(|| invalid("no room for the text"))?.copy_from_slice(text);
    Ok(())
}

/// A page of logs that is being written.
#[napi]
pub struct LogPageWriter {
    page: LogPage,
}

#[napi]
impl LogPageWriter {
    /// Adds blocks whose logs are kept, up to the first of which they are not, or until the page is full; returns
    /// how many. Hashes of 32 bytes each; `removed`: their logs are told as taken back.
    #[napi(catch_unwind)]
    pub fn add_kept(&mut self, #[napi(ts_arg_type = "Uint8Array")] block_hashes: Borrowed<u8>, removed: bool) -> u32 {
        let hashes = block_hashes.chunks_exact(HASH_LENGTH).map(B256::from_slice);
        self.page.add_kept(hashes, removed) as u32
    }

    /// How many blocks there are up to the first whose logs are kept. Hashes of 32 bytes each.
    #[napi(catch_unwind)]
    pub fn count_missing(&self, #[napi(ts_arg_type = "Uint8Array")] block_hashes: Borrowed<u8>) -> u32 {
        self.page.count_missing(block_hashes.chunks_exact(HASH_LENGTH).map(B256::from_slice)) as u32
    }

    /// Adds blocks until the page is full; returns how many. `keys`: height 8 ∥ hash 32 of each; `bytes`: of each the
    /// RLP list of its receipts and RLP `[transactions, uncles]`, `ends`: where each of the two ends. A block of
    /// which one is empty has no logs.
    #[napi(catch_unwind)]
    pub fn add_stored(
        &mut self,
        #[napi(ts_arg_type = "Uint8Array")] keys: Borrowed<u8>,
        #[napi(ts_arg_type = "Int32Array")] ends: Borrowed<i32>,
        #[napi(ts_arg_type = "Uint8Array")] bytes: Borrowed<u8>,
        removed: bool,
    ) -> Result<u32> {
        let (mut start, mut added) = (0, 0);
        let mut part = |end: i32| -> Result<&[u8]> {
            let end = usize::try_from(end).map_err(invalid)?;
            let part = bytes.get(start..end).ok_or_else(|| invalid("no such part of the bytes"))?;
            start = end;
            Ok(part)
        };
        for (key, ends) in keys.chunks_exact(HEIGHT_LENGTH + HASH_LENGTH).zip(ends.chunks_exact(2)) {
            if self.page.is_full() {
                break;
            }
            let (height, hash) = key.split_at(HEIGHT_LENGTH);
            let number = u64::from_be_bytes(height.try_into().map_err(invalid)?);
            let (receipts, body) = (part(ends[0])?, part(ends[1])?);
            let block = StoredBlock { hash: B256::from_slice(hash), number, receipts, body };
            if !receipts.is_empty() && !body.is_empty() {
                self.page.add_stored(&block, removed).map_err(invalid)?;
            }
            added += 1;
        }
        Ok(added)
    }

    /// Whether no further block is to be added.
    #[napi(getter)]
    pub fn is_full(&self) -> bool {
        self.page.is_full()
    }

    /// Logs so far.
    #[napi(getter)]
    pub fn count(&self) -> u32 {
        self.page.count()
    }

    /// Bytes so far.
    #[napi(getter)]
    pub fn bytes(&self) -> i64 {
        self.page.bytes() as i64
    }

    /// Copies the text, objects with commas between, to a place of an array. The page is empty then.
    #[napi(catch_unwind)]
    pub fn move_to(&mut self, #[napi(ts_arg_type = "Uint8Array")] mut target: OutputBytes, at: u32) -> Result<()> {
        copy(self.page.text(), &mut target, at)?;
        self.page.clear();
        Ok(())
    }
}
