//! Bitcoin transactions that were dealt with, and what coinbase transactions told about their blocks.

use std::collections::BTreeMap;

use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, ListWriter};
use super::{Frame, keys};

#[derive(Default)]
pub(crate) struct ProcessedCells {
    /// Heights by transaction hash, from before RSKIP134.
    list: Option<Vec<(B256, u64)>>,
    /// Cells of their own, from RSKIP134 on.
    heights: BTreeMap<B256, u64>,
    /// Witness merkle root by block; None: looked for and not there.
    coinbase: BTreeMap<B256, Option<B256>>,
}

impl Frame<'_> {
    /// Block in which a Bitcoin transaction was processed.
    pub(crate) fn processed_height(&mut self, transaction: B256) -> Result<Option<u64>, ContractError> {
        if self.cells.processed.list.is_none() {
            let mut list = Vec::new();
            if let Some(data) = self.read(keys::PROCESSED.key())? {
                let items = codec::items(&data)?;
                if items.len() % 2 != 0 {
                    return Err(codec::malformed());
                }
                for record in items.chunks_exact(2) {
                    list.push((codec::hash(record[0])?, codec::integer(record[1])?));
                }
            }
            self.cells.processed.list = Some(list);
        }
        let list = self.cells.processed.list.as_deref().unwrap_or_default();
        if let Some((_, height)) = list.iter().find(|(hash, _)| *hash == transaction) {
            return Ok(Some(*height));
        }
        if !self.active(Rule::Rskip134) {
            return Ok(None);
        }
        if let Some(height) = self.cells.processed.heights.get(&transaction) {
            return Ok(Some(*height));
        }
        let Some(data) = self.read(keys::PROCESSED_HEIGHT.key_of_hash(transaction))? else { return Ok(None) };
        let height = codec::integer_cell(&data)?;
        self.cells.processed.heights.insert(transaction, height);
        Ok(Some(height))
    }

    /// Witness merkle root registered for a Bitcoin block (RSKIP143).
    pub(crate) fn witness_root(&mut self, block: B256) -> Result<Option<B256>, ContractError> {
        if !self.active(Rule::Rskip143) {
            return Ok(None);
        }
        if let Some(root) = self.cells.processed.coinbase.get(&block) {
            return Ok(*root);
        }
        let data = self.read(keys::COINBASE_INFORMATION.key_of_hash(block))?;
        let root = match data {
            None => None,
            Some(data) => match codec::items(&data)?[..] {
                [root] => Some(codec::hash(root)?),
                _ => return Err(codec::malformed()),
            },
        };
        self.cells.processed.coinbase.insert(block, root);
        Ok(root)
    }

    pub(super) fn save_processed(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.processed);
        if let Some(mut list) = cells.list {
            list.sort_by(|(left, _), (right, _)| left.iter().rev().cmp(right.iter().rev()));
            let mut out = ListWriter::default();
            for (hash, height) in &list {
                out.bytes(hash.as_slice()).integer(*height);
            }
            self.write(keys::PROCESSED.key(), out.finish())?;
        }
        for (hash, height) in cells.heights {
            self.write(keys::PROCESSED_HEIGHT.key_of_hash(hash), codec::encode_integer(height))?;
        }
        for (block, root) in cells.coinbase {
            let key = keys::COINBASE_INFORMATION.key_of_hash(block);
            match root {
                Some(root) => self.write(key, ListWriter::default().bytes(root.as_slice()).finish())?,
                None => self.delete(key)?,
            }
        }
        Ok(())
    }
}
