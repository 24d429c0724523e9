//! Nodes as far as they are in memory.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::NodeSource;

use crate::backend::Backend;
use crate::state_store::StateStore;

/// The nodes of a store that can be had without waiting for the disk. The others count as missing.
pub(crate) struct MemoryNodes<'a>(pub(crate) &'a StateStore);

impl NodeSource for MemoryNodes<'_> {
    fn get(&self, hash: &B256) -> Result<Bytes, StateError> {
        let Self(store) = self;
        if let Some(bytes) = store.nodes.get(hash) {
            return Ok(bytes);
        }
        if let Some(bytes) = store.pending.get(|batch| batch.nodes.get(hash).cloned()) {
            return Ok(bytes);
        }
        match &store.backend {
            Backend::Memory(stored) => stored.read().nodes.get(hash).cloned(),
            Backend::Lmdb(_) => None,
        }
        .ok_or(StateError::MissingNode(*hash))
    }
}
