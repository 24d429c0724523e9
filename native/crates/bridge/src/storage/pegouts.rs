//! Peg-outs on their way: requests, transactions waiting for confirmations, for signatures.

use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, ListWriter};
use super::{Frame, keys};

/// A request to be paid out on the Bitcoin side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRequest {
    /// Destination, pay-to-public-key-hash.
    pub destination: [u8; 20],
    /// Satoshi.
    pub amount: u64,
    /// Hash of the requesting transaction; None for requests older than RSKIP146.
    pub transaction_hash: Option<B256>,
}

/// A peg-out waiting for confirmations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingPegout {
    /// Bitcoin transaction, serialised.
    pub transaction: Vec<u8>,
    /// Block of its creation.
    pub created_at: u64,
    /// Hash of the transaction that made it; None before RSKIP146.
    pub transaction_hash: Option<B256>,
}

#[derive(Default)]
pub(crate) struct PegoutCells {
    requests: Option<Vec<ReleaseRequest>>,
    confirmations: Option<Vec<WaitingPegout>>,
    signatures: Option<Vec<(B256, Vec<u8>)>>,
    next_height: Option<u64>,
}

impl Frame<'_> {
    /// Requests in the order of their arrival.
    pub(crate) fn requests(&mut self) -> Result<&mut Vec<ReleaseRequest>, ContractError> {
        if self.cells.pegouts.requests.is_none() {
            let mut requests = self.read_requests(keys::REQUESTS, false)?;
            if self.active(Rule::Rskip146) {
                requests.extend(self.read_requests(keys::REQUESTS_WITH_HASH, true)?);
            }
            self.cells.pegouts.requests = Some(requests);
        }
        Ok(self.cells.pegouts.requests.get_or_insert_default())
    }

    fn read_requests(&mut self, key: keys::Named, hashed: bool) -> Result<Vec<ReleaseRequest>, ContractError> {
        let Some(data) = self.read(key.key())? else { return Ok(Vec::new()) };
        let items = codec::items(&data)?;
        let (records, rest) =
            (items.chunks_exact(if hashed { 3 } else { 2 }), items.len() % if hashed { 3 } else { 2 });
        if rest != 0 {
            return Err(codec::malformed());
        }
        records
            .map(|record| {
                Ok(ReleaseRequest {
                    destination: codec::array(record[0])?,
                    amount: codec::integer(record[1])?,
                    transaction_hash: record.get(2).map(|item| codec::hash(*item)).transpose()?,
                })
            })
            .collect()
    }

    /// Peg-outs waiting for confirmations, in stored order: sorted by transaction bytes, those without
    /// hash first.
    pub(crate) fn waiting_for_confirmations(&mut self) -> Result<&[WaitingPegout], ContractError> {
        if self.cells.pegouts.confirmations.is_none() {
            let mut waiting = self.read_waiting(keys::CONFIRMATIONS, false)?;
            if self.active(Rule::Rskip146) {
                waiting.extend(self.read_waiting(keys::CONFIRMATIONS_WITH_HASH, true)?);
            }
            self.cells.pegouts.confirmations = Some(waiting);
        }
        Ok(self.cells.pegouts.confirmations.as_deref().unwrap_or_default())
    }

    fn read_waiting(&mut self, key: keys::Named, hashed: bool) -> Result<Vec<WaitingPegout>, ContractError> {
        let Some(data) = self.read(key.key())? else { return Ok(Vec::new()) };
        let items = codec::items(&data)?;
        let size = if hashed { 3 } else { 2 };
        if items.len() % size != 0 {
            return Err(codec::malformed());
        }
        items
            .chunks_exact(size)
            .map(|record| {
                Ok(WaitingPegout {
                    transaction: codec::bytes(record[0])?.to_vec(),
                    created_at: codec::integer(record[1])?,
                    transaction_hash: record.get(2).map(|item| codec::hash(*item)).transpose()?,
                })
            })
            .collect()
    }

    /// Transactions waiting for signatures by the hash that names them, sorted from the last byte to
    /// the first.
    pub(crate) fn waiting_for_signatures(&mut self) -> Result<&[(B256, Vec<u8>)], ContractError> {
        if self.cells.pegouts.signatures.is_none() {
            let mut waiting = Vec::new();
            if let Some(data) = self.read(keys::SIGNATURES.key())? {
                for record in codec::items(&data)?.chunks_exact(2) {
                    waiting.push((codec::hash(record[0])?, codec::bytes(record[1])?.to_vec()));
                }
            }
            self.cells.pegouts.signatures = Some(waiting);
        }
        Ok(self.cells.pegouts.signatures.as_deref().unwrap_or_default())
    }

    /// Block from which the next batch may be made; zero before RSKIP271 and until it is first set.
    pub(crate) fn next_pegout_height(&mut self) -> Result<u64, ContractError> {
        if !self.active(Rule::Rskip271) {
            return Ok(0);
        }
        if let Some(height) = self.cells.pegouts.next_height {
            return Ok(height);
        }
        let stored = self.read(keys::NEXT_PEGOUT_HEIGHT.key())?;
        let height = stored.map_or(Ok(0), |data| codec::integer_cell(&data))?;
        self.cells.pegouts.next_height = Some(height);
        Ok(height)
    }

    pub(crate) fn set_next_pegout_height(&mut self, height: u64) {
        self.cells.pegouts.next_height = Some(height);
    }

    pub(super) fn save_pegouts(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.pegouts);
        let hashed = self.active(Rule::Rskip146);
        if let Some(requests) = cells.requests {
            self.write(keys::REQUESTS.key(), encode_requests(&requests, false))?;
            if hashed {
                self.write(keys::REQUESTS_WITH_HASH.key(), encode_requests(&requests, true))?;
            }
        }
        if let Some(waiting) = cells.confirmations {
            self.write(keys::CONFIRMATIONS.key(), encode_confirmations(&waiting, false))?;
            if hashed {
                self.write(keys::CONFIRMATIONS_WITH_HASH.key(), encode_confirmations(&waiting, true))?;
            }
        }
        if let Some(waiting) = cells.signatures {
            self.write(keys::SIGNATURES.key(), encode_signatures(&waiting))?;
        }
        if let Some(height) = cells.next_height {
            self.write(keys::NEXT_PEGOUT_HEIGHT.key(), codec::encode_integer(height))?;
        }
        Ok(())
    }
}

/// Those with or those without hash.
pub(crate) fn encode_requests(requests: &[ReleaseRequest], hashed: bool) -> Vec<u8> {
    let mut out = ListWriter::default();
    for request in requests.iter().filter(|request| request.transaction_hash.is_some() == hashed) {
        out.bytes(&request.destination).integer(request.amount);
        if let Some(hash) = request.transaction_hash {
            out.bytes(hash.as_slice());
        }
    }
    out.finish()
}

/// Those with or those without hash.
pub(crate) fn encode_confirmations(waiting: &[WaitingPegout], hashed: bool) -> Vec<u8> {
    let mut out = ListWriter::default();
    for pegout in waiting.iter().filter(|pegout| pegout.transaction_hash.is_some() == hashed) {
        out.bytes(&pegout.transaction).integer(pegout.created_at);
        if let Some(hash) = pegout.transaction_hash {
            out.bytes(hash.as_slice());
        }
    }
    out.finish()
}

pub(crate) fn encode_signatures(waiting: &[(B256, Vec<u8>)]) -> Vec<u8> {
    let mut out = ListWriter::default();
    for (hash, transaction) in waiting {
        out.bytes(hash.as_slice()).bytes(transaction);
    }
    out.finish()
}
