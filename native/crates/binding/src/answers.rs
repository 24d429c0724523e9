//! Answers as text.

use std::path::Path;
use std::sync::Arc;

use napi_derive::napi;
use rhizome_answers::{LogCriteria, LogPage, PageEnd, StoredBlock};
use rhizome_primitives::B256;

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};

const HASH_LENGTH: usize = 32;

/// Texts of a chain that all threads share.
#[napi]
pub struct KeptTexts {
    inner: Arc<rhizome_answers::KeptTexts>,
}

#[napi]
impl KeptTexts {
    /// The texts of the chain in a folder, of at most `limit` bytes if they are not open yet.
    #[napi(factory, catch_unwind)]
    pub fn open(folder: String, limit: i64) -> Result<Self> {
        let limit = usize::try_from(limit).map_err(invalid)?;
        Ok(Self { inner: rhizome_answers::KeptTexts::open(Path::new(&folder), limit) })
    }

    /// Texts that are gone with the object.
    #[napi(factory, catch_unwind)]
    pub fn in_memory(limit: i64) -> Result<Self> {
        let limit = usize::try_from(limit).map_err(invalid)?;
        Ok(Self { inner: Arc::new(rhizome_answers::KeptTexts::new(limit)) })
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
        let addresses: Vec<_> =
            addresses.chunks(20).map(|each| bytes::address("address", each)).collect::<Result<_>>()?;
        let topics: Vec<Vec<_>> =
            topics.iter().map(|alternatives| hashes("topics", alternatives)).collect::<Result<_>>()?;
        let end = PageEnd { bytes: usize::try_from(bytes).map_err(invalid)?, logs };
        let page = LogPage::new(self.inner.clone(), LogCriteria::new(&addresses, &topics), end);
        Ok(LogPageWriter { page })
    }
}

fn hashes(name: &str, list: &[u8]) -> Result<Vec<B256>> {
    list.chunks(HASH_LENGTH).map(|each| bytes::hash(name, each)).collect()
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
    pub fn add_kept(&mut self, block_hashes: Uint8Array, removed: bool) -> u32 {
        let hashes = block_hashes.chunks_exact(HASH_LENGTH).map(B256::from_slice);
        self.page.add_kept(hashes, removed) as u32
    }

    /// Adds a block: RLP list of its receipts, RLP `[transactions, uncles]`.
    #[napi(catch_unwind)]
    pub fn add_stored(
        &mut self,
        hash: Uint8Array,
        number: i64,
        receipts: Uint8Array,
        body: Uint8Array,
        removed: bool,
    ) -> Result<()> {
        let block = StoredBlock {
            hash: bytes::hash("block hash", &hash)?,
            number: u64::try_from(number).map_err(invalid)?,
            receipts: &receipts,
            body: &body,
        };
        self.page.add_stored(&block, removed).map_err(invalid)
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

    /// Takes the text: objects with commas between. The page is empty then.
    #[napi(catch_unwind)]
    pub fn take(&mut self) -> Buffer {
        self.page.take().into()
    }
}
