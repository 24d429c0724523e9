//! Bitcoin transactions that were processed, and data of coinbase transactions about their blocks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes};

use super::codec::{self, Item, ListWriter, malformed};
use super::recent::Recent;
use super::{Frame, keys};

thread_local! {
    static RECENT: RefCell<Recent<Processed>> = const { RefCell::new(Recent::new()) };
}

/// Heights by transaction hash, from before RSKIP134: a list that only grows until then, and that every call which
/// reads it writes back.
#[derive(Clone, Default)]
struct Processed {
    heights: Arc<BTreeMap<B256, i64>>,
    /// Its encoding, if it is known.
    cell: Option<Bytes>,
}

impl Processed {
    fn decode(cell: Bytes) -> Result<Self, ContractError> {
        if let Some(known) = RECENT.with_borrow_mut(|recent| recent.get(&cell)) {
            return Ok(known);
        }
        let heights = decode_processed(&cell)?;
        // A cell in another form than ours is written back in ours.
        let is_ours = encode_processed(&heights)[..] == cell[..];
        let processed = Self { heights: Arc::new(heights), cell: is_ours.then(|| cell.clone()) };
        RECENT.with_borrow_mut(|recent| recent.put(cell, processed.clone()));
        Ok(processed)
    }

    fn insert(&mut self, transaction: B256, height: i64) {
        self.cell = None;
        Arc::make_mut(&mut self.heights).insert(transaction, height);
    }

    fn encode(self) -> Bytes {
        self.cell.unwrap_or_else(|| encode_processed(&self.heights).into())
    }
}

#[derive(Default)]
pub(crate) struct ProcessedCells {
    list: Option<Processed>,
    /// Separate cells, from RSKIP134 on.
    heights: BTreeMap<B256, i64>,
    /// Witness merkle root by block; None if it was looked up and is missing.
    coinbase: BTreeMap<B256, Option<B256>>,
}

impl Frame<'_> {
    /// Block in which a Bitcoin transaction was processed.
    pub(crate) fn processed_height(&mut self, transaction: B256) -> Result<Option<i64>, ContractError> {
        if let Some(height) = self.processed_list()?.heights.get(&transaction) {
            return Ok(Some(*height));
        }
        if !self.active(Rule::Rskip134) {
            return Ok(None);
        }
        if let Some(height) = self.cells.processed.heights.get(&transaction) {
            return Ok(Some(*height));
        }
        let Some(cell) = self.read(keys::PROCESSED_HEIGHT.key_of_hash(transaction))? else { return Ok(None) };
        let height = codec::long_cell(&cell)?;
        self.cells.processed.heights.insert(transaction, height);
        Ok(Some(height))
    }

    /// Records that a Bitcoin transaction was processed in a block.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn set_processed_height(&mut self, transaction: B256, height: i64) -> Result<(), ContractError> {
        if self.active(Rule::Rskip134) {
            self.cells.processed.heights.insert(transaction, height);
        } else {
            self.processed_list()?.insert(transaction, height);
        }
        Ok(())
    }

    fn processed_list(&mut self) -> Result<&mut Processed, ContractError> {
        if self.cells.processed.list.is_none() {
            let cell = self.read(keys::PROCESSED.key())?;
            self.cells.processed.list = Some(cell.map_or(Ok(Processed::default()), Processed::decode)?);
        }
        Ok(self.cells.processed.list.get_or_insert_default())
    }

    /// Witness merkle root registered for a Bitcoin block (RSKIP143).
    pub(crate) fn witness_root(&mut self, block: B256) -> Result<Option<B256>, ContractError> {
        if !self.active(Rule::Rskip143) {
            return Ok(None);
        }
        if let Some(root) = self.cells.processed.coinbase.get(&block) {
            return Ok(*root);
        }
        let cell = self.read(keys::COINBASE_INFORMATION.key_of_hash(block))?;
        let root = cell.map(|cell| decode_witness_root(&cell)).transpose()?;
        self.cells.processed.coinbase.insert(block, root);
        Ok(root)
    }

    /// Registers the witness merkle root of a Bitcoin block (RSKIP143).
    pub fn set_witness_root(&mut self, block: B256, root: B256) {
        if self.active(Rule::Rskip143) {
            self.cells.processed.coinbase.insert(block, Some(root));
        }
    }

    pub(super) fn save_processed(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.processed);
        if let Some(list) = cells.list {
            self.write(keys::PROCESSED.key(), list.encode())?;
        }
        for (hash, height) in cells.heights {
            self.write(keys::PROCESSED_HEIGHT.key_of_hash(hash), codec::encode_long(height))?;
        }
        for (block, root) in cells.coinbase {
            let cell = root.map(encode_witness_root).unwrap_or_default();
            self.write(keys::COINBASE_INFORMATION.key_of_hash(block), cell)?;
        }
        Ok(())
    }
}

/// Heights by transaction, in the form before RSKIP134.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_processed(cell: &[u8]) -> Result<BTreeMap<B256, i64>, ContractError> {
    let records = codec::records(cell)?.into_iter();
    records.map(|[hash, height]: [Item<'_>; 2]| Ok((hash.hash()?, height.long()?))).collect()
}

/// Sorted from the last byte of the hash to the first.
pub fn encode_processed(list: &BTreeMap<B256, i64>) -> Vec<u8> {
    let mut list: Vec<_> = list.iter().collect();
    list.sort_by(|(left, _), (right, _)| left.iter().rev().cmp(right.iter().rev()));
    let mut out = ListWriter::default();
    for (hash, height) in list {
        out.bytes(hash.as_slice()).long(*height);
    }
    out.finish()
}

/// Reads the registered root of a block.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_witness_root(cell: &[u8]) -> Result<B256, ContractError> {
    match codec::items(cell)?[..] {
        [root] => root.hash(),
        _ => Err(malformed()),
    }
}

/// The cell of a block's registered root.
pub fn encode_witness_root(root: B256) -> Vec<u8> {
    ListWriter::default().bytes(root.as_slice()).finish()
}
