//! Nodes that are in memory.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, NodeSource, StoredNode};

use crate::backend::Backend;
use crate::node_log::find_record;
use crate::state_store::StateStore;

/// The nodes of a store that can be read without waiting for the disk. All others count as missing.
pub(crate) struct MemoryNodes<'a>(pub(crate) &'a StateStore);

impl MemoryNodes<'_> {
    fn location(&self, root: &B256) -> Option<Location> {
        let Self(store) = self;
        store
            .states
            .get(root)
            .or_else(|| store.pending.get(|batch| batch.states.get(root).map(|record| record.at)))
            .or_else(|| match &store.backend {
                Backend::Memory(stored) => stored.read().states.get(root).map(|record| record.at),
                Backend::Lmdb(_) => None,
            })
    }
}

impl NodeSource for MemoryNodes<'_> {
    fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
        let Self(store) = self;
        let at = if at == Location::UNKNOWN { self.location(hash).ok_or(StateError::MissingNode(*hash))? } else { at };
        if let Some(node) = store.nodes.get(&at) {
            return Ok(node);
        }
        if let Some(node) = store.pending.get(|batch| find_record(&batch.segments, at)) {
            return Ok(node);
        }
        match &store.backend {
            Backend::Memory(stored) => find_record(&stored.read().segments, at),
            Backend::Lmdb(_) => None,
        }
        .ok_or(StateError::MissingNode(*hash))
    }

    fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
        let Self(store) = self;
        if let Some(bytes) = store.pending.get(|batch| batch.values.get(hash).cloned()) {
            return Ok(bytes);
        }
        match &store.backend {
            Backend::Memory(stored) => stored.read().values.get(hash).cloned(),
            Backend::Lmdb(_) => None,
        }
        .ok_or(StateError::MissingNode(*hash))
    }
}
