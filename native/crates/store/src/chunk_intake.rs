//! A state that arrives in chunks of snapshot sync (p2p.md §5 Snapshot sync) and is written to the log on arrival.

use std::sync::Arc;

use rhizome_primitives::rlp::{self, Item, RlpError};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::chunk::{CHUNK_SPAN, ChunkError, ChunkNode, check_chunk};
use rhizome_trie::{Location, NodeSink as _, keccak256};
use thiserror::Error;

use crate::node_log::Segment;
use crate::state_store::StateStore;

/// Bytes of nodes that are buffered before a transaction.
const WAITING_BYTES: u64 = 4 << 20;

/// Maximum number of nodes from the root down; no key has as many bits.
const MAX_OPEN: usize = 1024;

/// Reason why a chunk was refused.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// The chunk is not the next one of this state. The fault is with the peer that sent it.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// The nodes belong to the root, but state wrong sizes: no state of the network is like that.
    #[error("the state is damaged: {0}")]
    Damaged(&'static str),
    /// The saved progress is of another state, or the store lacks what it refers to.
    #[error("what was saved does not fit the store")]
    Saved,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StateError),
}

impl From<RlpError> for IntakeError {
    fn from(_: RlpError) -> Self {
        Self::Saved
    }
}

/// Progress after a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeReport {
    /// Nodes of this chunk.
    pub nodes: u64,
    /// Start of the next chunk.
    pub next: u64,
    /// True when the state is complete, and stored.
    pub complete: bool,
}

/// A node that was written to the log.
#[derive(Clone, Copy, Debug)]
struct WrittenNode {
    hash: B256,
    at: Location,
    /// Bytes that it adds to the size of its parent.
    total: u64,
}

/// A node whose right side has not arrived yet.
struct Open {
    node: ChunkNode,
    left: Option<WrittenNode>,
}

/// Takes the chunks of one state in their order, checks each one, and appends its nodes to the log, each after its
/// children. Buffers some 4 MiB and one node per level, whatever the size of the state. The root becomes readable once
/// all of it has arrived. Must not be used any more after [`IntakeError::Damaged`] or [`IntakeError::Store`].
pub struct ChunkIntake {
    store: Arc<StateStore>,
    root: B256,
    next: u64,
    complete: bool,
    waiting: Vec<ChunkNode>,
    waiting_bytes: u64,
    open: Vec<Open>,
}

impl ChunkIntake {
    /// Starts with the first chunk.
    pub fn new(store: Arc<StateStore>, root: B256) -> Self {
        Self { store, root, next: 0, complete: false, waiting: Vec::new(), waiting_bytes: 0, open: Vec::new() }
    }

    /// Resumes from the point at which [`Self::save`] was called.
    ///
    /// # Errors
    /// Fails when the bytes belong to another state, or the store lacks what was stored then.
    pub fn resume(store: Arc<StateStore>, root: B256, saved: &[u8]) -> Result<Self, IntakeError> {
        let parts = Item::read_only(saved)?.items()?;
        let [of, next, open] = parts[..] else { return Err(IntakeError::Saved) };
        if of.bytes()? != root.as_slice() {
            return Err(IntakeError::Saved);
        }
        let mut intake = Self { next: next.u64()?, ..Self::new(store, root) };
        for item in open.items()? {
            let [node, hash, at, total] = item.items()?[..] else { return Err(IntakeError::Saved) };
            let left = match hash.bytes()? {
                [] => None,
                bytes => {
                    let hash = B256::try_from(bytes).map_err(|_| IntakeError::Saved)?;
                    Some(WrittenNode { hash, at: Location(at.u64()?), total: total.u64()? })
                }
            };
            if let Some(left) = left {
                let stored = intake.store.node_uncached(&left.hash, left.at).map_err(|_| IntakeError::Saved)?;
                if keccak256(&stored.message) != left.hash {
                    return Err(IntakeError::Saved);
                }
            }
            let node = ChunkNode::parse(node.bytes()?).map_err(|_| IntakeError::Saved)?;
            intake.open.push(Open { node, left });
        }
        Ok(intake)
    }

