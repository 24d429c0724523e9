//! Where stored nodes and long values come from.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

/// Stored nodes and long values, which share one key space.
pub trait NodeSource: Send + Sync {
    /// The bytes whose Keccak-256 is `hash`: a node's serialisation or a long value.
    /// [`StateError::MissingNode`] when they are not stored.
    fn get(&self, hash: &B256) -> Result<Bytes, StateError>;
}

/// Nodes in memory: tries that are built to be hashed, and tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryNodes(Arc<RwLock<HashMap<B256, Bytes>>>);

impl MemoryNodes {
    /// Adds nodes, as [`crate::Trie::take_new_nodes`] gives them.
    pub fn extend(&self, nodes: impl IntoIterator<Item = (B256, Bytes)>) {
        self.0.write().extend(nodes);
    }

    /// Number of nodes and long values.
    pub fn len(&self) -> usize {
        self.0.read().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl NodeSource for MemoryNodes {
    fn get(&self, hash: &B256) -> Result<Bytes, StateError> {
        self.0.read().get(hash).cloned().ok_or(StateError::MissingNode(*hash))
    }
}
