//! Answers as text.

use std::path::Path;
use std::sync::Arc;

use napi_derive::napi;
use rhizome_answers::{BlockMembers, MinedBlock, MinedTransaction, ObjectBlock, StoredBlock, TextKind};

use crate::borrowed::Borrowed;
use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};

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
}

/// Subject of a text.
#[napi(string_enum = "camelCase")]
pub enum TextSubject {
    /// A receipt, by the hash of its transaction.
    Receipt,
    /// A mined transaction, by its hash.
    Transaction,
    /// The receipts of a block as an array, by its hash.
    BlockReceipts,
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
            TextSubject::BlockReceipts => Self::BlockReceipts,
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
    /// Position in the block.
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

impl MinedBlockBytes {
    /// The block as the writers take it.
    pub fn mined(&self) -> Result<MinedBlock<'_>> {
        Ok(MinedBlock {
            hash: bytes::hash("block hash", &self.hash)?,
            number: height(self.number)?,
            body: &self.body,
            senders: &self.senders,
        })
    }
}

/// A height.
pub fn height(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(invalid)
}

#[napi]
impl EncodedObjectCache {
    /// The text of a hash, if it is kept and describes something in that block.
    #[napi(catch_unwind)]
    pub fn text(&self, subject: TextSubject, hash: Uint8Array, block_hash: Uint8Array) -> Result<Option<Buffer>> {
        let block_hash = bytes::hash("block hash", &block_hash)?;
        let text = self.inner.with_text(subject.into(), bytes::hash("hash", &hash)?, |text| {
            (text.block.block_hash == block_hash).then(|| text.json.to_vec())
        });
        Ok(text.flatten().map(Into::into))
    }

    /// Writes and keeps a block. The members before and after its transactions are JSON text of an object each.
    #[napi(catch_unwind)]
    pub fn write_block(&self, full: bool, block: MinedBlockBytes, before: String, after: String) -> Result<Buffer> {
        let mined = block.mined()?;
        let members = BlockMembers { before: &before, after: &after };
        let text = rhizome_answers::write_block(&mined, full, &members).map_err(invalid)?;
        let kind = if full { TextKind::FullBlock } else { TextKind::Block };
        self.keep(kind, &mined, &text);
        Ok(text.into())
    }

    /// Writes and keeps the receipts of a block. @param receipts RLP list of them
    #[napi(catch_unwind)]
    pub fn write_receipts(
        &self,
        block: MinedBlockBytes,
        #[napi(ts_arg_type = "Uint8Array")] receipts: Borrowed<u8>,
    ) -> Result<Buffer> {
        let mined = block.mined()?;
        let text = rhizome_answers::write_receipts(&mined, &receipts).map_err(invalid)?;
        self.keep(TextKind::BlockReceipts, &mined, &text);
        Ok(text.into())
    }

    /// Writes and keeps the logs of a block. @param receipts RLP list of its receipts; `body`: RLP `[transactions,
    /// uncles]`
    #[napi(catch_unwind)]
    pub fn write_logs(
        &self,
        hash: Uint8Array,
        number: i64,
        #[napi(ts_arg_type = "Uint8Array")] receipts: Borrowed<u8>,
        #[napi(ts_arg_type = "Uint8Array")] body: Borrowed<u8>,
    ) -> Result<()> {
        let hash = bytes::hash("block hash", &hash)?;
        let block = StoredBlock { hash, number: height(number)?, receipts: &receipts, body: &body };
        self.inner.write_logs(&block).map_err(invalid)
    }

    fn keep(&self, kind: TextKind, block: &MinedBlock<'_>, text: &[u8]) {
        let object_block = ObjectBlock { block_hash: block.hash, block_number: block.number };
        self.inner.keep_text(kind, block.hash, object_block, text);
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
        let object_block = ObjectBlock { block_hash: mined.block_hash, block_number: mined.block_number };
        self.inner.keep_text(kind, mined.hash, object_block, &text);
        Ok(text.into())
    }
}
