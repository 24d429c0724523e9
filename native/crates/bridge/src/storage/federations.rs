//! Federations, their unspent outputs and the heights noted for them.

use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, ListWriter};
use super::{Frame, keys};
use crate::federation::{Federation, FederationMember, codec as federation_codec};

#[derive(Default)]
pub(crate) struct FederationCells {
    new: Option<Federation>,
    old: Option<Federation>,
    new_utxos: Option<Vec<Vec<u8>>>,
    old_utxos: Option<Vec<Vec<u8>>>,
    active_height: Option<u64>,
    next_height: Option<u64>,
    clear_next_height: bool,
}

impl Frame<'_> {
    /// The federation committed last; written back in the current format.
    pub(crate) fn new_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if self.cells.federations.new.is_none() {
            self.cells.federations.new = self.read_federation(keys::NEW_FEDERATION, keys::NEW_FEDERATION_VERSION)?;
        }
        Ok(self.cells.federations.new.clone())
    }

    /// The federation before it; never written back unless set.
    pub(crate) fn old_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if self.cells.federations.old.is_none() {
            self.cells.federations.old = self.read_federation(keys::OLD_FEDERATION, keys::OLD_FEDERATION_VERSION)?;
        }
        Ok(self.cells.federations.old.clone())
    }

    /// The federation under validation (RSKIP419).
    pub(crate) fn proposed_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if !self.active(Rule::Rskip419) {
            return Ok(None);
        }
        let Some(data) = self.read(keys::PROPOSED_FEDERATION.key())? else { return Ok(None) };
        let version = self.version(keys::PROPOSED_FEDERATION_VERSION)?.ok_or_else(codec::malformed)?;
        federation_codec::decode(self.bridge(), self.rules, Some(version), &data).map(Some)
    }

    /// Members of the federation being put together, sorted.
    pub(crate) fn pending_federation(&mut self) -> Result<Option<Vec<FederationMember>>, ContractError> {
        let version = self.version(keys::PENDING_FEDERATION_VERSION)?;
        let Some(data) = self.read(keys::PENDING_FEDERATION.key())? else { return Ok(None) };
        federation_codec::decode_pending(version.is_some(), &data).map(Some)
    }

    fn read_federation(
        &mut self,
        key: keys::Named,
        version_key: keys::Named,
    ) -> Result<Option<Federation>, ContractError> {
        let version = self.version(version_key)?;
        let Some(data) = self.read(key.key())? else { return Ok(None) };
        federation_codec::decode(self.bridge(), self.rules, version, &data).map(Some)
    }

    fn version(&mut self, key: keys::Named) -> Result<Option<u64>, ContractError> {
        self.read(key.key())?.map(|data| codec::integer_cell(&data)).transpose()
    }

    /// Outputs of the newest federation. On the Bitcoin test network the list moves to another cell, and
    /// starts empty, at RSKIP284 and again at RSKIP293.
    pub(crate) fn new_utxos(&mut self) -> Result<&[Vec<u8>], ContractError> {
        if self.cells.federations.new_utxos.is_none() {
            self.cells.federations.new_utxos = Some(self.read_utxos(self.new_utxos_key())?);
        }
        Ok(self.cells.federations.new_utxos.as_deref().unwrap_or_default())
    }

    /// Outputs of the federation before it.
    pub(crate) fn old_utxos(&mut self) -> Result<&[Vec<u8>], ContractError> {
        if self.cells.federations.old_utxos.is_none() {
            self.cells.federations.old_utxos = Some(self.read_utxos(keys::OLD_UTXOS)?);
        }
        Ok(self.cells.federations.old_utxos.as_deref().unwrap_or_default())
    }

    fn new_utxos_key(&self) -> keys::Named {
        let testnet = self.bridge().bitcoin.network == BitcoinNetwork::Testnet;
        match (testnet && self.active(Rule::Rskip284), self.active(Rule::Rskip293)) {
            (false, _) => keys::NEW_UTXOS,
            (true, false) => keys::NEW_UTXOS_TESTNET_RSKIP284,
            (true, true) => keys::NEW_UTXOS_TESTNET_RSKIP293,
        }
    }

    fn read_utxos(&mut self, key: keys::Named) -> Result<Vec<Vec<u8>>, ContractError> {
        let Some(data) = self.read(key.key())? else { return Ok(Vec::new()) };
        codec::items(&data)?.into_iter().map(|item| codec::bytes(item).map(<[u8]>::to_vec)).collect()
    }

    /// Height noted for the federation that is active (RSKIP186).
    pub(crate) fn stored_active_creation_height(&mut self) -> Result<Option<u64>, ContractError> {
        if self.cells.federations.active_height.is_none() {
            self.cells.federations.active_height = self.height(keys::ACTIVE_CREATION_HEIGHT)?;
        }
        Ok(self.cells.federations.active_height)
    }

    /// Height noted for the federation that will become active (RSKIP186).
    pub(crate) fn next_creation_height(&mut self) -> Result<Option<u64>, ContractError> {
        if self.cells.federations.next_height.is_none() {
            self.cells.federations.next_height = self.height(keys::NEXT_CREATION_HEIGHT)?;
        }
        Ok(self.cells.federations.next_height)
    }

    fn height(&mut self, key: keys::Named) -> Result<Option<u64>, ContractError> {
        if !self.active(Rule::Rskip186) {
            return Ok(None);
        }
        self.read(key.key())?.map(|data| codec::integer_cell(&data)).transpose()
    }

    /// The noted height becomes that of the active federation.
    pub(crate) fn activate_creation_height(&mut self, height: u64) {
        self.cells.federations.active_height = Some(height);
        self.cells.federations.clear_next_height = true;
    }

    pub(super) fn save_federations(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.federations);
        if let Some(utxos) = cells.new_utxos {
            self.write(self.new_utxos_key().key(), encode_utxos(&utxos))?;
        }
        if let Some(utxos) = cells.old_utxos {
            self.write(keys::OLD_UTXOS.key(), encode_utxos(&utxos))?;
        }
        if let Some(federation) = cells.new {
            let multikey = self.active(Rule::Rskip123);
            if multikey {
                let version = codec::encode_integer(federation_codec::version(federation.format));
                self.write(keys::NEW_FEDERATION_VERSION.key(), version)?;
            }
            self.write(keys::NEW_FEDERATION.key(), federation_codec::encode(&federation, multikey))?;
        }
        if let Some(height) = cells.active_height {
            self.write(keys::ACTIVE_CREATION_HEIGHT.key(), codec::encode_integer(height))?;
        }
        match cells.next_height {
            Some(_) if cells.clear_next_height => self.delete(keys::NEXT_CREATION_HEIGHT.key()),
            Some(height) => self.write(keys::NEXT_CREATION_HEIGHT.key(), codec::encode_integer(height)),
            None => Ok(()),
        }
    }
}

/// A list of unspent outputs as a cell.
pub(crate) fn encode_utxos(utxos: &[Vec<u8>]) -> Vec<u8> {
    let mut out = ListWriter::default();
    for utxo in utxos {
        out.bytes(utxo);
    }
    out.finish()
}
