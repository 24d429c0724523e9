//! The best Bitcoin chain by height (RSKIP199).

use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::{Frame, codec, keys};

impl Frame<'_> {
    /// Hash of the best chain's header at a height (RSKIP199). A value that this call sets is not visible before the
    /// save.
    pub(crate) fn best_hash_at(&mut self, height: i32) -> Result<Option<B256>, ContractError> {
        if !self.active(Rule::Rskip199) {
            return Ok(None);
        }
        self.read(keys::HEADER_AT_HEIGHT.key(&height.to_string()))?.map(|cell| codec::hash_cell(&cell)).transpose()
    }

    /// Sets the hash of the best chain's header at a height (RSKIP199).
    pub fn set_best_hash_at(&mut self, height: i32, hash: B256) {
        if self.active(Rule::Rskip199) {
            self.cells.header_index.insert(height, hash);
        }
    }

    pub(super) fn save_header_index(&mut self) -> Result<(), ContractError> {
        for (height, hash) in std::mem::take(&mut self.cells.header_index) {
            self.write(keys::HEADER_AT_HEIGHT.key(&height.to_string()), codec::encode_bytes(hash.as_slice()))?;
        }
        Ok(())
    }
}
