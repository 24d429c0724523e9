//! Nodes in memory (consensus.md §6.1).

use std::sync::{Arc, OnceLock};

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use smallvec::SmallVec;

use crate::bits::Path;
use crate::node_view::{ChildView, MAX_EMBEDDED_BYTES, NodeError, NodeView, flags};
use crate::source::{Location, NodeSource, StoredNode};
use crate::value::Value;
use crate::{keccak256, varint};

/// A serialisation while it is built: on the stack, unless the path is unusually long.
type Serialisation = SmallVec<[u8; 192]>;

/// A reference to a node.
#[derive(Clone, Debug, Default)]
pub enum Link {
    /// No node.
    #[default]
    Empty,
    /// A stored node that is not in memory.
    Hash(B256, Location),
    /// A node in memory: changed since it was stored, embedded in its parent, or still parsed after it was stored.
    Node(Arc<Node>),
}

impl Link {
    /// True when there is no node.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// The node, read from `source` when it is not in memory; None for [`Link::Empty`].
    pub fn resolve(&self, source: &dyn NodeSource) -> Result<Option<Arc<Node>>, StateError> {
        match self {
            Self::Empty => Ok(None),
            Self::Hash(hash, at) => Node::load(source, hash, *at).map(|node| Some(Arc::new(node))),
            Self::Node(node) => Ok(Some(node.clone())),
        }
    }
}

/// A node. Its serialisation, hash and children size are computed once, at their first use.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub(crate) path: Path,
    pub(crate) value: Value,
    pub(crate) left: Link,
    pub(crate) right: Link,
    /// Part of the children size that comes from children linked by hash. The rest is added up from
    /// the children in memory, so that no unchanged sibling is read to compute a size.
    pub(crate) stored_size: u64,
    message: OnceLock<Bytes>,
    hash: OnceLock<B256>,
    children_size: OnceLock<u64>,
    /// Set when the node is stored.
    at: OnceLock<Location>,
}

impl Node {
    /// A terminal node.
    pub(crate) fn leaf(path: Path, value: Value) -> Self {
        Self { path, value, ..Self::default() }
    }

    /// Reads and parses a stored node.
    pub fn load(source: &dyn NodeSource, hash: &B256, at: Location) -> Result<Self, StateError> {
        let stored = source.node(hash, at)?;
        let node = Self::from_stored(stored).map_err(|error| corrupt(hash, &error))?;
        let _ = node.hash.set(*hash);
        let _ = node.at.set(at);
        Ok(node)
    }

    /// Parses a node with what the store says about its children.
    pub fn from_stored(stored: StoredNode) -> Result<Self, NodeError> {
        let mut node = Self::parse(stored.message)?;
        for (link, at) in [&mut node.left, &mut node.right].into_iter().zip(stored.children) {
            if let Link::Hash(_, unknown) = link {
                *unknown = at;
            }
        }
        Ok(node)
    }

    /// Parses a serialisation in the current format.
    pub fn parse(message: Bytes) -> Result<Self, NodeError> {
        let view = NodeView::parse(&message)?;
        let mut node = Self {
            path: view.path.to_path(),
            value: view.value.to_value(&message),
            stored_size: view.children_size,
            ..Self::default()
        };
        for (child, link) in [(view.left, &mut node.left), (view.right, &mut node.right)] {
            *link = match child {
                ChildView::Empty => Link::Empty,
                ChildView::Hash(hash) => Link::Hash(hash, Location::UNKNOWN),
                ChildView::Embedded(bytes) => {
                    let child = Self::parse(Bytes(message.0.slice_ref(bytes)))?;
                    node.stored_size =
                        node.stored_size.checked_sub(child.reference_size()).ok_or(NodeError::ChildrenSize)?;
                    Link::Node(Arc::new(child))
                }
            };
        }
        let _ = node.children_size.set(view.children_size);
        let _ = node.message.set(message);
        Ok(node)
    }

    /// Shared path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The child for a key bit.
    pub fn child(&self, bit: bool) -> &Link {
        if bit { &self.right } else { &self.left }
    }

