//! Peg-outs that wait for confirmations (bridge.md §2.2).

use rhizome_bitcoin::Transaction;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, Item, ListWriter};
use super::transaction::decode_transaction;
use super::{Frame, keys};
use crate::pegout::confirmations::ConfirmationSet;

/// A peg-out waiting for confirmations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingPegout {
    /// Bitcoin transaction, without signatures.
    pub transaction: Transaction,
    /// Block in which it was created.
    pub created_at: i64,
    /// Hash of the transaction that created it; None before RSKIP146.
    pub transaction_hash: Option<B256>,
}

impl Frame<'_> {
    /// Peg-outs waiting for confirmations.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn waiting_for_confirmations(&mut self) -> Result<&mut ConfirmationSet, ContractError> {
        if self.cells.confirmations.is_none() {
            let mut plain = Vec::new();
            if let Some(cell) = self.read(keys::CONFIRMATIONS.key())? {
                plain = decode_confirmations(&cell)?;
            }
            let mut hashed = None;
            if self.active(Rule::Rskip146) {
                let cell = self.read(keys::CONFIRMATIONS_WITH_HASH.key())?;
                hashed = Some(cell.map_or(Ok(Vec::new()), |cell| decode_confirmations_with_hash(&cell))?);
            }
            self.cells.confirmations = Some(ConfirmationSet::load(self.active(Rule::Rskip559), plain, hashed));
        }
        Ok(self.cells.confirmations.get_or_insert_default())
    }

    pub(super) fn save_confirmations(&mut self) -> Result<(), ContractError> {
        let Some(waiting) = self.cells.confirmations.take() else { return Ok(()) };
        self.write(keys::CONFIRMATIONS.key(), encode_confirmations(waiting.sorted(), false))?;
        if self.active(Rule::Rskip146) {
            self.write(keys::CONFIRMATIONS_WITH_HASH.key(), encode_confirmations(waiting.sorted(), true))?;
        }
        Ok(())
    }
}

/// Reads the cell of peg-outs without hash.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_confirmations(cell: &[u8]) -> Result<Vec<WaitingPegout>, ContractError> {
    let records = codec::records(cell)?.into_iter();
    records
        .map(|[transaction, height]: [Item<'_>; 2]| {
            let transaction = decode_transaction(transaction.bytes()?)?;
            Ok(WaitingPegout { transaction, created_at: height.long()?, transaction_hash: None })
        })
        .collect()
}

/// Reads the cell of peg-outs with hash.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_confirmations_with_hash(cell: &[u8]) -> Result<Vec<WaitingPegout>, ContractError> {
    let records = codec::records(cell)?.into_iter();
    records
        .map(|[transaction, height, hash]: [Item<'_>; 3]| {
            let transaction = decode_transaction(transaction.bytes()?)?;
            Ok(WaitingPegout { transaction, created_at: height.long()?, transaction_hash: Some(hash.hash()?) })
        })
        .collect()
}

/// Writes the cell of those with or those without hash; they must be sorted by the bytes of their transactions.
pub fn encode_confirmations<'a>(sorted: impl IntoIterator<Item = &'a WaitingPegout>, hashed: bool) -> Vec<u8> {
    let mut out = ListWriter::default();
    for pegout in sorted {
        if pegout.transaction_hash.is_some() == hashed {
            out.bytes(&pegout.transaction.serialize()).long(pegout.created_at);
            if let Some(hash) = pegout.transaction_hash {
                out.bytes(hash.as_slice());
            }
        }
    }
    out.finish()
}
