//! The objects that a call loads, and writes back at its end (bridge.md §2.3, §2.4). An object is parsed at its first
//! use; [`Frame::save`] writes all loaded objects in the current format, changed or not, because the reference does so
//! and the state root depends on it.

pub(crate) mod codec;
pub(crate) mod confirmations;
pub(crate) mod elections;
pub(crate) mod federations;
pub(crate) mod flyover;
pub(crate) mod header_index;
pub(crate) mod keys;
pub(crate) mod processed;
mod recent;
pub(crate) mod releases;
pub(crate) mod requests;
pub(crate) mod settings;
pub(crate) mod signatures;
pub(crate) mod svp;
pub(crate) mod transaction;
pub(crate) mod union;
pub(crate) mod utxo_list;
pub(crate) mod utxos;
pub(crate) mod whitelist;

use std::collections::BTreeMap;

use rhizome_primitives::bridge_spec::BridgeSpec;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes, U256};

use crate::address::ADDRESS;
use crate::pegout::confirmations::ConfirmationSet;

/// The storage of the Bridge as one call sees it.
pub struct Frame<'a> {
    pub(crate) spec: &'a ChainSpec,
    pub(crate) rules: RuleSet,
    /// Number of the executing block.
    pub(crate) block_number: u64,
    pub(crate) state: &'a mut dyn ContractState,
    /// Headers and chain head, which are written before the save.
    direct: BTreeMap<U256, Bytes>,
    read_only: bool,
    pub(crate) cells: Cells,
}

/// The objects loaded or set so far; None: neither.
#[derive(Default)]
pub(crate) struct Cells {
    processed: processed::ProcessedCells,
    requests: requests::RequestCells,
    confirmations: Option<ConfirmationSet>,
    signatures: Option<signatures::WaitingForSignatures>,
    releases: releases::ReleaseCells,
    utxos: utxos::UtxoCells,
    federations: federations::FederationCells,
    elections: elections::ElectionCells,
    settings: settings::SettingCells,
    whitelist: Option<whitelist::Whitelist>,
    flyover: flyover::FlyoverCells,
    svp: svp::SvpCells,
    union: union::UnionCells,
    /// Changes of this call.
    header_index: BTreeMap<i32, B256>,
}

impl<'a> Frame<'a> {
    /// A frame whose changes are written to the state.
    pub fn new(spec: &'a ChainSpec, rules: RuleSet, block_number: u64, state: &'a mut dyn ContractState) -> Self {
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

    /// Bytes of a cell; None when absent. Only these reads can make queries slow: walks down the headers read one cell
    /// for each.
    pub(crate) fn read(&mut self, key: U256) -> Result<Option<Bytes>, ContractError> {
        self.state.go_on()?;
        if !self.direct.is_empty()
            && let Some(value) = self.direct.get(&key)
        {
            return Ok(Some(value.clone()));
        }
        Ok(self.state.storage(ADDRESS, key)?)
    }

    /// Writes a cell immediately; it stays when the call throws (bridge.md §1.2).
    pub(crate) fn write_through(&mut self, key: U256, value: Vec<u8>) -> Result<(), ContractError> {
        let value = Bytes::from(value);
        if !self.read_only {
            self.state.set_storage(ADDRESS, key, value.clone())?;
        }
        self.direct.insert(key, value);
        Ok(())
    }

    fn write(&mut self, key: U256, value: impl Into<Bytes>) -> Result<(), ContractError> {
        Ok(self.state.set_storage(ADDRESS, key, value.into())?)
    }

    fn delete(&mut self, key: U256) -> Result<(), ContractError> {
        self.write(key, Bytes::new())
    }

    /// Writes back all loaded objects.
    ///
    /// # Errors
    /// [`ContractError::State`] when the state cannot be written.
    pub fn save(mut self) -> Result<(), ContractError> {
        if self.read_only {
            return Ok(());
        }
        self.save_processed()?;
        self.save_requests()?;
        self.save_confirmations()?;
        self.save_signatures()?;
        self.save_releases()?;
        self.save_header_index()?;
        self.save_flyover()?;
        self.save_svp()?;
        self.save_settings()?;
        self.save_whitelist()?;
        self.save_utxos()?;
        self.save_federations()?;
        self.save_elections()?;
        self.save_union()
    }
}