    /// True when there are no children.
    pub fn is_terminal(&self) -> bool {
        self.left.is_empty() && self.right.is_empty()
    }

    /// True when a parent embeds this node.
    pub fn is_embeddable(&self) -> bool {
        self.is_terminal() && self.message().len() <= MAX_EMBEDDED_BYTES
    }

    /// Bytes below this node: for each child its serialisation, its long value and its children size.
    pub fn children_size(&self) -> u64 {
        let in_memory = |link: &Link| if let Link::Node(node) = link { node.reference_size() } else { 0 };
        *self.children_size.get_or_init(|| {
            self.stored_size.saturating_add(in_memory(&self.left)).saturating_add(in_memory(&self.right))
        })
    }

    /// Bytes that this node adds to its parent's children size.
    pub(crate) fn reference_size(&self) -> u64 {
        self.children_size().saturating_add(self.value.stored_apart()).saturating_add(self.message().len() as u64)
    }

    /// Serialisation in the current format.
    pub fn message(&self) -> &Bytes {
        self.message.get_or_init(|| Bytes::copy_from_slice(&self.serialise()))
    }

    /// Keccak-256 of the serialisation.
    pub fn hash(&self) -> B256 {
        *self.hash.get_or_init(|| keccak256(self.message()))
    }

    /// The hash, if it is known already.
    pub(crate) fn known_hash(&self) -> Option<B256> {
        self.hash.get().copied()
    }

    /// Location of the node in the store; None while it has none.
    pub(crate) fn location(&self) -> Option<Location> {
        self.at.get().copied()
    }

    /// Records where the node is stored.
    pub(crate) fn set_location(&self, at: Location) {
        let _ = self.at.set(at);
    }

    /// Has the node count as not stored.
    pub(crate) fn forget_location(&mut self) {
        self.at = OnceLock::new();
    }

    /// Drops the values that were derived from the contents, after a change.
    pub(crate) fn touch(&mut self) {
        self.message = OnceLock::new();
        self.hash = OnceLock::new();
        self.children_size = OnceLock::new();
        self.at = OnceLock::new();
    }

    fn serialise(&self) -> Serialisation {
        let mut out = Serialisation::new();
        out.push(flags::VERSION);
        let mut flags = flags::VERSION;
        if !self.path.is_empty() {
            flags |= flags::PATH;
            write_path(&mut out, &self.path);
        }
        let children =
            [(&self.left, flags::LEFT, flags::LEFT_EMBEDDED), (&self.right, flags::RIGHT, flags::RIGHT_EMBEDDED)];
        for (link, present, embedded) in children {
            match link {
                Link::Empty => continue,
                Link::Hash(hash, _) => out.extend_from_slice(hash.as_slice()),
                Link::Node(node) if node.is_embeddable() => {
                    flags |= embedded;
                    out.push(node.message().len() as u8);
                    out.extend_from_slice(node.message());
                }
                Link::Node(node) => out.extend_from_slice(node.hash().as_slice()),
            }
            flags |= present;
        }
        if !self.is_terminal() {
            varint::write(&mut out, self.children_size());
        }
        match &self.value {
            Value::None => {}
            Value::Short(bytes) => out.extend_from_slice(bytes),
            Value::Long { hash, length, .. } => {
                flags |= flags::LONG_VALUE;
                out.extend_from_slice(hash.as_slice());
                out.extend_from_slice(&length.to_be_bytes()[1..]);
            }
        }
        out[0] = flags;
        out
    }
}

fn write_path(out: &mut Serialisation, path: &Path) {
    match path.len() {
        length @ 1..=32 => out.push((length - 1) as u8),
        length @ 160..=382 => out.push((length - 128) as u8),
        length => {
            out.push(0xff);
            varint::write(out, length as u64);
        }
    }
    out.extend_from_slice(path.as_bytes());
}

/// The error for a stored node that does not parse.
pub(crate) fn corrupt(hash: &B256, reason: &dyn std::fmt::Display) -> StateError {
    StateError::Corrupt { hash: *hash, reason: reason.to_string() }
}
