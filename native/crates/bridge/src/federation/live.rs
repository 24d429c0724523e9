//! The active and the retiring federation (bridge.md §4.7).

use rhizome_primitives::Address;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::Federation;
use crate::storage::Frame;
use crate::storage::utxo_list::Utxos;

/// The cells of a federation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FederationCell {
    Genesis,
    New,
    Old,
}

/// Every federation that may hold funds, as peg-ins see them.
#[derive(Clone, Debug)]
pub(crate) struct LiveFederations {
    pub(crate) active: Federation,
    pub(crate) retiring: Option<Federation>,
    /// Output script of the federation that retired last (RSKIP186).
    pub(crate) last_retired_script: Option<Vec<u8>>,
}

impl LiveFederations {
    /// The active, then the retiring one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Federation> {
        std::iter::once(&self.active).chain(&self.retiring)
    }
}

impl Frame<'_> {
    /// Blocks from the commit of a federation to its activation.
    pub(crate) fn activation_age(&self) -> i64 {
        let age = &self.bridge().federation.activation_age;
        let blocks = match (self.active(Rule::Rskip383), self.active(Rule::Rskip419)) {
            (false, _) => age.legacy,
            (true, false) => age.rskip383,
            (true, true) => age.rskip419,
        };
        blocks as i64
    }

    /// Blocks since the creation of a federation.
    fn age(&self, federation: &Federation) -> i64 {
        (self.block_number as i64).wrapping_sub(federation.creation_block)
    }

    fn is_old_enough(&self, federation: &Federation) -> bool {
        self.age(federation) >= self.activation_age()
    }

    fn active_cell(&mut self) -> Result<FederationCell, ContractError> {
        let Some(new) = self.new_federation()? else { return Ok(FederationCell::Genesis) };
        if self.old_federation()?.is_none() || self.is_old_enough(&new) {
            Ok(FederationCell::New)
        } else {
            Ok(FederationCell::Old)
        }
    }

    /// The federation that holds the funds.
    pub(crate) fn active_federation(&mut self) -> Result<Federation, ContractError> {
        let stored = match self.active_cell()? {
            FederationCell::Genesis => None,
            FederationCell::New => self.new_federation()?,
            FederationCell::Old => self.old_federation()?,
        };
        stored.map_or_else(|| Federation::genesis(self.bridge(), self.rules), Ok)
    }

    /// The federation whose funds are being migrated.
    pub(crate) fn retiring_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        let new = self.new_federation()?;
        let old = self.old_federation()?;
        Ok(match (new, old) {
            (Some(new), Some(old)) if self.is_old_enough(&new) => Some(old),
            _ => None,
        })
    }

    /// Active and retiring federation, and the script of the last retired one.
    pub(crate) fn live_federations(&mut self) -> Result<LiveFederations, ContractError> {
        Ok(LiveFederations {
            active: self.active_federation()?,
            retiring: self.retiring_federation()?,
            last_retired_script: self.last_retired_script()?,
        })
    }

    /// True when a committed federation is not active yet.
    pub(crate) fn awaits_activation(&mut self) -> Result<bool, ContractError> {
        let new = self.new_federation()?;
        let old = self.old_federation()?;
        Ok(old.is_some() && new.is_some_and(|new| !self.is_old_enough(&new)))
    }

    /// Unspent outputs of the active federation.
    pub(crate) fn active_utxos(&mut self) -> Result<&mut Utxos, ContractError> {
        if self.active_cell()? == FederationCell::Old { self.old_utxos() } else { self.new_utxos() }
    }

    /// Unspent outputs of the retiring federation; None, and nothing loaded, when there is none.
    pub(crate) fn retiring_utxos(&mut self) -> Result<Option<&mut Utxos>, ContractError> {
        if self.retiring_federation()?.is_some() { self.old_utxos().map(Some) } else { Ok(None) }
    }

    /// True when the sender belongs to the active or the retiring federation.
    pub(crate) fn is_live_member(&mut self, sender: Address) -> Result<bool, ContractError> {
        let active = self.active_federation()?;
        let retiring = self.retiring_federation()?;
        Ok(active.has_member(sender) || retiring.is_some_and(|federation| federation.has_member(sender)))
    }

    /// True when funds of the retiring federation may move; the bounds of the period are excluded.
    pub(crate) fn in_migration_age(&mut self) -> Result<bool, ContractError> {
        let active = self.active_federation()?;
        let begin = self.activation_age() + self.bridge().federation.migration.begin as i64;
        let age = self.age(&active);
        Ok(begin < age && age < self.migration_end())
    }

    /// True when the period for moving the funds of the retiring federation is over.
    pub(crate) fn past_migration_age(&mut self) -> Result<bool, ContractError> {
        let active = self.active_federation()?;
        Ok(self.age(&active) >= self.migration_end())
    }

    /// First block in which funds of the retiring federation may move, and the block in which the remaining funds move.
    pub(crate) fn migration_blocks(&mut self) -> Result<(i64, i64), ContractError> {
        let created = self.active_federation()?.creation_block;
        let begin = self.activation_age() + self.bridge().federation.migration.begin as i64;
        Ok((created.wrapping_add(begin).wrapping_add(1), created.wrapping_add(self.migration_end())))
    }

    /// Age of the active federation at which the migration ends; longer between RSKIP357 and RSKIP374.
    fn migration_end(&self) -> i64 {
        let migration = &self.bridge().federation.migration;
        let special = self.active(Rule::Rskip357) && !self.active(Rule::Rskip374);
        self.activation_age() + (if special { migration.end_rskip357 } else { migration.end }) as i64
    }

    /// True when a federation that was committed at `height` is active by now.
    fn is_activated(&self, height: i64) -> bool {
        self.block_number as i64 >= height.wrapping_add(self.activation_age())
    }

    /// Height recorded for the active federation; zero when there is none (RSKIP186).
    pub(crate) fn active_creation_height(&mut self) -> Result<i64, ContractError> {
        match self.next_creation_height()? {
            Some(height) if self.is_activated(height) => Ok(height),
            _ => Ok(self.stored_active_creation_height()?.unwrap_or(0)),
        }
    }

    /// Moves the recorded height of a committed federation to the active one once it is active (RSKIP186).
    pub(crate) fn update_creation_heights(&mut self) -> Result<(), ContractError> {
        if let Some(height) = self.next_creation_height()?
            && self.is_activated(height)
        {
            self.set_active_creation_height(height);
            self.clear_next_creation_height();
        }
        Ok(())
    }

    /// Moves the outputs of the newest federation to the list of the previous one, and clears the first list.
    fn move_utxos(&mut self) -> Result<(), ContractError> {
        let utxos = std::mem::take(self.new_utxos()?);
        *self.old_utxos()? = utxos;
        Ok(())
    }

    /// Makes a federation the newest one and the active one the previous one; the outputs move along (bridge.md §4.7).
    pub(crate) fn hand_over(&mut self, federation: Federation) -> Result<(), ContractError> {
        self.move_utxos()?;
        let active = self.active_federation()?;
        let height = federation.creation_block;
        self.set_old_federation(Some(active));
        self.set_new_federation(federation);
        if self.active(Rule::Rskip186) {
            let active = self.active_federation()?;
            let script =
                if self.active(Rule::Rskip377) { active.members_output_script()? } else { active.output_script()? };
            self.set_last_retired_script(script);
            self.set_next_creation_height(height);
        }
        Ok(())
    }
}
