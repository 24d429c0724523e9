//! Reads chunks from a stored trie.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, rlp};

use super::node;
use crate::node_view::{ChildView, NodeView, ValueView};
use crate::source::{Location, NodeSource, StoredNode};

/// A chunk as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateChunk {
    /// `[[[node, left hash], …], [node, …], left hash of the first, [left, right] of the last, [[node, right hash], …]]`.
    pub body: Vec<u8>,
    /// True when it contains the last node of the trie.
    pub complete: bool,
}

/// A stored node that the walk visited.
struct Visited {
    stored: StoredNode,
    /// Hashes of the children that are not embedded.
    children: [Option<B256>; 2],
    /// Bytes on the line of nodes, of the node alone and with everything below it.
    span: u64,
    total: u64,
}

impl Visited {
    fn load(source: &dyn NodeSource, hash: &B256, at: Location) -> Result<Self, StateError> {
        let stored = source.node(hash, at)?;
        let corrupt = |reason: String| StateError::Corrupt { hash: *hash, reason };
        let view = NodeView::parse(&stored.message).map_err(|error| corrupt(error.to_string()))?;
        let own = stored.message.len() as u64 + apart(&view.value);
        let (mut children, mut embedded) = ([None; 2], 0);
        for (side, child) in [view.left, view.right].into_iter().enumerate() {
            match child {
                ChildView::Empty => {}
                ChildView::Hash(hash) => children[side] = Some(hash),
                ChildView::Embedded(bytes) => {
                    let child = NodeView::parse(bytes).map_err(|error| corrupt(error.to_string()))?;
                    embedded += bytes.len() as u64 + apart(&child.value);
                }
            }
        }
        let total = own.saturating_add(view.children_size);
        Ok(Self { stored, children, span: own + embedded, total })
    }

    fn child(&self, source: &dyn NodeSource, bit: bool) -> Result<Option<Self>, StateError> {
        let side = usize::from(bit);
        self.children[side].map(|hash| Self::load(source, &hash, self.stored.children[side])).transpose()
    }

    /// `[node, hash of the child]`.
    fn with_child(&self, source: &dyn NodeSource, bit: bool) -> Result<Vec<u8>, StateError> {
        let mut pair = Vec::new();
        rlp::write_bytes(&mut pair, &self.encode(source)?);
        write_hash(&mut pair, self.children[usize::from(bit)]);
        Ok(rlp::list(&pair))
    }

    fn encode(&self, source: &dyn NodeSource) -> Result<Vec<u8>, StateError> {
        node::encode(&self.stored.message, source)
    }
}

fn apart(value: &ValueView<'_>) -> u64 {
    if let ValueView::Long(_, length) = value { u64::from(*length) } else { 0 }
}

/// Bytes of the trie under a root: the length of its line of nodes.
///
/// # Errors
/// Fails when the root is not stored or damaged.
pub fn trie_size(source: &dyn NodeSource, root: &B256) -> Result<u64, StateError> {
    Visited::load(source, root, Location::UNKNOWN).map(|node| node.total)
}

/// The chunk from `from` up to before `to` of the trie under a root. None behind the end of the trie, and when the
/// chunk would be longer than `limit`. Reads only the nodes of the range and those above them.
///
/// # Errors
/// Fails when a node is missing or damaged.
pub fn read_chunk(
    source: &dyn NodeSource,
    root: &B256,
    from: u64,
    to: u64,
    limit: usize,
) -> Result<Option<StateChunk>, StateError> {
    let mut walk = Walk { source, above: Vec::new(), stack: Vec::new(), position: 0 };
    walk.find(Visited::load(source, root, Location::UNKNOWN)?, from)?;
    let Some(first) = walk.stack.last() else { return Ok(None) };
    let first_left = first.children[0];
    let mut out = Parts::new(limit);
    for node in &walk.above {
        out.above.extend(node.with_child(source, false)?);
    }
    let mut last = None;
    while walk.position < to && out.fits() {
        let Some(node) = walk.next(to)? else { break };
        rlp::write_bytes(&mut out.nodes, &node.encode(source)?);
        last = Some(node.children);
    }
    for node in walk.stack.iter().rev() {
        if !out.fits() {
            break;
        }
        out.below.extend(node.with_child(source, true)?);
    }
    if !out.fits() {
        return Ok(None);
    }
    Ok(Some(StateChunk { body: out.body(first_left, last), complete: walk.stack.is_empty() }))
}

/// The parts of a chunk while it is built.
struct Parts {
    limit: usize,
    above: Vec<u8>,
    nodes: Vec<u8>,
    below: Vec<u8>,
}

impl Parts {
    fn new(limit: usize) -> Self {
        Self { limit, above: Vec::new(), nodes: Vec::new(), below: Vec::new() }
    }

    fn fits(&self) -> bool {
        self.above.len() + self.nodes.len() + self.below.len() <= self.limit
    }

    fn body(&self, first_left: Option<B256>, last: Option<[Option<B256>; 2]>) -> Vec<u8> {
        let mut body = rlp::list(&self.above);
        body.extend(rlp::list(&self.nodes));
        write_hash(&mut body, first_left);
        let mut hashes = Vec::new();
        for hash in last.into_iter().flatten() {
            write_hash(&mut hashes, hash);
        }
        body.extend(rlp::list(&hashes));
        body.extend(rlp::list(&self.below));
        rlp::list(&body)
    }
}

fn write_hash(out: &mut Vec<u8>, hash: Option<B256>) {
    rlp::write_bytes(out, hash.as_ref().map_or(&[], |hash| hash.as_slice()));
}

/// A walk in key order from some position on.
struct Walk<'a> {
    source: &'a dyn NodeSource,
    /// Ancestors that come before the first node, from the root on.
    above: Vec<Visited>,
    /// Nodes that are still to come, the next one on top; below it are the ancestors that come after it.
    stack: Vec<Visited>,
    /// Bytes before the next node.
    position: u64,
}

impl Walk<'_> {
    /// Goes to the node that holds the byte before `from`, or the first one.
    fn find(&mut self, root: Visited, from: u64) -> Result<(), StateError> {
        let (mut node, mut base) = (root, 0u64);
        loop {
            let mut start = base;
            if let Some(left) = node.child(self.source, false)? {
                start = base.saturating_add(left.total);
                if from <= start {
                    self.stack.push(node);
                    node = left;
                    continue;
                }
            }
            if from <= start.saturating_add(node.span) {
                self.position = start;
                self.stack.push(node);
                return Ok(());
            }
            let Some(right) = node.child(self.source, true)? else {
                self.stack.clear();
                return Ok(());
            };
            base = start.saturating_add(node.span);
            if from > base.saturating_add(right.total) {
                self.stack.clear();
                return Ok(());
            }
            self.above.push(node);
            node = right;
        }
    }

    /// The next node if it ends before `to`.
    fn next(&mut self, to: u64) -> Result<Option<Visited>, StateError> {
        let Some(node) = self.stack.pop_if(|node| self.position.saturating_add(node.span) < to) else {
            return Ok(None);
        };
        self.position += node.span;
        let mut next = node.child(self.source, true)?;
        while let Some(below) = next {
            next = below.child(self.source, false)?;
            self.stack.push(below);
        }
        Ok(Some(node))
    }
}
