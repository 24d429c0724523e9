//! What one call loads, and writes back at its end (bridge.md §2.3, §2.4). Every object is parsed when
//! it is first asked for; [`Frame::save`] writes all that were loaded in the current format, changed
//! or not, because the reference does so and the state root shows it.

pub(crate) mod codec;
pub(crate) mod federations;
pub(crate) mod keys;
pub(crate) mod pegouts;
pub(crate) mod processed;
pub(crate) mod settings;

use std::collections::BTreeMap;

use rhizome_primitives::bridge_spec::BridgeSpec;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes, U256};

use crate::ADDRESS;

/// The storage of the Bridge as one call sees it.
pub(crate) struct Frame<'a> {
    pub(crate) spec: &'a ChainSpec,
    pub(crate) rules: RuleSet,
    /// Number of the executing block.
    pub(crate) block_number: u64,
    pub(crate) state: &'a mut dyn ContractState,
    /// Headers and chain head written ahead of the save.
    direct: BTreeMap<U256, Bytes>,
    read_only: bool,
    pub(crate) cells: Cells,
}

/// The objects loaded or set so far; None: neither.
#[derive(Default)]
pub(crate) struct Cells {
    pub(crate) pegouts: pegouts::PegoutCells,
    pub(crate) processed: processed::ProcessedCells,
    pub(crate) federations: federations::FederationCells,
    pub(crate) settings: settings::SettingCells,
    /// Best chain by height: what changed in this call.
    pub(crate) header_index: BTreeMap<u32, B256>,
}

impl<'a> Frame<'a> {
    /// A frame whose changes reach the state.
    pub(crate) fn new(
        spec: &'a ChainSpec,
        rules: RuleSet,
        block_number: u64,
        state: &'a mut dyn ContractState,
    ) -> Self {
        Self { spec, rules, block_number, state, direct: BTreeMap::new(), read_only: false, cells: Cells::default() }
    }

    /// A frame that never writes; it cannot be saved.
    pub(crate) fn read_only(
        spec: &'a ChainSpec,
        rules: RuleSet,
        block_number: u64,
        state: &'a mut dyn ContractState,
    ) -> Self {
        Self { read_only: true, ..Self::new(spec, rules, block_number, state) }
    }

    pub(crate) fn bridge(&self) -> &'a BridgeSpec {
        &self.spec.bridge
    }

    pub(crate) fn active(&self, rule: Rule) -> bool {
        self.rules.active(rule)
    }

    /// Bytes of a cell; None when absent.
    pub(crate) fn read(&mut self, key: U256) -> Result<Option<Bytes>, ContractError> {
        match self.direct.get(&key) {
            Some(value) => Ok(Some(value.clone())),
            None => Ok(self.state.storage(ADDRESS, key)?),
        }
    }

    /// Writes a cell at once; it stays when the call throws (bridge.md §1.2).
    pub(crate) fn write_through(&mut self, key: U256, value: Vec<u8>) -> Result<(), ContractError> {
        let value = Bytes::from(value);
        if !self.read_only {
            self.state.set_storage(ADDRESS, key, value.clone())?;
        }
        self.direct.insert(key, value);
        Ok(())
    }

    fn write(&mut self, key: U256, value: Vec<u8>) -> Result<(), ContractError> {
        Ok(self.state.set_storage(ADDRESS, key, value.into())?)
    }

    fn delete(&mut self, key: U256) -> Result<(), ContractError> {
        self.write(key, Vec::new())
    }

    /// Writes back everything loaded.
    pub(crate) fn save(mut self) -> Result<(), ContractError> {
        if self.read_only {
            return Ok(());
        }
        self.save_processed()?;
        self.save_pegouts()?;
        for (height, hash) in std::mem::take(&mut self.cells.header_index) {
            self.write(keys::HEADER_AT_HEIGHT.key(&height.to_string()), codec::encode_bytes(hash.as_slice()))?;
        }
        self.save_federations()?;
        self.save_settings()
    }
}
