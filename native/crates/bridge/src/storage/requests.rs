//! Peg-out requests, and the height of the next batch (bridge.md §2.2).

use std::cell::RefCell;
use std::sync::Arc;

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes};

use super::codec::{self, Item, ListWriter};
use super::recent::Recent;
use super::{Frame, keys};

thread_local! {
    static RECENT: RefCell<Recent<Arc<[ReleaseRequest]>>> = const { RefCell::new(Recent::new()) };
}

/// A peg-out request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRequest {
    /// Destination, pay-to-public-key-hash.
    pub destination: [u8; 20],
    /// Satoshi.
    pub amount: i64,
    /// Hash of the requesting transaction; None for requests older than RSKIP146.
    pub transaction_hash: Option<B256>,
}

#[derive(Default)]
pub(crate) struct RequestCells {
    requests: Option<Vec<ReleaseRequest>>,
    next_height: Option<i64>,
}

impl Frame<'_> {
    /// Requests in the order of their arrival.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn requests(&mut self) -> Result<&mut Vec<ReleaseRequest>, ContractError> {
        if self.cells.requests.requests.is_none() {
            let mut requests = Vec::new();
            if let Some(cell) = self.read(keys::REQUESTS.key())? {
                requests = decode_requests(&cell)?;
            }
            if self.active(Rule::Rskip146)
                && let Some(cell) = self.read(keys::REQUESTS_WITH_HASH.key())?
            {
                requests.extend_from_slice(&recent_requests(cell)?);
            }
            self.cells.requests.requests = Some(requests);
        }
        Ok(self.cells.requests.requests.get_or_insert_default())
    }

    /// Block from which the next batch may be made; zero before RSKIP271 and until it is first set.
    pub(crate) fn next_pegout_height(&mut self) -> Result<i64, ContractError> {
        if !self.active(Rule::Rskip271) {
            return Ok(0);
        }
        if let Some(height) = self.cells.requests.next_height {
            return Ok(height);
        }
        let stored = self.read(keys::NEXT_PEGOUT_HEIGHT.key())?;
        let height = stored.map_or(Ok(0), |cell| codec::long_cell(&cell))?;
        self.cells.requests.next_height = Some(height);
        Ok(height)
    }

    /// Sets the block from which the next batch may be made (RSKIP271).
    pub fn set_next_pegout_height(&mut self, height: i64) {
        self.cells.requests.next_height = Some(height);
    }

    pub(super) fn save_requests(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.requests);
        if let Some(requests) = cells.requests {
            self.write(keys::REQUESTS.key(), encode_requests(&requests, false))?;
            if self.active(Rule::Rskip146) {
                self.write(keys::REQUESTS_WITH_HASH.key(), encode_requests(&requests, true))?;
            }
        }
        match cells.next_height {
            Some(height) if self.active(Rule::Rskip271) => {
                self.write(keys::NEXT_PEGOUT_HEIGHT.key(), codec::encode_long(height))
            }
            _ => Ok(()),
        }
    }
}

/// The decoded requests of a cell with hashes, cached.
fn recent_requests(cell: Bytes) -> Result<Arc<[ReleaseRequest]>, ContractError> {
    if let Some(known) = RECENT.with_borrow_mut(|recent| recent.get(&cell)) {
        return Ok(known);
    }
    let requests: Arc<[ReleaseRequest]> = decode_requests_with_hash(&cell)?.into();
    RECENT.with_borrow_mut(|recent| recent.put(cell, requests.clone()));
    Ok(requests)
}

/// Reads the cell of requests without hash.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_requests(cell: &[u8]) -> Result<Vec<ReleaseRequest>, ContractError> {
    let records = codec::records(cell)?.into_iter();
    records
        .map(|[destination, amount]: [Item<'_>; 2]| {
            Ok(ReleaseRequest { destination: destination.array()?, amount: amount.long()?, transaction_hash: None })
        })
        .collect()
}

/// Reads the cell of requests with hash.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_requests_with_hash(cell: &[u8]) -> Result<Vec<ReleaseRequest>, ContractError> {
    let records = codec::records(cell)?.into_iter();
    records
        .map(|[destination, amount, hash]: [Item<'_>; 3]| {
            let (destination, amount) = (destination.array()?, amount.long()?);
            Ok(ReleaseRequest { destination, amount, transaction_hash: Some(hash.hash()?) })
        })
        .collect()
}

/// Writes the cell of those with or those without hash.
pub fn encode_requests(requests: &[ReleaseRequest], hashed: bool) -> Vec<u8> {
    let mut out = ListWriter::default();
    for request in requests.iter().filter(|request| request.transaction_hash.is_some() == hashed) {
        out.bytes(&request.destination).long(request.amount);
        if let Some(hash) = request.transaction_hash {
            out.bytes(hash.as_slice());
        }
    }
    out.finish()
}
