//! Peg-outs that wait for signatures (bridge.md §2.2).

use std::collections::BTreeMap;

use rhizome_bitcoin::Transaction;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;

use super::codec::{self, Item, ListWriter};
use super::transaction::decode_transaction;
use super::{Frame, keys};

/// Transactions by the hash of the Rootstock transaction that identifies them, sorted from the last byte of the hash to
/// the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitingForSignatures(BTreeMap<Reversed, Transaction>);

/// A hash with its last byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reversed([u8; 32]);

impl From<B256> for Reversed {
    fn from(hash: B256) -> Self {
        let mut bytes = hash.0;
        bytes.reverse();
        Self(bytes)
    }
}

impl Reversed {
    fn hash(mut self) -> B256 {
        self.0.reverse();
        B256::new(self.0)
    }
}

impl WaitingForSignatures {
    /// The transaction that waits under a hash.
    pub fn get(&self, hash: B256) -> Option<&Transaction> {
        self.0.get(&hash.into())
    }

    /// Adds a transaction, or replaces the one under the same hash.
    pub fn insert(&mut self, hash: B256, transaction: Transaction) {
        self.0.insert(hash.into(), transaction);
    }

    /// Removes the transaction that waits under a hash.
    pub fn remove(&mut self, hash: B256) -> Option<Transaction> {
        self.0.remove(&hash.into())
    }

    /// All transactions, in order.
    pub fn iter(&self) -> impl Iterator<Item = (B256, &Transaction)> {
        self.0.iter().map(|(hash, transaction)| (hash.hash(), transaction))
    }

    /// Number of transactions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads a cell; a last item without a partner is ignored.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn decode(cell: &[u8]) -> Result<Self, ContractError> {
        let items = codec::items(cell)?;
        let mut waiting = Self::default();
        for record in items.as_chunks().0 {
            let (hash, transaction) = decode_entry(record)?;
            waiting.insert(hash, transaction);
        }
        Ok(waiting)
    }

    /// The cell of the transactions.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = ListWriter::default();
        for (hash, transaction) in self.iter() {
            out.bytes(hash.as_slice()).bytes(&transaction.serialize());
        }
        out.finish()
    }
}

/// A hash and its transaction.
pub(crate) fn decode_entry([hash, transaction]: &[Item<'_>; 2]) -> Result<(B256, Transaction), ContractError> {
    Ok((hash.hash()?, decode_transaction(transaction.bytes()?)?))
}

impl Frame<'_> {
    /// Transactions waiting for signatures.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn waiting_for_signatures(&mut self) -> Result<&mut WaitingForSignatures, ContractError> {
        if self.cells.signatures.is_none() {
            let cell = self.read(keys::SIGNATURES.key())?;
            let waiting = cell.map(|cell| WaitingForSignatures::decode(&cell)).transpose()?;
            self.cells.signatures = Some(waiting.unwrap_or_default());
        }
        Ok(self.cells.signatures.get_or_insert_default())
    }

    pub(super) fn save_signatures(&mut self) -> Result<(), ContractError> {
        match self.cells.signatures.take() {
            Some(waiting) => self.write(keys::SIGNATURES.key(), waiting.encode()),
            None => Ok(()),
        }
    }
}
