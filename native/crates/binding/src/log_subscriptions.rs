//! Who takes the logs of a block as they come.

use napi_derive::napi;
use rhizome_answers::StoredBlock;

use crate::answers::{EncodedObjectCache, height};
use crate::borrowed::Borrowed;
use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};
use crate::log_pages::{address_list, topic_lists};

/// Subscribers of logs.
#[napi]
pub struct LogSubscriptions {
    inner: rhizome_answers::LogSubscriptions,
}

#[napi]
impl LogSubscriptions {
    /// Nobody subscribes.
    #[napi(constructor)]
    pub fn new(objects: &EncodedObjectCache) -> Self {
        Self { inner: rhizome_answers::LogSubscriptions::new(objects.inner.clone()) }
    }

    /// Adds a subscriber: addresses of 20 bytes each, by position topics of 32 bytes each; empty lists match anything.
    #[napi(catch_unwind)]
    pub fn add(&mut self, id: i64, addresses: Uint8Array, topics: Vec<Uint8Array>) -> Result<()> {
        self.inner.add(height(id)?, &address_list(&addresses)?, &topic_lists(&topics)?);
        Ok(())
    }

    /// Ends the subscription of an id.
    #[napi(catch_unwind)]
    pub fn remove(&mut self, id: i64) -> Result<()> {
        self.inner.remove(height(id)?);
        Ok(())
    }

    /// A part of the logs of a block that somebody takes, from the log `first` on; null when the logs of the block are
    /// not kept. First the log with which the next part begins 4, 0 after the last part; of each log: bytes of its text 4, number of its subscribers 4, their ids 8 each, all little-endian, and the text.
    #[napi(catch_unwind)]
    pub fn find_kept(&self, block_hash: Uint8Array, removed: bool, first: u32) -> Result<Option<Buffer>> {
        let mut found = vec![0; NEXT_LENGTH];
        let hash = bytes::hash("block hash", &block_hash)?;
        let next = self.inner.find_kept(hash, removed, first as usize, &mut found);
        Ok(next.map(|next| with_next(found, next)))
    }

    /// The same of the stored bytes of a block. @param receipts RLP list of its receipts; `body`: RLP `[transactions,
    /// uncles]`
    #[napi(catch_unwind)]
    pub fn find_stored(
        &self,
        hash: Uint8Array,
        number: i64,
        #[napi(ts_arg_type = "Uint8Array")] receipts: Borrowed<u8>,
        #[napi(ts_arg_type = "Uint8Array")] body: Borrowed<u8>,
        removed: bool,
        first: u32,
    ) -> Result<Buffer> {
        let hash = bytes::hash("block hash", &hash)?;
        let block = StoredBlock { hash, number: height(number)?, receipts: &receipts, body: &body };
        let mut found = vec![0; NEXT_LENGTH];
        let next = self.inner.find_stored(&block, removed, first as usize, &mut found).map_err(invalid)?;
        Ok(with_next(found, next))
    }
}

/// Bytes of the number of the next log.
const NEXT_LENGTH: usize = 4;

fn with_next(mut found: Vec<u8>, next: Option<usize>) -> Buffer {
    found[..NEXT_LENGTH].copy_from_slice(&(next.unwrap_or(0) as u32).to_le_bytes());
    found.into()
}
