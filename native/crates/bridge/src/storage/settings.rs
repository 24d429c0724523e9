//! Fee per kb, locking cap, time of the last accepted header.

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::{Frame, codec, keys};

#[derive(Default)]
pub(crate) struct SettingCells {
    fee_per_kb: Option<i64>,
    locking_cap: Option<i64>,
    header_received_at: i64,
}

impl Frame<'_> {
    /// Satoshi per 1,000 bytes.
    pub(crate) fn fee_per_kb(&mut self) -> Result<i64, ContractError> {
        if self.cells.settings.fee_per_kb.is_none() {
            let stored = self.read(keys::FEE_PER_KB.key())?;
            self.cells.settings.fee_per_kb = stored.map(|cell| codec::coin_cell(&cell)).transpose()?;
        }
        Ok(self.cells.settings.fee_per_kb.unwrap_or(self.bridge().fee_per_kb.genesis as i64))
    }

    /// Sets the fee per 1,000 bytes, satoshi.
    pub(crate) fn set_fee_per_kb(&mut self, fee: i64) {
        self.cells.settings.fee_per_kb = Some(fee);
    }

    /// The locking cap, satoshi; sets the first value when none is stored (RSKIP134).
    pub(crate) fn locking_cap(&mut self) -> Result<i64, ContractError> {
        let cap = self.stored_locking_cap()?.unwrap_or(self.bridge().locking_cap.initial as i64);
        self.cells.settings.locking_cap = Some(cap);
        Ok(cap)
    }

    /// Sets the locking cap, satoshi.
    pub(crate) fn set_locking_cap(&mut self, cap: i64) {
        self.cells.settings.locking_cap = Some(cap);
    }

    fn stored_locking_cap(&mut self) -> Result<Option<i64>, ContractError> {
        match self.cells.settings.locking_cap {
            Some(cap) => Ok(Some(cap)),
            None => self.read(keys::LOCKING_CAP.key())?.map(|cell| codec::coin_cell(&cell)).transpose(),
        }
    }

    /// Time at which `receiveHeader` last accepted a header, seconds (RSKIP200). A value that this call sets is not
    /// visible before the save.
    pub(crate) fn header_received_at(&mut self) -> Result<Option<i64>, ContractError> {
        if !self.active(Rule::Rskip200) {
            return Ok(None);
        }
        self.read(keys::RECEIVE_HEADERS_TIMESTAMP.key())?.map(|cell| codec::long_cell(&cell)).transpose()
    }

    /// Records the time at which a header was accepted, seconds (RSKIP200).
    pub fn set_header_received_at(&mut self, seconds: i64) {
        if self.active(Rule::Rskip200) {
            self.cells.settings.header_received_at = seconds;
        }
    }

    /// Once the cap is set, every save writes it.
    pub(super) fn save_settings(&mut self) -> Result<(), ContractError> {
        if let Some(fee) = self.cells.settings.fee_per_kb {
            self.write(keys::FEE_PER_KB.key(), codec::encode_long(fee))?;
        }
        if self.active(Rule::Rskip134)
            && let Some(cap) = self.stored_locking_cap()?
        {
            self.write(keys::LOCKING_CAP.key(), codec::encode_long(cap))?;
        }
        let seconds = self.cells.settings.header_received_at;
        if seconds > 0 {
            self.write(keys::RECEIVE_HEADERS_TIMESTAMP.key(), codec::encode_long(seconds))?;
        }
        Ok(())
    }
}
