//! Listing the storage of a contract (consensus.md §6.7).

use std::ops::ControlFlow;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Bytes, U256};

use crate::bits::Path;
use crate::keys::{HASH_PREFIX, storage_key, storage_prefix_key};
use crate::trie::Trie;

impl Trie {
    /// At most `limit` cells of an account in trie order (by the hash of the slot), those after the
    /// slot `after` when given (which need not exist): slot and bytes as stored.
    pub fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        let prefix = storage_prefix_key(account);
        let after = after.map(|slot| storage_key(account, slot));
        let mut cells = Vec::new();
        if limit == 0 {
            return Ok(cells);
        }
        self.walk_below(&prefix, after.as_deref(), &mut |path, node| {
            // The node at the prefix itself is the contract marker.
            if path.len() > prefix.len() * 8
                && let Some(value) = node.value().load(&**self.source())?
            {
                let slot = slot_of(path, prefix.len()).ok_or_else(|| StateError::Corrupt {
                    hash: node.hash(),
                    reason: "its path is no storage cell's".to_owned(),
                })?;
                cells.push((slot, value));
            }
            Ok(if cells.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(cells)
    }
}

/// The slot of a cell's full path: what follows the hash prefix, left-padded.
pub(crate) fn slot_of(path: &Path, prefix: usize) -> Option<U256> {
    let slot = path.as_bytes().get(prefix + HASH_PREFIX..)?;
    (path.len().is_multiple_of(8) && (1..=32).contains(&slot.len())).then(|| U256::from_be_slice(slot))
}
