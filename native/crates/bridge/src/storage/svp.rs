//! Cells of the validation of a proposed federation (RSKIP419, bridge.md §4.7).

use rhizome_bitcoin::Transaction;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, Item, ListWriter};
use super::signatures::decode_entry;
use super::transaction::decode_transaction;
use super::{Frame, keys};

/// A value that was read or set in this call.
#[derive(Clone, Debug, Default)]
enum Slot<T> {
    #[default]
    Unknown,
    Read(T),
    Set(Option<T>),
}

impl<T> Slot<T> {
    fn value(&self) -> Option<&T> {
        match self {
            Self::Read(value) | Self::Set(Some(value)) => Some(value),
            Self::Unknown | Self::Set(None) => None,
        }
    }

    /// The value to write; empty bytes delete.
    fn changed(self, encode: impl FnOnce(T) -> Vec<u8>) -> Option<Vec<u8>> {
        match self {
            Self::Set(value) => Some(value.map(encode).unwrap_or_default()),
            Self::Unknown | Self::Read(_) => None,
        }
    }
}

#[derive(Default)]
pub(crate) struct SvpCells {
    fund_unsigned: Slot<B256>,
    fund_signed: Slot<Transaction>,
    spend_unsigned: Slot<B256>,
    spend_waiting: Slot<(B256, Transaction)>,
}

impl Frame<'_> {
    /// Id, without signatures, of the transaction that funds the validation.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn svp_fund_unsigned(&mut self) -> Result<Option<B256>, ContractError> {
        self.svp(keys::SVP_FUND_UNSIGNED, |cells| &mut cells.fund_unsigned, |cell| codec::hash_cell(cell).map(Some))
    }

    /// Sets or clears the id of the transaction that funds the validation.
    pub fn set_svp_fund_unsigned(&mut self, hash: Option<B256>) {
        self.cells.svp.fund_unsigned = Slot::Set(hash);
    }

    /// The signed transaction that funds the validation, as it was registered.
    pub(crate) fn svp_fund_signed(&mut self) -> Result<Option<Transaction>, ContractError> {
        self.svp(keys::SVP_FUND_SIGNED, |cells| &mut cells.fund_signed, |cell| decode_signed_fund(cell).map(Some))
    }

    /// Sets or clears the signed transaction that funds the validation.
    pub(crate) fn set_svp_fund_signed(&mut self, transaction: Option<Transaction>) {
        self.cells.svp.fund_signed = Slot::Set(transaction);
    }

    /// Id, without signatures, of the transaction that spends the funds of the validation.
    pub(crate) fn svp_spend_unsigned(&mut self) -> Result<Option<B256>, ContractError> {
        self.svp(keys::SVP_SPEND_UNSIGNED, |cells| &mut cells.spend_unsigned, |cell| codec::hash_cell(cell).map(Some))
    }

    /// Sets or clears the id of the transaction that spends the funds of the validation.
    pub fn set_svp_spend_unsigned(&mut self, hash: Option<B256>) {
        self.cells.svp.spend_unsigned = Slot::Set(hash);
    }

    /// The transaction that spends the funds of the validation while it waits for signatures, with the Rootstock
    /// transaction that identifies it.
    pub(crate) fn svp_spend_waiting(&mut self) -> Result<Option<(B256, Transaction)>, ContractError> {
        self.svp(keys::SVP_SPEND_WAITING, |cells| &mut cells.spend_waiting, decode_spend_waiting)
    }

    /// Sets or clears the transaction that waits for signatures of the proposed federation.
    pub(crate) fn set_svp_spend_waiting(&mut self, waiting: Option<(B256, Transaction)>) {
        self.cells.svp.spend_waiting = Slot::Set(waiting);
    }

    /// Clears all cells of the validation.
    pub fn clear_svp(&mut self) {
        self.set_svp_fund_unsigned(None);
        self.set_svp_fund_signed(None);
        self.set_svp_spend_waiting(None);
        self.set_svp_spend_unsigned(None);
    }

    fn svp<T: Clone>(
        &mut self,
        key: keys::Named,
        slot: impl Fn(&mut SvpCells) -> &mut Slot<T>,
        decode: impl FnOnce(&[u8]) -> Result<Option<T>, ContractError>,
    ) -> Result<Option<T>, ContractError> {
        if !self.active(Rule::Rskip419) {
            return Ok(None);
        }
        if matches!(slot(&mut self.cells.svp), Slot::Unknown)
            && let Some(cell) = self.read(key.key())?
            && let Some(value) = decode(&cell)?
        {
            *slot(&mut self.cells.svp) = Slot::Read(value);
        }
        Ok(slot(&mut self.cells.svp).value().cloned())
    }

    pub(super) fn save_svp(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.svp);
        if !self.active(Rule::Rskip419) {
            return Ok(());
        }
        let changes = [
            (keys::SVP_FUND_UNSIGNED, cells.fund_unsigned.changed(|hash| codec::encode_bytes(hash.as_slice()))),
            (keys::SVP_FUND_SIGNED, cells.fund_signed.changed(|signed| codec::encode_bytes(&signed.serialize()))),
            (keys::SVP_SPEND_UNSIGNED, cells.spend_unsigned.changed(|hash| codec::encode_bytes(hash.as_slice()))),
            (keys::SVP_SPEND_WAITING, cells.spend_waiting.changed(|waiting| encode_spend_waiting(Some(&waiting)))),
        ];
        for (key, value) in changes {
            if let Some(value) = value {
                self.write(key.key(), value)?;
            }
        }
        Ok(())
    }
}

/// A transaction that fills a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_signed_fund(cell: &[u8]) -> Result<Transaction, ContractError> {
    decode_transaction(Item::first_of_all(cell)?.bytes()?)
}

/// The waiting transaction; None for an empty list.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_spend_waiting(cell: &[u8]) -> Result<Option<(B256, Transaction)>, ContractError> {
    let items = codec::items(cell)?;
    if items.is_empty() {
        return Ok(None);
    }
    let entry = items.first_chunk().ok_or_else(codec::malformed)?;
    decode_entry(entry).map(Some)
}

/// The waiting transaction, or an empty list.
pub fn encode_spend_waiting(waiting: Option<&(B256, Transaction)>) -> Vec<u8> {
    let mut out = ListWriter::default();
    if let Some((hash, transaction)) = waiting {
        out.bytes(hash.as_slice()).bytes(&transaction.serialize());
    }
    out.finish()
}
