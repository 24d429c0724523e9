//! The trie as a value.

use std::sync::Arc;

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::EMPTY_ROOT;
use crate::bits::Bits;
use crate::lookup;
use crate::node::{Link, Node};
use crate::source::{Location, MemoryNodes, NodeSource};
use crate::update::{Update, update};
use crate::value::Value;

/// A Unitrie. Clones share all nodes; a change copies only the shared ones. A trie whose change failed must be
/// discarded.
#[derive(Clone)]
pub struct Trie {
    pub(crate) source: Arc<dyn NodeSource>,
    pub(crate) root: Link,
}

impl Trie {
    /// The trie under a stored root. Nothing is read yet; a missing root is reported by the first access.
    pub fn at(source: Arc<dyn NodeSource>, root: B256) -> Self {
        let root = if root == EMPTY_ROOT { Link::Empty } else { Link::Hash(root, Location::UNKNOWN) };
        Self { source, root }
    }

    /// The trie under a root that another trie had.
    pub fn from_root(source: Arc<dyn NodeSource>, root: Link) -> Self {
        Self { source, root }
    }

    /// The root, with all nodes below it that are in memory.
    pub fn into_root(self) -> Link {
        self.root
    }

    /// An empty trie that is never stored.
    pub fn in_memory() -> Self {
        Self::at(Arc::new(MemoryNodes::default()), EMPTY_ROOT)
    }

    /// Sets a value; empty bytes delete it. Fails for a value above 2^24-1 bytes.
    pub fn put(&mut self, key: &[u8], value: Bytes) -> Result<(), StateError> {
        match Value::new(value)? {
            Value::None => self.delete(key),
            value => self.update(key, Update::Put(&value)),
        }
    }

    /// Removes a value, if there is one.
    pub fn delete(&mut self, key: &[u8]) -> Result<(), StateError> {
        self.update(key, Update::Delete)
    }

    /// Removes the node at `key` with everything below it. Does nothing when no node with a value sits exactly there.
    pub fn delete_recursive(&mut self, key: &[u8]) -> Result<(), StateError> {
        self.update(key, Update::DeleteRecursive)
    }

    fn update(&mut self, key: &[u8], what: Update<'_>) -> Result<(), StateError> {
        update(&*self.source, &mut self.root, Bits::of_key(key), what).map(|_| ())
    }

    /// The value at `key`; long values are given by hash and length.
    pub fn value(&self, key: &[u8]) -> Result<Value, StateError> {
        let mut rest = Bits::of_key(key);
        let mut link = &self.root;
        loop {
            match link {
                Link::Empty => return Ok(Value::None),
                Link::Hash(hash, at) => return lookup::find(&*self.source, hash, *at, rest),
                Link::Node(node) => {
                    let common = node.path.bits().common_prefix(rest);
                    if common < node.path.len() {
                        return Ok(Value::None);
                    }
                    if common == rest.len() {
                        return Ok(node.value.clone());
                    }
                    link = node.child(rest.bit(common));
                    rest = rest.skip(common + 1);
                }
            }
        }
    }

    /// The bytes at `key`; None when there are none.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StateError> {
        self.value(key)?.load(&*self.source)
    }

    /// Keccak-256 and length of the value at `key`, without loading a long one.
    pub fn value_info(&self, key: &[u8]) -> Result<Option<(B256, u32)>, StateError> {
        let value = self.value(key)?;
        Ok(value.hash().map(|hash| (hash, value.length())))
    }

    /// Root hash. Each node changed since the last call is serialised and hashed once.
    pub fn root(&self) -> B256 {
        match &self.root {
            Link::Empty => EMPTY_ROOT,
            Link::Hash(hash, _) => *hash,
            Link::Node(node) => node.hash(),
        }
    }

    /// The root node; None for an empty trie.
    pub fn root_node(&self) -> Result<Option<Arc<Node>>, StateError> {
        self.root.resolve(&*self.source)
    }

    /// Source of stored nodes.
    pub fn source(&self) -> &Arc<dyn NodeSource> {
        &self.source
    }
}
