//! Fly-over deposits that were processed, and the federations that hold them (bridge.md §4.4).

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, hex};

use super::codec::{self, ListWriter, malformed};
use super::{Frame, keys};

/// The key material that can spend the outputs to a fly-over script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlyoverFederation {
    /// The derivation hash of the script.
    pub derivation_hash: B256,
    /// Hash in the output script of the federation.
    pub federation_script_hash: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct FlyoverCells {
    used: Option<(B256, B256)>,
    active: Option<([u8; 20], FlyoverFederation)>,
    retiring: Option<([u8; 20], FlyoverFederation)>,
}

/// Value of a cell that marks something as processed.
pub(crate) const MARK: &[u8] = &[1];

impl Frame<'_> {
    /// True when a deposit was processed (RSKIP176). A mark of this call is not visible before the save.
    pub(crate) fn flyover_used(&mut self, transaction: B256, derivation_hash: B256) -> Result<bool, ContractError> {
        if !self.active(Rule::Rskip176) {
            return Ok(false);
        }
        Ok(self.read(flyover_used_key(transaction, derivation_hash))?.is_some_and(|mark| mark[..] == *MARK))
    }

    /// Marks a deposit as processed; a call marks at most one.
    pub fn mark_flyover_used(&mut self, transaction: B256, derivation_hash: B256) {
        if self.active(Rule::Rskip176) {
            self.cells.flyover.used = Some((transaction, derivation_hash));
        }
    }

    /// The federation for the hash in a fly-over output script (RSKIP176). A value that this call sets is not visible
    /// before the save.
    pub(crate) fn flyover_federation(
        &mut self,
        script_hash: &[u8],
    ) -> Result<Option<FlyoverFederation>, ContractError> {
        if !self.active(Rule::Rskip176) || script_hash.is_empty() {
            return Ok(None);
        }
        let key = keys::FLYOVER_FEDERATION.key(&hex::encode(script_hash));
        self.read(key)?.map(|cell| FlyoverFederation::decode(&cell)).transpose()
    }

    /// Records the active federation for the hash in a fly-over output script (RSKIP176).
    pub(crate) fn set_flyover_federation(&mut self, script_hash: [u8; 20], federation: FlyoverFederation) {
        if self.active(Rule::Rskip176) {
            self.cells.flyover.active = Some((script_hash, federation));
        }
    }

    /// Records the retiring federation for the hash in a fly-over output script (RSKIP293).
    pub(crate) fn set_flyover_retiring_federation(&mut self, script_hash: [u8; 20], federation: FlyoverFederation) {
        if self.active(Rule::Rskip293) {
            self.cells.flyover.retiring = Some((script_hash, federation));
        }
    }

    pub(super) fn save_flyover(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.flyover);
        if let Some((transaction, derivation_hash)) = cells.used {
            self.write(flyover_used_key(transaction, derivation_hash), MARK.to_vec())?;
        }
        for (script_hash, federation) in [cells.active, cells.retiring].into_iter().flatten() {
            self.write(keys::FLYOVER_FEDERATION.key(&hex::encode(script_hash)), federation.encode())?;
        }
        Ok(())
    }
}

fn flyover_used_key(transaction: B256, derivation_hash: B256) -> rhizome_primitives::U256 {
    keys::FLYOVER_USED.key(&format!("{}{}", hex::encode(transaction), hex::encode(derivation_hash)))
}

impl FlyoverFederation {
    /// Reads a cell.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn decode(cell: &[u8]) -> Result<Self, ContractError> {
        let [derivation_hash, script_hash] = codec::items(cell)?[..] else { return Err(malformed()) };
        Ok(Self { derivation_hash: derivation_hash.hash()?, federation_script_hash: script_hash.raw().to_vec() })
    }

    /// The cell of the federation.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = ListWriter::default();
        out.bytes(self.derivation_hash.as_slice()).bytes(&self.federation_script_hash).finish()
    }
}
