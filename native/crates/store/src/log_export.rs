//! Exports states from the store.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_trie::{EMPTY_ROOT, Location, NodeSource as _, StoredNode};

use crate::log_copy::{LogError, NodeMetadata, Piece, metadata_of};
use crate::node_log::{START, record_length, write_record};
use crate::state_store::StateStore;

/// A piece is returned once it has this many bytes.
const PIECE_BYTES: usize = 8 << 20;

/// Values that were exported already, by hash.
type Given = HashSet<B256, RandomState>;

/// One state, node after node in the order of the log, with positions that start anew. What it reads never changes, so
/// blocks may be stored meanwhile, by this process or another, and no transaction stays open between pieces.
pub struct StateExport {
    store: Arc<StateStore>,
    root: B256,
    stack: Vec<Frame>,
    given: Given,
    end: u64,
    nodes: u64,
    done: bool,
}

/// A node whose children are being exported.
struct Frame {
    node: StoredNode,
    metadata: NodeMetadata,
    /// Children that were exported or skipped.
    seen: usize,
    /// Their locations in the new log.
    locations: [Location; 2],
}

impl StateExport {
    /// The state under a root of the store.
    ///
    /// # Errors
    /// [`StateError::MissingNode`] when it is not there.
    pub fn new(store: Arc<StateStore>, root: B256) -> Result<Self, StateError> {
        let at =
            if root == EMPTY_ROOT { None } else { Some(store.state(&root)?.ok_or(StateError::MissingNode(root))?) };
        let mut export =
            Self { store, root, stack: Vec::new(), given: Given::default(), end: START, nodes: 0, done: at.is_none() };
        if let Some(at) = at {
            export.open(&root, at).map_err(unexpected)?;
        }
        Ok(export)
    }

    /// Nodes exported so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Position behind the nodes exported so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The next piece; None at the end.
    ///
    /// # Errors
    /// Fails when a node is missing or damaged.
    pub fn next_piece(&mut self) -> Result<Option<Vec<u8>>, LogError> {
        if self.done {
            return Ok(None);
        }
        let mut piece = Piece::at(self.end);
        while piece.size() < PIECE_BYTES {
            let Some(frame) = self.stack.last_mut() else { break };
            if frame.seen < 2 {
                let side = frame.seen;
                frame.seen += 1;
                if let Some(hash) = frame.metadata.children[side] {
                    let at = frame.node.children[side];
                    self.open(&hash, at)?;
                }
                continue;
            }
            let Some(frame) = self.stack.pop() else { break };
            give_values(&self.store, &mut self.given, &mut piece, &frame.metadata)?;
            let at = Location(piece.end());
            write_record(&mut piece.nodes, &frame.node.message, frame.locations);
            self.nodes += 1;
            match self.stack.last_mut() {
                Some(parent) => parent.locations[parent.seen - 1] = at,
                None => {
                    piece.roots.push((self.root, at));
                    self.done = true;
                }
            }
        }
        self.end = piece.end();
        Ok(Some(piece.encode()))
    }

    fn open(&mut self, hash: &B256, at: Location) -> Result<(), LogError> {
        let node = self.store.node_uncached(hash, at)?;
        let metadata = metadata_of(&node, at.0)?;
        self.stack.push(Frame { node, metadata, seen: 0, locations: [Location::UNKNOWN; 2] });
        Ok(())
    }
}

/// The whole log as it is: every state that was ever stored.
pub struct LogExport {
    store: Arc<StateStore>,
    /// Every state by its location, ascending; those before `next_root` were exported.
    roots: Vec<(Location, B256)>,
    next_root: usize,
    given: Given,
    end: u64,
    last: u64,
    nodes: u64,
}

impl LogExport {
    /// The log up to its present end.
    ///
    /// # Errors
    /// Fails when the store fails.
    pub fn new(store: Arc<StateStore>) -> Result<Self, StateError> {
        // The end is read first: states that are stored meanwhile lie behind it.
        let last = store.backend.end()?;
        let mut roots = store.backend.states()?;
        roots.retain(|(at, _)| at.0 < last);
        roots.sort_unstable();
        Ok(Self { store, roots, next_root: 0, given: Given::default(), end: START, last, nodes: 0 })
    }

    /// Nodes exported so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Position behind the nodes exported so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The next piece; None at the end.
    ///
    /// # Errors
    /// Fails when a node is missing or damaged.
    pub fn next_piece(&mut self) -> Result<Option<Vec<u8>>, LogError> {
        let mut piece: Option<Piece> = None;
        while self.end < self.last && piece.as_ref().is_none_or(|piece| piece.size() < PIECE_BYTES) {
            let Some((start, segment)) = self.store.backend.segment(Location(self.end))? else { break };
            // There is a gap: the next piece begins behind it.
            if start > self.end && piece.is_some() {
                break;
            }
            let mut offset = usize::try_from(self.end.saturating_sub(start)).unwrap_or(usize::MAX);
            let piece = piece.get_or_insert_with(|| Piece::at(start + offset as u64));
            while piece.size() < PIECE_BYTES && offset < segment.len() {
                let at = start + offset as u64;
                let damaged = || StateError::Store(format!("the log of nodes is damaged at {at}"));
                let node = crate::node_log::read_record(&segment, offset).ok_or_else(damaged)?;
                give_values(&self.store, &mut self.given, piece, &metadata_of(&node, at)?)?;
                let length = record_length(&node);
                piece.nodes.extend_from_slice(&segment[offset..offset + length]);
                offset += length;
                self.nodes += 1;
            }
            self.end = start + offset as u64;
        }
        let Some(mut piece) = piece else { return Ok(None) };
        let (from, end) = (self.next_root, piece.end());
        self.next_root += self.roots[from..].iter().take_while(|(at, _)| at.0 < end).count();
        piece.roots = self.roots[from..self.next_root].iter().map(|(at, root)| (*root, *at)).collect();
        Ok(Some(piece.encode()))
    }
}

/// Adds the long values of a node that were not exported yet.
fn give_values(
    store: &StateStore,
    given: &mut Given,
    piece: &mut Piece,
    metadata: &NodeMetadata,
) -> Result<(), LogError> {
    for value in metadata.long_values.iter().flatten() {
        if given.insert(value.hash) {
            piece.add_value(store.value(&value.hash)?.to_vec());
        }
    }
    Ok(())
}

fn unexpected(error: LogError) -> StateError {
    match error {
        LogError::Store(error) => error,
        other => StateError::Store(other.to_string()),
    }
}