    /// Start of the next chunk.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Checks and takes the chunk that begins at [`Self::next`]. A refused chunk changes nothing.
    ///
    /// # Errors
    /// Fails when it is not that chunk, or the store fails.
    pub fn take(&mut self, body: &[u8]) -> Result<IntakeReport, IntakeError> {
        if self.complete {
            return Err(ChunkError::Range.into());
        }
        let to = self.next + CHUNK_SPAN;
        let chunk = check_chunk(body, &self.root, self.next, to)?;
        let nodes = chunk.nodes.len() as u64;
        self.waiting_bytes += chunk.nodes.iter().map(ChunkNode::span).sum::<u64>();
        self.waiting.extend(chunk.nodes);
        self.next = to;
        if chunk.complete || self.waiting_bytes >= WAITING_BYTES {
            self.write(chunk.complete)?;
        }
        self.complete = chunk.complete;
        Ok(IntakeReport { nodes, next: self.next, complete: self.complete })
    }

    /// Makes everything taken so far durable. Returns the bytes for [`Self::resume`], a few kilobytes.
    ///
    /// # Errors
    /// Fails when the store fails.
    pub fn save(&mut self) -> Result<Vec<u8>, IntakeError> {
        self.write(false)?;
        let mut open = Vec::new();
        for Open { node, left } in &self.open {
            let mut item = Vec::new();
            rlp::write_bytes(&mut item, node.encoded());
            rlp::write_bytes(&mut item, left.as_ref().map_or(&[], |left| left.hash.as_slice()));
            rlp::write_uint(&mut item, U256::from(left.map_or(0, |left| left.at.0)));
            rlp::write_uint(&mut item, U256::from(left.map_or(0, |left| left.total)));
            open.extend(rlp::list(&item));
        }
        let mut out = Vec::new();
        rlp::write_bytes(&mut out, self.root.as_slice());
        rlp::write_uint(&mut out, U256::from(self.next));
        out.extend(rlp::list(&open));
        Ok(rlp::list(&out))
    }

    /// Appends the buffered nodes to the log, durably; at the end of the state the open nodes as well.
    fn write(&mut self, last: bool) -> Result<(), IntakeError> {
        let (store, root) = (self.store.clone(), self.root);
        store.append_nodes(|segment| {
            for node in self.waiting.drain(..) {
                let size = node.children_size();
                let left = close(&mut self.open, segment, |below| below < size)?;
                if self.open.len() == MAX_OPEN {
                    return Err(IntakeError::Damaged("it is deeper than any key is long"));
                }
                self.open.push(Open { node, left });
            }
            if !last {
                return Ok(None);
            }
            match close(&mut self.open, segment, |_| true)? {
                Some(found) if found.hash == root => Ok(Some((root, found.at))),
                _ => Err(IntakeError::Damaged("its nodes have another root")),
            }
        })?;
        self.waiting_bytes = 0;
        Ok(store.commit()?)
    }
}

/// Writes open nodes, the lowest first, while they are below the next one; returns the topmost of them.
fn close(
    open: &mut Vec<Open>,
    segment: &mut Segment,
    below: impl Fn(u64) -> bool,
) -> Result<Option<WrittenNode>, IntakeError> {
    let mut right: Option<WrittenNode> = None;
    while let Some(Open { node, left }) = open.pop_if(|open| below(open.node.children_size())) {
        let children = [left, right];
        let sizes = children.iter().flatten().fold(node.embedded_size(), |sum, child| sum.saturating_add(child.total));
        let present = [false, true].map(|bit| node.has_apart(bit));
        if sizes != node.children_size() || children.map(|child| child.is_some()) != present {
            return Err(IntakeError::Damaged("a node says another size than its children have"));
        }
        let message = Bytes::from(node.message(children.map(|child| child.map(|child| child.hash))));
        let hash = keccak256(&message);
        for (hash, value) in node.values() {
            segment.value(*hash, value);
        }
        let at = segment.node(hash, &message, children.map(|child| child.map_or(Location::UNKNOWN, |child| child.at)));
        right = Some(WrittenNode { hash, at, total: node.total() });
    }
    Ok(right)
}
