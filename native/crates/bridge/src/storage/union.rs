//! Cells of the union bridge (bridge.md §4.8).

use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{Address, Bytes, U256};

use super::codec::{self, Item};
use super::{Frame, keys};

/// Values that this call set; values that were only read are not written back, except the events.
#[derive(Default)]
pub(crate) struct UnionCells {
    address: Option<Address>,
    locking_cap: Option<U256>,
    transferred: Option<U256>,
    request_enabled: Option<bool>,
    release_enabled: Option<bool>,
    super_event: Option<Bytes>,
    base_event: Option<Bytes>,
}

impl Frame<'_> {
    /// The union contract; on the main network it cannot be changed (RSKIP502).
    pub(crate) fn union_address(&mut self) -> Result<Address, ContractError> {
        let constant = self.bridge().union.address;
        if self.bridge().bitcoin.network == BitcoinNetwork::Main {
            return Ok(constant);
        }
        if let Some(address) = self.cells.union.address {
            return Ok(address);
        }
        self.read(keys::UNION_ADDRESS.key())?.map_or(Ok(constant), |cell| decode_address(&cell))
    }

    /// Sets the union contract.
    pub(crate) fn set_union_address(&mut self, address: Address) {
        self.cells.union.address = Some(address);
    }

    /// Wei that the union contract may hold (RSKIP502).
    pub(crate) fn union_locking_cap(&mut self) -> Result<U256, ContractError> {
        let initial = self.bridge().union.initial_locking_cap;
        Ok(self.union_wei(self.cells.union.locking_cap, keys::UNION_LOCKING_CAP)?.unwrap_or(initial))
    }

    /// Sets the wei that the union contract may hold; zero is an error.
    pub(crate) fn set_union_locking_cap(&mut self, wei: U256) -> Result<(), ContractError> {
        if wei.is_zero() {
            return Err(ContractError::Failed("the union locking cap cannot be zero".into()));
        }
        self.cells.union.locking_cap = Some(wei);
        Ok(())
    }

    /// Wei that went to the union contract and did not return.
    pub(crate) fn union_transferred(&mut self) -> Result<U256, ContractError> {
        Ok(self.union_wei(self.cells.union.transferred, keys::UNION_TRANSFERRED)?.unwrap_or_default())
    }

    /// Sets the wei that went to the union contract and did not return.
    pub(crate) fn set_union_transferred(&mut self, wei: U256) {
        self.cells.union.transferred = Some(wei);
    }

    fn union_wei(&mut self, set: Option<U256>, key: keys::Hashed) -> Result<Option<U256>, ContractError> {
        match set {
            Some(wei) => Ok(Some(wei)),
            None => self.read(key.key())?.map(|cell| codec::wei_cell(&cell)).transpose(),
        }
    }

    /// True when the union contract may request RBTC.
    pub(crate) fn union_request_enabled(&mut self) -> Result<bool, ContractError> {
        self.union_flag(self.cells.union.request_enabled, keys::UNION_REQUEST_ENABLED)
    }

    /// Allows or forbids requests of the union contract.
    pub(crate) fn set_union_request_enabled(&mut self, enabled: bool) {
        self.cells.union.request_enabled = Some(enabled);
    }

    /// True when the union contract may return RBTC.
    pub(crate) fn union_release_enabled(&mut self) -> Result<bool, ContractError> {
        self.union_flag(self.cells.union.release_enabled, keys::UNION_RELEASE_ENABLED)
    }

    /// Allows or forbids that the union contract returns RBTC.
    pub(crate) fn set_union_release_enabled(&mut self, enabled: bool) {
        self.cells.union.release_enabled = Some(enabled);
    }

    fn union_flag(&mut self, set: Option<bool>, key: keys::Hashed) -> Result<bool, ContractError> {
        match set {
            Some(flag) => Ok(flag),
            None => self.read(key.key())?.map_or(Ok(true), |cell| codec::flag_cell(&cell)),
        }
    }

    /// Event data of the union contract (RSKIP529); empty if there are none.
    pub(crate) fn super_event(&mut self) -> Result<Bytes, ContractError> {
        if self.cells.union.super_event.is_none() {
            self.cells.union.super_event = self.read(keys::SUPER_EVENT.key())?;
        }
        Ok(self.cells.union.super_event.clone().unwrap_or_default())
    }

    /// Sets the event data of the union contract; empty bytes clear them.
    pub(crate) fn set_super_event(&mut self, data: Bytes) {
        self.cells.union.super_event = Some(data);
    }

    /// Event data for the next header (RSKIP529, RSKIP535); empty if there are none.
    pub(crate) fn base_event(&mut self) -> Result<Bytes, ContractError> {
        if self.cells.union.base_event.is_none() {
            self.cells.union.base_event = self.read(keys::BASE_EVENT.key())?;
        }
        Ok(self.cells.union.base_event.clone().unwrap_or_default())
    }

    /// Sets the event data for the next header; empty bytes clear them.
    pub(crate) fn set_base_event(&mut self, data: Bytes) {
        self.cells.union.base_event = Some(data);
    }

    pub(super) fn save_union(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.union);
        let values = [
            (keys::UNION_ADDRESS, cells.address.map(|address| codec::encode_bytes(address.as_slice()))),
            (keys::UNION_LOCKING_CAP, cells.locking_cap.map(codec::encode_wei)),
            (keys::UNION_TRANSFERRED, cells.transferred.map(codec::encode_wei)),
            (keys::UNION_REQUEST_ENABLED, cells.request_enabled.map(codec::encode_flag)),
            (keys::UNION_RELEASE_ENABLED, cells.release_enabled.map(codec::encode_flag)),
            (keys::SUPER_EVENT, cells.super_event.map(|data| data.to_vec())),
            (keys::BASE_EVENT, cells.base_event.map(|data| data.to_vec())),
        ];
        for (key, value) in values {
            if let Some(value) = value {
                self.write(key.key(), value)?;
            }
        }
        Ok(())
    }
}

/// An address that fills a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_address(cell: &[u8]) -> Result<Address, ContractError> {
    Item::first_of_all(cell)?.array().map(Address::new)
}
