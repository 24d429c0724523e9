//! Fee, whitelist, locking cap and the union bridge.

use std::collections::BTreeMap;

use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rlp::Item;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, Bytes, U256};

use super::codec::{self, ListWriter};
use super::{Frame, keys};

/// What an address may lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    /// Once, at most so many satoshi.
    OneOff(u64),
    /// Always.
    Unlimited,
}

/// Addresses that may lock, until the whitelist is switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whitelist {
    pub(crate) entries: BTreeMap<[u8; 20], Allowance>,
    /// Bitcoin height after which everybody may.
    pub(crate) disabled_after: u32,
}

/// No height set.
pub(crate) const NEVER_DISABLED: u32 = i32::MAX as u32;

#[derive(Default)]
pub(crate) struct SettingCells {
    fee_per_kb: Option<u64>,
    whitelist: Option<Whitelist>,
    locking_cap: Option<u64>,
    super_event: Option<Bytes>,
    base_event: Option<Bytes>,
}

impl Frame<'_> {
    /// Satoshi per 1,000 bytes.
    pub(crate) fn fee_per_kb(&mut self) -> Result<u64, ContractError> {
        if self.cells.settings.fee_per_kb.is_none() {
            let stored = self.read(keys::FEE_PER_KB.key())?;
            self.cells.settings.fee_per_kb = stored.map(|data| codec::integer_cell(&data)).transpose()?;
        }
        Ok(self.cells.settings.fee_per_kb.unwrap_or(self.bridge().fee_per_kb.genesis))
    }

    /// The whitelist; unlimited entries count only beside a list of one-off entries.
    pub(crate) fn whitelist(&mut self) -> Result<&mut Whitelist, ContractError> {
        if self.cells.settings.whitelist.is_none() {
            self.cells.settings.whitelist = Some(self.read_whitelist()?);
        }
        Ok(self
            .cells
            .settings
            .whitelist
            .get_or_insert(Whitelist { entries: BTreeMap::new(), disabled_after: NEVER_DISABLED }))
    }

    fn read_whitelist(&mut self) -> Result<Whitelist, ContractError> {
        let mut entries = BTreeMap::new();
        let Some(data) = self.read(keys::WHITELIST.key())? else {
            return Ok(Whitelist { entries, disabled_after: NEVER_DISABLED });
        };
        let items = codec::items(&data)?;
        let Some((height, records)) = items.split_last() else { return Err(codec::malformed()) };
        if records.len() % 2 != 0 {
            return Err(codec::malformed());
        }
        for record in records.chunks_exact(2) {
            entries.insert(codec::array(record[0])?, Allowance::OneOff(record[1].u64().map_err(codec::corrupt)?));
        }
        let disabled_after =
            height.u64().ok().and_then(|height| u32::try_from(height).ok()).ok_or_else(codec::malformed)?;
        if self.active(Rule::Rskip87)
            && let Some(data) = self.read(keys::UNLIMITED_WHITELIST.key())?
        {
            for item in codec::items(&data)? {
                entries.insert(codec::array(item)?, Allowance::Unlimited);
            }
        }
        Ok(Whitelist { entries, disabled_after })
    }

    /// The locking cap; sets the first value when none is stored (RSKIP134).
    pub(crate) fn locking_cap(&mut self) -> Result<u64, ContractError> {
        let cap = self.stored_locking_cap()?.unwrap_or(self.bridge().locking_cap.initial);
        self.cells.settings.locking_cap = Some(cap);
        Ok(cap)
    }

    pub(crate) fn set_locking_cap(&mut self, cap: u64) {
        self.cells.settings.locking_cap = Some(cap);
    }

    fn stored_locking_cap(&mut self) -> Result<Option<u64>, ContractError> {
        match self.cells.settings.locking_cap {
            Some(cap) => Ok(Some(cap)),
            None => self.read(keys::LOCKING_CAP.key())?.map(|data| codec::integer_cell(&data)).transpose(),
        }
    }

    /// The union contract; on the main network it cannot be changed (RSKIP502).
    pub(crate) fn union_address(&mut self) -> Result<Address, ContractError> {
        let constant = self.bridge().union.address;
        if self.bridge().bitcoin.network == BitcoinNetwork::Main {
            return Ok(constant);
        }
        let Some(data) = self.read(keys::UNION_ADDRESS.key())? else { return Ok(constant) };
        let (item, _) = Item::read(&data).map_err(codec::corrupt)?;
        codec::array(item).map(Address::new)
    }

    /// Wei that the union contract may hold (RSKIP502).
    pub(crate) fn union_locking_cap(&mut self) -> Result<U256, ContractError> {
        let stored = self.read(keys::UNION_LOCKING_CAP.key())?;
        stored.map_or(Ok(self.bridge().union.initial_locking_cap), |data| codec::u256_cell(&data))
    }

    /// Bytes noted by the union contract (RSKIP529); empty when none.
    pub(crate) fn super_event(&mut self) -> Result<Bytes, ContractError> {
        if self.cells.settings.super_event.is_none() {
            self.cells.settings.super_event = self.read(keys::SUPER_EVENT.key())?;
        }
        Ok(self.cells.settings.super_event.clone().unwrap_or_default())
    }

    /// Bytes that go into the next header (RSKIP529, RSKIP535); empty when none.
    pub(crate) fn base_event(&mut self) -> Result<Bytes, ContractError> {
        if self.cells.settings.base_event.is_none() {
            self.cells.settings.base_event = self.read(keys::BASE_EVENT.key())?;
        }
        Ok(self.cells.settings.base_event.clone().unwrap_or_default())
    }

    pub(super) fn save_settings(&mut self) -> Result<(), ContractError> {
        if let Some(fee) = self.cells.settings.fee_per_kb {
            self.write(keys::FEE_PER_KB.key(), codec::encode_integer(fee))?;
        }
        if let Some(whitelist) = self.cells.settings.whitelist.take() {
            self.save_whitelist(&whitelist)?;
        }
        if self.active(Rule::Rskip134)
            && let Some(cap) = self.stored_locking_cap()?
        {
            self.write(keys::LOCKING_CAP.key(), codec::encode_integer(cap))?;
        }
        for (key, event) in [
            (keys::SUPER_EVENT, self.cells.settings.super_event.take()),
            (keys::BASE_EVENT, self.cells.settings.base_event.take()),
        ] {
            if let Some(event) = event {
                self.write(key.key(), event.to_vec())?;
            }
        }
        Ok(())
    }

    fn save_whitelist(&mut self, whitelist: &Whitelist) -> Result<(), ContractError> {
        let (mut one_off, mut unlimited) = (ListWriter::default(), ListWriter::default());
        for (hash, allowance) in &whitelist.entries {
            match allowance {
                Allowance::OneOff(most) => one_off.bytes(hash).integer(*most),
                Allowance::Unlimited => unlimited.bytes(hash),
            };
        }
        one_off.integer(u64::from(whitelist.disabled_after));
        self.write(keys::WHITELIST.key(), one_off.finish())?;
        if self.active(Rule::Rskip87) {
            self.write(keys::UNLIMITED_WHITELIST.key(), unlimited.finish())?;
        }
        Ok(())
    }
}
