//! Addresses that may lock, until the whitelist is disabled (bridge.md §2.2, §4.2.1).

use std::collections::BTreeMap;

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, ListWriter, malformed};
use super::{Frame, keys};

/// The amount that an address may lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Once, up to this many satoshi.
    OneOff(i64),
    /// Always.
    Unlimited,
}

/// The whitelist. A hash has 20 bytes, except one that was listed in this call: the reference accepts other lengths,
/// too, and cannot load its list afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whitelist {
    /// By the hash of the address.
    pub entries: BTreeMap<Vec<u8>, Allowance>,
    /// Bitcoin height after which every address may lock.
    pub disabled_after: i32,
}

/// The value if no height is set.
pub(crate) const NEVER_DISABLED: i32 = i32::MAX;

impl Default for Whitelist {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), disabled_after: NEVER_DISABLED }
    }
}

impl Whitelist {
    /// True when an address may lock an amount at a Bitcoin height.
    pub(crate) fn allows(&self, hash: &[u8], amount: i64, height: i32) -> bool {
        height > self.disabled_after
            || match self.entries.get(hash) {
                Some(Allowance::OneOff(most)) => *most >= amount,
                Some(Allowance::Unlimited) => true,
                None => false,
            }
    }

    /// Removes a one-off entry.
    pub(crate) fn consume(&mut self, hash: &[u8]) {
        if let Some(Allowance::OneOff(_)) = self.entries.get(hash) {
            self.entries.remove(hash);
        }
    }

    /// Reads the cell of one-off entries, which ends with the height.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn decode_one_off(cell: &[u8]) -> Result<Self, ContractError> {
        let items = codec::items(cell)?;
        let (height, records) = items.split_last().ok_or_else(malformed)?;
        let (records, []) = records.as_chunks::<2>() else { return Err(malformed()) };
        let mut entries = BTreeMap::new();
        for [hash, most] in records {
            entries.insert(hash.array::<20>()?.to_vec(), Allowance::OneOff(codec::exact_long(*most)?));
        }
        let disabled_after = i32::try_from(codec::exact_long(*height)?).map_err(|_| malformed())?;
        Ok(Self { entries, disabled_after })
    }

    /// Adds the entries of the cell of unlimited ones.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn decode_unlimited(&mut self, cell: &[u8]) -> Result<(), ContractError> {
        for item in codec::items(cell)? {
            self.entries.insert(item.array::<20>()?.to_vec(), Allowance::Unlimited);
        }
        Ok(())
    }

    /// The cell of one-off entries.
    pub fn encode_one_off(&self) -> Vec<u8> {
        let mut out = ListWriter::default();
        for (hash, allowance) in &self.entries {
            if let Allowance::OneOff(most) = allowance {
                out.bytes(hash).long(*most);
            }
        }
        out.long(i64::from(self.disabled_after)).finish()
    }

    /// The cell of unlimited entries.
    pub fn encode_unlimited(&self) -> Vec<u8> {
        let mut out = ListWriter::default();
        for (hash, allowance) in &self.entries {
            if *allowance == Allowance::Unlimited {
                out.bytes(hash);
            }
        }
        out.finish()
    }
}

impl Frame<'_> {
    /// The whitelist; unlimited entries count only beside a cell of one-off entries (RSKIP87).
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn whitelist(&mut self) -> Result<&mut Whitelist, ContractError> {
        if self.cells.whitelist.is_none() {
            self.cells.whitelist = Some(self.read_whitelist()?);
        }
        Ok(self.cells.whitelist.get_or_insert_default())
    }

    fn read_whitelist(&mut self) -> Result<Whitelist, ContractError> {
        let Some(cell) = self.read(keys::WHITELIST.key())? else { return Ok(Whitelist::default()) };
        let mut whitelist = Whitelist::decode_one_off(&cell)?;
        if self.active(Rule::Rskip87)
            && let Some(cell) = self.read(keys::UNLIMITED_WHITELIST.key())?
        {
            whitelist.decode_unlimited(&cell)?;
        }
        Ok(whitelist)
    }

    pub(super) fn save_whitelist(&mut self) -> Result<(), ContractError> {
        let Some(whitelist) = self.cells.whitelist.take() else { return Ok(()) };
        self.write(keys::WHITELIST.key(), whitelist.encode_one_off())?;
        if self.active(Rule::Rskip87) {
            self.write(keys::UNLIMITED_WHITELIST.key(), whitelist.encode_unlimited())?;
        }
        Ok(())
    }
}
