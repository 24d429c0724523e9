//! Federations and their recorded heights (bridge.md §2.2, §4.7).

use rhizome_bitcoin::Script;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::codec::{self, ListWriter, malformed};
use super::{Frame, keys};
use crate::federation::{Federation, FederationMember, codec as federation_codec};

/// Value of the next creation height after it was cleared.
const CLEARED: i64 = -1;

#[derive(Default)]
pub(crate) struct FederationCells {
    new: Option<Federation>,
    old: Loaded<Federation>,
    pending: Loaded<Vec<FederationMember>>,
    proposed: Loaded<Federation>,
    active_height: Option<i64>,
    next_height: Option<i64>,
    last_retired_script: Option<Vec<u8>>,
}

/// An object that is written back only if it was set; it may be set to nothing.
struct Loaded<T> {
    value: Option<T>,
    set: bool,
}

impl<T> Default for Loaded<T> {
    fn default() -> Self {
        Self { value: None, set: false }
    }
}

impl<T> Loaded<T> {
    fn known(&self) -> bool {
        self.set || self.value.is_some()
    }

    fn set(&mut self, value: Option<T>) {
        *self = Self { value, set: true };
    }
}

impl Frame<'_> {
    /// The federation that was committed last; written back in the current format.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn new_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if self.cells.federations.new.is_none() {
            self.cells.federations.new = self.read_federation(keys::NEW_FEDERATION, keys::NEW_FEDERATION_VERSION)?;
        }
        Ok(self.cells.federations.new.clone())
    }

    /// Sets the federation that was committed last.
    pub fn set_new_federation(&mut self, federation: Federation) {
        self.cells.federations.new = Some(federation);
    }

    /// The previous federation.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn old_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if !self.cells.federations.old.known() {
            let federation = self.read_federation(keys::OLD_FEDERATION, keys::OLD_FEDERATION_VERSION)?;
            self.cells.federations.old.value = federation;
        }
        Ok(self.cells.federations.old.value.clone())
    }

    /// Sets the previous federation; None once its funds have moved.
    pub fn set_old_federation(&mut self, federation: Option<Federation>) {
        self.cells.federations.old.set(federation);
    }

    /// The federation under validation (RSKIP419).
    pub(crate) fn proposed_federation(&mut self) -> Result<Option<Federation>, ContractError> {
        if !self.active(Rule::Rskip419) {
            return Ok(None);
        }
        if !self.cells.federations.proposed.known()
            && let Some(cell) = self.read(keys::PROPOSED_FEDERATION.key())?
        {
            let version = self.version(keys::PROPOSED_FEDERATION_VERSION)?.ok_or_else(malformed)?;
            let federation = federation_codec::decode(self.bridge(), self.rules, Some(version), &cell)?;
            self.cells.federations.proposed.value = Some(federation);
        }
        Ok(self.cells.federations.proposed.value.clone())
    }

    /// Sets the federation under validation.
    pub fn set_proposed_federation(&mut self, federation: Option<Federation>) {
        self.cells.federations.proposed.set(federation);
    }

    /// Members of the federation that is being formed, sorted.
    pub(crate) fn pending_federation(&mut self) -> Result<Option<Vec<FederationMember>>, ContractError> {
        if !self.cells.federations.pending.known() {
            let version = self.version(keys::PENDING_FEDERATION_VERSION)?;
            if let Some(cell) = self.read(keys::PENDING_FEDERATION.key())? {
                let members = federation_codec::decode_pending(version.is_some(), &cell)?;
                self.cells.federations.pending.value = Some(members);
            }
        }
        Ok(self.cells.federations.pending.value.clone())
    }

    /// Sets the members of the federation that is being formed, in any order.
    pub fn set_pending_federation(&mut self, members: Option<Vec<FederationMember>>) {
        let sorted = members.map(|mut members| {
            members.sort();
            members
        });
        self.cells.federations.pending.set(sorted);
    }

    fn read_federation(
        &mut self,
        key: keys::Named,
        version_key: keys::Named,
    ) -> Result<Option<Federation>, ContractError> {
        let version = self.version(version_key)?;
        let Some(cell) = self.read(key.key())? else { return Ok(None) };
        federation_codec::decode(self.bridge(), self.rules, version, &cell).map(Some)
    }

    fn version(&mut self, key: keys::Named) -> Result<Option<i32>, ContractError> {
        Ok(self.read(key.key())?.map(|cell| codec::long_cell(&cell)).transpose()?.map(|version| version as i32))
    }

    /// Height recorded for the active federation (RSKIP186).
    pub(crate) fn stored_active_creation_height(&mut self) -> Result<Option<i64>, ContractError> {
        if self.cells.federations.active_height.is_none() {
            self.cells.federations.active_height = self.height(keys::ACTIVE_CREATION_HEIGHT)?;
        }
        Ok(self.cells.federations.active_height.filter(|_| self.active(Rule::Rskip186)))
    }

    /// Records a height for the active federation.
    pub(crate) fn set_active_creation_height(&mut self, height: i64) {
        self.cells.federations.active_height = Some(height);
    }

    /// Height recorded for the federation that will become active (RSKIP186); -1 when this call cleared it.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn next_creation_height(&mut self) -> Result<Option<i64>, ContractError> {
        if self.cells.federations.next_height.is_none() {
            self.cells.federations.next_height = self.height(keys::NEXT_CREATION_HEIGHT)?;
        }
        Ok(self.cells.federations.next_height.filter(|_| self.active(Rule::Rskip186)))
    }

    /// Records a height for the federation that will become active.
    pub(crate) fn set_next_creation_height(&mut self, height: i64) {
        self.cells.federations.next_height = Some(height);
    }

    /// Clears the height recorded for the federation that will become active.
    pub fn clear_next_creation_height(&mut self) {
        self.cells.federations.next_height = Some(CLEARED);
    }

    fn height(&mut self, key: keys::Named) -> Result<Option<i64>, ContractError> {
        if !self.active(Rule::Rskip186) {
            return Ok(None);
        }
        self.read(key.key())?.map(|cell| codec::long_cell(&cell)).transpose()
    }

    /// Output script of the federation that retired last (RSKIP186).
    pub(crate) fn last_retired_script(&mut self) -> Result<Option<Vec<u8>>, ContractError> {
        if !self.active(Rule::Rskip186) {
            return Ok(None);
        }
        if self.cells.federations.last_retired_script.is_none() {
            let cell = self.read(keys::LAST_RETIRED_SCRIPT.key())?;
            self.cells.federations.last_retired_script = cell.map(|cell| decode_script(&cell)).transpose()?;
        }
        Ok(self.cells.federations.last_retired_script.clone())
    }

    /// Sets the output script of the federation that retired last.
    pub(crate) fn set_last_retired_script(&mut self, script: Vec<u8>) {
        self.cells.federations.last_retired_script = Some(script);
    }

    pub(super) fn save_federations(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.federations);
        let multikey = self.active(Rule::Rskip123);
        if let Some(federation) = cells.new {
            self.write_federation(keys::NEW_FEDERATION, keys::NEW_FEDERATION_VERSION, Some(&federation))?;
        }
        if cells.old.set {
            self.write_federation(keys::OLD_FEDERATION, keys::OLD_FEDERATION_VERSION, cells.old.value.as_ref())?;
        }
        if cells.pending.set {
            if multikey {
                let version = codec::encode_long(federation_codec::STANDARD_VERSION);
                self.write(keys::PENDING_FEDERATION_VERSION.key(), version)?;
            }
            let members = cells.pending.value.map(|members| federation_codec::encode_pending(&members, multikey));
            self.write(keys::PENDING_FEDERATION.key(), members.unwrap_or_default())?;
        }
        if cells.proposed.set && self.active(Rule::Rskip419) {
            let federation = cells.proposed.value.as_ref();
            let version = federation.map(|federation| codec::encode_long(federation_codec::version(federation.format)));
            self.write(keys::PROPOSED_FEDERATION_VERSION.key(), version.unwrap_or_default())?;
            let members = federation.map(|federation| federation_codec::encode(federation, true));
            self.write(keys::PROPOSED_FEDERATION.key(), members.unwrap_or_default())?;
        }
        if !self.active(Rule::Rskip186) {
            return Ok(());
        }
        if let Some(height) = cells.active_height {
            self.write(keys::ACTIVE_CREATION_HEIGHT.key(), codec::encode_long(height))?;
        }
        match cells.next_height {
            Some(CLEARED) => self.delete(keys::NEXT_CREATION_HEIGHT.key())?,
            Some(height) => self.write(keys::NEXT_CREATION_HEIGHT.key(), codec::encode_long(height))?,
            None => (),
        }
        match cells.last_retired_script {
            Some(script) => self.write(keys::LAST_RETIRED_SCRIPT.key(), encode_script(&script)),
            None => Ok(()),
        }
    }

    /// From RSKIP123 on the version is stored beside the federation; without a federation it is the first version.
    fn write_federation(
        &mut self,
        key: keys::Named,
        version_key: keys::Named,
        federation: Option<&Federation>,
    ) -> Result<(), ContractError> {
        let multikey = self.active(Rule::Rskip123);
        if multikey {
            let version = federation.map(|federation| federation_codec::version(federation.format));
            let version = version.unwrap_or(federation_codec::STANDARD_VERSION);
            self.write(version_key.key(), codec::encode_long(version))?;
        }
        let members = federation.map(|federation| federation_codec::encode(federation, multikey));
        self.write(key.key(), members.unwrap_or_default())
    }
}

/// A script that is the only item of a cell's list.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn decode_script(cell: &[u8]) -> Result<Vec<u8>, ContractError> {
    match codec::items(cell)?[..] {
        [script] => {
            Script::parse(script.raw()).map_err(|_| malformed())?;
            Ok(script.raw().to_vec())
        }
        _ => Err(malformed()),
    }
}

/// The cell of a script.
pub fn encode_script(script: &[u8]) -> Vec<u8> {
    ListWriter::default().bytes(script).finish()
}
