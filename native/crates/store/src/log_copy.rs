//! Pieces of the node log in transit: a state, or the whole log, in chunks that follow one another.
//!
//! A chunk has: position of its first node (8 bytes), number of long values (4) and of roots (4), each value as length
//! (4) and bytes, each root as hash (32) and position (8), then nodes as they are in the log. Numbers are
//! little-endian. Every node comes after its children, and a value comes in the chunk of its first node or earlier.

use rhizome_primitives::B256;
use rhizome_trie::node_view::{ChildView, NodeError, NodeView, ValueView};
use rhizome_trie::{Location, StoredNode};
use thiserror::Error;

use crate::node_log::LIMIT;

/// Reason why bytes are not a valid piece of the log, or not the next one.
#[derive(Debug, Error)]
pub enum LogError {
    /// The bytes are shorter than they state.
    #[error("it is cut off")]
    Truncated,
    /// It overlaps the previous piece.
    #[error("it begins at {0}, before the end of the piece before it")]
    Overlap(u64),
    /// It ends behind the last possible position.
    #[error("it begins at {0}, where no log reaches")]
    Position(u64),
    /// A record that is no node.
    #[error("the node at {at} does not parse: {error}")]
    Node {
        /// Its position.
        at: u64,
        /// The fault.
        error: NodeError,
    },
    /// A node that breaks a rule of the trie.
    #[error("the node at {at}: {reason}")]
    Rule {
        /// Its position.
        at: u64,
        /// The rule.
        reason: &'static str,
    },
    /// A root that is not at its stated position.
    #[error("the root {0} is not at its place")]
    Root(B256),
    /// The source or target store failed.
    #[error(transparent)]
    Store(#[from] rhizome_primitives::state::StateError),
}

/// A piece of the log that is being built.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) start: u64,
    pub(crate) values: Vec<Vec<u8>>,
    pub(crate) roots: Vec<(B256, Location)>,
    pub(crate) nodes: Vec<u8>,
    value_bytes: usize,
}

impl Piece {
    pub(crate) fn at(start: u64) -> Self {
        Self { start, ..Self::default() }
    }

    /// Position behind it.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.nodes.len() as u64
    }

    pub(crate) fn add_value(&mut self, value: Vec<u8>) {
        self.value_bytes += value.len();
        self.values.push(value);
    }

    /// Approximate number of bytes so far.
    pub(crate) fn size(&self) -> usize {
        self.nodes.len() + self.value_bytes
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(16 + self.size() + 4 * self.values.len() + 40 * self.roots.len());
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&(self.values.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.roots.len() as u32).to_le_bytes());
        for value in &self.values {
            out.extend_from_slice(&(value.len() as u32).to_le_bytes());
            out.extend_from_slice(value);
        }
        for (root, at) in &self.roots {
            out.extend_from_slice(root.as_slice());
            out.extend_from_slice(&at.0.to_le_bytes());
        }
        out.extend_from_slice(&self.nodes);
        out
    }
}

/// A piece as it was received.
pub(crate) struct PieceView<'a> {
    pub(crate) start: u64,
    pub(crate) values: Vec<&'a [u8]>,
    pub(crate) roots: Vec<(B256, Location)>,
    pub(crate) nodes: &'a [u8],
}

impl<'a> PieceView<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut rest = bytes;
        let start = u64::from_le_bytes(take(&mut rest)?);
        let (values, roots) = (u32::from_le_bytes(take(&mut rest)?), u32::from_le_bytes(take(&mut rest)?));
        let values = (0..values)
            .map(|_| {
                let length = u32::from_le_bytes(take(&mut rest)?) as usize;
                let (value, after) = rest.split_at_checked(length).ok_or(LogError::Truncated)?;
                rest = after;
                Ok(value)
            })
            .collect::<Result<Vec<_>, LogError>>()?;
        let roots = (0..roots)
            .map(|_| Ok((B256::from(take::<32>(&mut rest)?), Location(u64::from_le_bytes(take(&mut rest)?)))))
            .collect::<Result<Vec<_>, LogError>>()?;
        if start.checked_add(rest.len() as u64).is_none_or(|end| end > LIMIT) {
            return Err(LogError::Position(start));
        }
        Ok(Self { start, values, roots, nodes: rest })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], LogError> {
    let (first, after) = rest.split_first_chunk().ok_or(LogError::Truncated)?;
    *rest = after;
    Ok(*first)
}

/// A value that a node refers to by its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongValue {
    pub(crate) hash: B256,
    pub(crate) length: u32,
}

/// The sizes that a node states, and the nodes and values below it.
pub(crate) struct NodeMetadata {
    /// Hashes of the children that are stored separately.
    pub(crate) children: [Option<B256>; 2],
    /// Bytes below the node, as it states.
    pub(crate) children_size: u64,
    /// Bytes below the node that are in embedded children.
    pub(crate) embedded_size: u64,
    /// Bytes that the node adds to its parent's size.
    pub(crate) reference_size: u64,
    /// Long values of the node and its embedded children.
    pub(crate) long_values: [Option<LongValue>; 3],
}

/// Reads the metadata of a node.
pub(crate) fn metadata_of(node: &StoredNode, at: u64) -> Result<NodeMetadata, LogError> {
    let rule = |reason| LogError::Rule { at, reason };
    let view = NodeView::parse(&node.message).map_err(|error| LogError::Node { at, error })?;
    let mut metadata = NodeMetadata {
        children: [None; 2],
        children_size: view.children_size,
        embedded_size: 0,
        reference_size: view.children_size.saturating_add(node.message.len() as u64).saturating_add(apart(&view.value)),
        long_values: [long(&view.value), None, None],
    };
    let mut children = 0;
    for (index, child) in [view.left, view.right].into_iter().enumerate() {
        match child {
            ChildView::Empty => continue,
            ChildView::Hash(hash) => metadata.children[index] = Some(hash),
            ChildView::Embedded(bytes) => {
                let child = NodeView::parse(bytes).map_err(|error| LogError::Node { at, error })?;
                if matches!(child.value, ValueView::None) {
                    return Err(rule("an embedded node has no value"));
                }
                metadata.embedded_size += bytes.len() as u64 + apart(&child.value);
                metadata.long_values[1 + index] = long(&child.value);
            }
        }
        children += 1;
    }
    if children < 2 && matches!(view.value, ValueView::None) {
        return Err(rule("it has no value and fewer than two children"));
    }
    Ok(metadata)
}

fn apart(value: &ValueView<'_>) -> u64 {
    if let ValueView::Long(_, length) = value { u64::from(*length) } else { 0 }
}

fn long(value: &ValueView<'_>) -> Option<LongValue> {
    if let ValueView::Long(hash, length) = value { Some(LongValue { hash: *hash, length: *length }) } else { None }
}
