//! The first headers of the store, and its cells (bridge.md §3.1).

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes, U256};

use super::throws;
use crate::federation::Federation;
use crate::storage::{Frame, keys};
use rhizome_bitcoin::checkpoints;
use rhizome_bitcoin::stored_header::{StoredHeader, work};

/// Minimum age difference, in seconds, between a checkpoint and the federation.
const CHECKPOINT_MARGIN: i64 = 7 * 86_400;

fn header_80(bytes: &Bytes) -> Result<[u8; 80], ContractError> {
    bytes.as_ref().try_into().map_err(|_| throws("a Bitcoin header of the network table is not 80 bytes long"))
}

impl Frame<'_> {
    /// The first header of the Bitcoin network.
    fn first_header(&self) -> Result<StoredHeader, ContractError> {
        let header = header_80(&self.bridge().bitcoin.genesis_header)?;
        Ok(StoredHeader { chain_work: work(&header), height: 0, header })
    }

    fn has_checkpoints(&self) -> bool {
        !checkpoints::entries(self.bridge().bitcoin.network).is_empty()
    }

    /// The checkpoint for a federation, chosen by the number that is stored as its creation time.
    fn checkpoint(&self, federation: &Federation) -> Result<StoredHeader, ContractError> {
        let first = self.first_header()?;
        let seconds = federation.creation_time.saturating_sub(CHECKPOINT_MARGIN);
        if seconds <= i64::from(first.block_header().time()) {
            return Err(throws("the federation is older than the Bitcoin chain"));
        }
        Ok(checkpoints::before(self.bridge().bitcoin.network, seconds).unwrap_or(first))
    }

    /// Opens the store and returns its head. The first time this writes the first header and, where there is
    /// one, the checkpoint, which becomes the head.
    pub(crate) fn open_headers(&mut self) -> Result<StoredHeader, ContractError> {
        let first = self.first_header()?;
        let head = match self.header_cell(keys::CHAIN_HEAD.key())? {
            Some(head) => head,
            None => {
                let hash = first.hash();
                self.put_header(&first, hash)?;
                self.set_head(&first, hash)?;
                first.clone()
            }
        };
        if head.header != first.header {
            return Ok(head);
        }
        let active = self.active_federation()?;
        if active.creation_time <= 0 || !self.has_checkpoints() {
            return Ok(head);
        }
        let checkpoint = self.checkpoint(&active)?;
        let hash = checkpoint.hash();
        self.put_header(&checkpoint, hash)?;
        self.set_head(&checkpoint, hash)?;
        Ok(checkpoint)
    }

    fn header_cell(&mut self, key: U256) -> Result<Option<StoredHeader>, ContractError> {
        self.read(key)?.map(|data| StoredHeader::decode(&data).map_err(throws)).transpose()
    }

    fn encode_header(&self, header: &StoredHeader) -> Result<Vec<u8>, ContractError> {
        header.encode(self.active(Rule::Rskip454)).map_err(throws)
    }

    /// Stores a header under its hash, immediately.
    pub(super) fn put_header(&mut self, header: &StoredHeader, hash: B256) -> Result<(), ContractError> {
        let encoded = self.encode_header(header)?;
        self.write_through(hash.into(), encoded)
    }

    /// Makes a header the head, immediately, and indexes it by its height.
    pub(super) fn set_head(&mut self, header: &StoredHeader, hash: B256) -> Result<(), ContractError> {
        let encoded = self.encode_header(header)?;
        self.write_through(keys::CHAIN_HEAD.key(), encoded)?;
        self.set_best_hash_at(header.height, hash);
        Ok(())
    }

    /// A header by its hash; None when it is not stored. The store must be open.
    pub(crate) fn header(&mut self, hash: B256) -> Result<Option<StoredHeader>, ContractError> {
        self.header_cell(hash.into())
    }

    /// The header at which the store starts under the active federation.
    pub(crate) fn lowest_header(&mut self) -> Result<StoredHeader, ContractError> {
        if !self.has_checkpoints() {
            return self.first_header();
        }
        let active = self.active_federation()?;
        self.checkpoint(&active)
    }
}
