//! Reading stored nodes.

use std::sync::Arc;

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, NodeSource, StoredNode};

use crate::node_log::find_record;
use crate::state_store::StateStore;

impl StateStore {
    /// The location of a node; where it is unknown, the node must be a root.
    fn location(&self, hash: &B256, at: Location) -> Result<Location, StateError> {
        match at {
            Location::UNKNOWN => self.state(hash)?.ok_or(StateError::MissingNode(*hash)),
            known => Ok(known),
        }
    }

    /// Reads a node without the cache.
    pub(crate) fn node_uncached(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
        // Pending first: a commit moves entries from there to the backend, never back.
        if let Some(node) = self.pending.get(|batch| find_record(&batch.segments, at)) {
            return Ok(node);
        }
        self.backend.node(at)?.ok_or(StateError::MissingNode(*hash))
    }
}

/// Node source for changes, whose nodes stay parsed in the trie: it reads the cache, but does not fill it.
pub(crate) struct UncachedNodes(Arc<StateStore>);

impl UncachedNodes {
    pub(crate) fn new(store: Arc<StateStore>) -> Self {
        Self(store)
    }
}

impl NodeSource for UncachedNodes {
    fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
        let at = self.0.location(hash, at)?;
        self.0.nodes.get(&at).map_or_else(|| self.0.node_uncached(hash, at), Ok)
    }

    fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
        self.0.value(hash)
    }
}

impl NodeSource for StateStore {
    fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
        let at = self.location(hash, at)?;
        if let Some(node) = self.nodes.get(&at) {
            return Ok(node);
        }
        let node = self.node_uncached(hash, at)?;
        self.nodes.insert(at, node.clone());
        Ok(node)
    }

    fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
        if let Some(bytes) = self.pending.get(|batch| batch.values.get(hash).cloned()) {
            return Ok(bytes);
        }
        self.backend.value(hash)?.ok_or(StateError::MissingNode(*hash))
    }
}
