//! The Bitcoin headers that the Bridge knows (bridge.md §3.1).

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes, U256};

use crate::bitcoin::header::{StoredHeader, work};
use crate::federation::Federation;
use crate::storage::{Frame, codec, keys};

/// Seconds that a checkpoint must be older than the federation.
const CHECKPOINT_MARGIN: u64 = 7 * 86_400;

fn throws(text: &str) -> ContractError {
    ContractError::Failed(text.into())
}

fn header_80(bytes: &Bytes) -> Result<[u8; 80], ContractError> {
    bytes.as_ref().try_into().map_err(|_| throws("a Bitcoin header of the network table is not 80 bytes long"))
}

impl Frame<'_> {
    /// The first header of the Bitcoin network.
    fn first_header(&self) -> Result<StoredHeader, ContractError> {
        let header = header_80(&self.bridge().bitcoin.genesis_header)?;
        Ok(StoredHeader { chain_work: work(&header), height: 0, header })
    }

    /// The checkpoint for the active federation; None on networks without checkpoints. The network
    /// table holds the one for the genesis federation, with which every store starts.
    fn checkpoint(&mut self) -> Result<Option<StoredHeader>, ContractError> {
        let active = self.active_federation()?;
        let Some(checkpoint) = &self.bridge().bitcoin.checkpoint else { return Ok(None) };
        if active.creation_time != Federation::genesis(self.bridge(), self.rules).creation_time {
            return Err(ContractError::Unsupported("a Bitcoin checkpoint for a later federation".into()));
        }
        if active.creation_time <= CHECKPOINT_MARGIN {
            return Err(throws("the federation is older than every checkpoint"));
        }
        let header = header_80(&checkpoint.header)?;
        let height = i32::try_from(checkpoint.height).map_err(|_| throws("the checkpoint is too high"))?;
        Ok(Some(StoredHeader { chain_work: checkpoint.chain_work, height, header }))
    }

    /// Opens the store. The first time this writes the first header and, where there is one, the
    /// checkpoint, which becomes the head.
    pub(crate) fn open_headers(&mut self) -> Result<StoredHeader, ContractError> {
        let first = self.first_header()?;
        let head = match self.header_cell(keys::CHAIN_HEAD.key())? {
            Some(head) => head,
            None => {
                self.put_header(&first)?;
                self.set_head(&first)?;
                first.clone()
            }
        };
        if head.hash() != first.hash() {
            return Ok(head);
        }
        let Some(checkpoint) = self.checkpoint()? else { return Ok(head) };
        self.put_header(&checkpoint)?;
        self.set_head(&checkpoint)?;
        Ok(checkpoint)
    }

    fn header_cell(&mut self, key: U256) -> Result<Option<StoredHeader>, ContractError> {
        self.read(key)?.map(|data| StoredHeader::decode(&data)).transpose()
    }

    fn put_header(&mut self, header: &StoredHeader) -> Result<(), ContractError> {
        let encoded = header.encode(self.active(Rule::Rskip454))?;
        self.write_through(header.hash().into(), encoded)
    }

    fn set_head(&mut self, header: &StoredHeader) -> Result<(), ContractError> {
        let encoded = header.encode(self.active(Rule::Rskip454))?;
        self.write_through(keys::CHAIN_HEAD.key(), encoded)?;
        if self.active(Rule::Rskip199) {
            self.cells.header_index.insert(header.height as u32, header.hash());
        }
        Ok(())
    }

    /// A header by its hash; None when it is not stored. The store must be open.
    pub(crate) fn header(&mut self, hash: B256) -> Result<Option<StoredHeader>, ContractError> {
        self.header_cell(hash.into())
    }

    /// The header with which the store started.
    pub(crate) fn lowest_header(&mut self) -> Result<StoredHeader, ContractError> {
        match self.checkpoint()? {
            Some(checkpoint) => Ok(checkpoint),
            None => self.first_header(),
        }
    }

    /// The best chain's header `depth` below the head; None when the walk leaves the store.
    pub(crate) fn header_at_depth(&mut self, depth: i32) -> Result<Option<StoredHeader>, ContractError> {
        let head = self.open_headers()?;
        let mut hash = head.hash();
        for _ in 0..depth {
            match self.header(hash)? {
                Some(header) => hash = header.parent(),
                None => return Ok(None),
            }
        }
        match self.header(hash)? {
            Some(header) if header.height != head.height.wrapping_sub(depth) => {
                Err(throws("a Bitcoin header is not at the height where it should be"))
            }
            found => Ok(found),
        }
    }

    /// The best chain's header at a height. From RSKIP199 on by the index where it reaches, and not
    /// deeper than the index or a fixed depth.
    pub(crate) fn header_at_height(&mut self, height: i32) -> Result<Option<StoredHeader>, ContractError> {
        let head = self.open_headers()?.height;
        let depth = head.wrapping_sub(height);
        if depth < 0 {
            return Err(throws("the height is above the Bitcoin chain head"));
        }
        if self.active(Rule::Rskip199) {
            let index = &self.bridge().height_index;
            let (activation, most) = (index.activation as i32, index.max_depth_below as i32);
            let limit = if head.wrapping_sub(activation) > most { activation } else { head.wrapping_sub(most) };
            if height < limit {
                return Err(throws("the height is below the depth of the search"));
            }
            if let Some(data) = self.read(keys::HEADER_AT_HEIGHT.key(&height.to_string()))? {
                let hash = codec::hash_cell(&data)?;
                if let Some(header) = self.header(hash)? {
                    return Ok(Some(header));
                }
            }
        }
        self.header_at_depth(depth)
    }
}
