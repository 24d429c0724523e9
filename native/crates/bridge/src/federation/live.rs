//! Which federation is active, which is retiring (bridge.md §4.7).

use rhizome_primitives::Address;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::Federation;
use crate::storage::Frame;

/// Where a federation is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Genesis,
    New,
    Old,
}

impl Frame<'_> {
    /// Blocks from the commit of a federation to its activation.
    fn activation_age(&self) -> u64 {
        let age = &self.bridge().federation.activation_age;
        match (self.active(Rule::Rskip383), self.active(Rule::Rskip419)) {
            (false, _) => age.legacy,
            (true, false) => age.rskip383,
            (true, true) => age.rskip419,
        }
    }

    fn is_old_enough(&self, federation: &Federation) -> bool {
        self.block_number as i64 - federation.creation_block as i64 >= self.activation_age() as i64
    }

    fn active_place(&mut self) -> Result<Place, ContractError> {
        let Some(new) = self.new_federation()? else { return Ok(Place::Genesis) };
        if self.old_federation()?.is_none() || self.is_old_enough(&new) { Ok(Place::New) } else { Ok(Place::Old) }
    }

    /// The federation that holds the funds.
    pub(crate) fn active_federation(&mut self) -> Result<Federation, ContractError> {
        let stored = match self.active_place()? {
            Place::Genesis => None,
            Place::New => self.new_federation()?,
            Place::Old => self.old_federation()?,
        };
        Ok(stored.unwrap_or_else(|| Federation::genesis(self.bridge(), self.rules)))
    }

    /// The federation whose funds are on the move.
    pub(crate) fn retiring_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        let new = self.new_federation()?;
        let old = self.old_federation()?;
        Ok(match (new, old) {
            (Some(new), Some(old)) if self.is_old_enough(&new) => Some(old),
            _ => None,
        })
    }

    /// Unspent outputs of the active federation, stored blobs.
    pub(crate) fn active_utxos(&mut self) -> Result<&[Vec<u8>], ContractError> {
        if self.active_place()? == Place::Old { self.old_utxos() } else { self.new_utxos() }
    }

    /// Whether the sender belongs to the active or the retiring federation.
    pub(crate) fn is_live_member(&mut self, sender: Address) -> Result<bool, ContractError> {
        let active = self.active_federation()?;
        let retiring = self.retiring_federation()?;
        Ok(active.has_member(sender) || retiring.is_some_and(|federation| federation.has_member(sender)))
    }

    /// Whether a federation that was committed at `height` is active by now.
    fn is_activated(&self, height: u64) -> bool {
        self.block_number as i64 >= (height as i64).saturating_add(self.activation_age() as i64)
    }

    /// Height noted for the active federation; zero when none is (RSKIP186).
    pub(crate) fn active_creation_height(&mut self) -> Result<u64, ContractError> {
        match self.next_creation_height()? {
            Some(height) if self.is_activated(height) => Ok(height),
            _ => Ok(self.stored_active_creation_height()?.unwrap_or(0)),
        }
    }

    /// Moves the noted height of a committed federation on once it is active (RSKIP186).
    pub(crate) fn update_creation_heights(&mut self) -> Result<(), ContractError> {
        if let Some(height) = self.next_creation_height()?
            && self.is_activated(height)
        {
            self.activate_creation_height(height);
        }
        Ok(())
    }
}
