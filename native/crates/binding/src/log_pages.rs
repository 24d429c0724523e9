//! Searches of logs.

use napi_derive::napi;
use rhizome_answers::{LogCriteria, LogPage, PageEnd, SearchBounds, StoredBlock};
use rhizome_primitives::{Address, B256};

use crate::answers::EncodedObjectCache;
use crate::borrowed::Borrowed;
use crate::byte_array::{OutputBytes, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};

const ADDRESS_LENGTH: usize = 20;
const HASH_LENGTH: usize = 32;
const HEIGHT_LENGTH: usize = 8;

#[napi]
impl EncodedObjectCache {
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

/// Addresses of 20 bytes each, by position topics of 32 bytes each.
fn criteria(addresses: &[u8], topics: &[Uint8Array]) -> Result<LogCriteria> {
    Ok(LogCriteria::new(&address_list(addresses)?, &topic_lists(topics)?))
}

/// Addresses of 20 bytes each.
pub fn address_list(addresses: &[u8]) -> Result<Vec<Address>> {
    addresses.chunks(ADDRESS_LENGTH).map(|each| bytes::address("address", each)).collect()
}

/// By position topics of 32 bytes each.
pub fn topic_lists(topics: &[Uint8Array]) -> Result<Vec<Vec<B256>>> {
    let hashes = |list: &Uint8Array| list.chunks(HASH_LENGTH).map(|each| bytes::hash("topics", each)).collect();
    topics.iter().map(hashes).collect()
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

    /// Copies what was found, objects with commas between, to a position of an array.
    #[napi(catch_unwind)]
    pub fn copy_to(&self, #[napi(ts_arg_type = "Uint8Array")] mut target: OutputBytes, at: u32) -> Result<()> {
        copy(self.inner.text(), &mut target, at)
    }
}

fn copy(text: &[u8], target: &mut OutputBytes, at: u32) -> Result<()> {
    let range = target.bytes().get_mut(at as usize..).and_then(|rest| rest.get_mut(..text.len()));
    range.ok_or_else(|| invalid("no range for the text"))?.copy_from_slice(text);
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
    /// how many. Hashes of 32 bytes each; `removed`: their logs are reported as taken back.
    #[napi(catch_unwind)]
    pub fn add_kept(&mut self, #[napi(ts_arg_type = "Uint8Array")] block_hashes: Borrowed<u8>, removed: bool) -> u32 {
        let hashes = block_hashes.chunks_exact(HASH_LENGTH).map(B256::from_slice);
        self.page.add_kept(hashes, removed) as u32
    }

    /// Number of blocks up to the first whose logs are kept. Hashes of 32 bytes each.
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

    /// True when no further block is to be added.
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

    /// Copies the text, objects with commas between, to a position of an array. The page is empty then.
    #[napi(catch_unwind)]
    pub fn move_to(&mut self, #[napi(ts_arg_type = "Uint8Array")] mut target: OutputBytes, at: u32) -> Result<()> {
        copy(self.page.text(), &mut target, at)?;
        self.page.clear();
        Ok(())
    }
}
