//! Where stored nodes and long values come from, and where new ones go.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

/// Location of a node in a store, as a number that only the store understands. Stores that find nodes by their hashes
/// leave it [`Location::UNKNOWN`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub u64);

impl Location {
    /// Unknown: the store must find the node by its hash. Every store can do that for roots.
    pub const UNKNOWN: Self = Self(0);
}

/// A node as the store returns it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredNode {
    /// Serialisation.
    pub message: Bytes,
    /// Locations of the children for bit 0 and bit 1, if they are stored separately.
    pub children: [Location; 2],
}

/// Stored nodes and long values.
pub trait NodeSource: Send + Sync {
    /// The node whose serialisation has the hash. [`StateError::MissingNode`] when it is not stored.
    fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError>;

    /// The long value with the hash. [`StateError::MissingNode`] when it is not stored.
    fn value(&self, hash: &B256) -> Result<Bytes, StateError>;
}

/// Receives the nodes and values of a trie that are not stored yet, children before their parents.
pub trait NodeSink {
    /// Stores a node and returns its location.
    fn node(&mut self, hash: B256, message: &Bytes, children: [Location; 2]) -> Location;

    /// Stores a long value.
    fn value(&mut self, hash: B256, bytes: &Bytes);
}

/// Nodes in memory, for tries that are built only to be hashed, and for tests.
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

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl NodeSource for MemoryNodes {
    fn node(&self, hash: &B256, _at: Location) -> Result<StoredNode, StateError> {
        self.value(hash).map(|message| StoredNode { message, ..StoredNode::default() })
    }

    fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
        self.0.read().get(hash).cloned().ok_or(StateError::MissingNode(*hash))
    }
}
