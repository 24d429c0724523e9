//! Checks pieces of a log and writes them to a store.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, NodeSource as _, StoredNode, keccak256};

use crate::log_copy::{LogError, PieceView, metadata_of};
use crate::node_log::{START, has_flags_of, read_record, record_length};
use crate::state_store::StateStore;

/// Maximum number of nodes and values in memory, if the store can look up the others.
const MAX_REMEMBERED: usize = 1 << 20;

/// Contents of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceReport {
    /// Nodes.
    pub nodes: u64,
    /// Long values.
    pub values: u64,
    /// Roots.
    pub roots: u64,
    /// Position behind it.
    pub end: u64,
}

/// Facts that the parents of a node need.
#[derive(Clone, Copy)]
struct Below {
    hash: B256,
    reference_size: u64,
}

/// Takes the pieces of a log in order. Every node must parse, come after its children, name them by their hashes and
/// state their sizes, and every long value must be there: the state under any root that is found in it is complete.
pub struct LogImport {
    /// The target; with None, pieces are only checked.
    store: Option<Arc<StateStore>>,
    /// True when every node has one parent, as in the copy of one state: a node is then forgotten once its parent is
    /// read.
    single: bool,
    nodes: HashMap<u64, Below, RandomState>,
    values: HashMap<B256, u32, RandomState>,
    roots: HashMap<B256, Location, RandomState>,
    end: u64,
}

impl LogImport {
    /// Continues at the end of the store's log; without a store, the first piece begins a log.
    ///
    /// # Errors
    /// Fails when the store fails.
    pub fn new(store: Option<Arc<StateStore>>, single: bool) -> Result<Self, LogError> {
        let end = store.as_ref().map_or(Ok(START), |store| store.backend.end())?;
        let (nodes, values, roots) = Default::default();
        Ok(Self { store, single, nodes, values, roots, end })
    }

    /// Position behind the pieces that were taken.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// True when a root was among the pieces that were taken, or is in the store.
    ///
    /// # Errors
    /// Fails when the store fails.
    pub fn has_root(&self, root: &B256) -> Result<bool, LogError> {
        if self.roots.contains_key(root) {
            return Ok(true);
        }
        Ok(self.store.as_ref().map_or(Ok(false), |store| store.has_root(root))?)
    }

    /// Checks a piece and writes it, durably.
    ///
    /// # Errors
    /// Fails when a check fails; nothing of the piece is then written.
    pub fn take(&mut self, bytes: &[u8]) -> Result<PieceReport, LogError> {
        let piece = PieceView::parse(bytes)?;
        if piece.start < self.end {
            return Err(LogError::Overlap(piece.start));
        }
        let mut report = PieceReport { values: piece.values.len() as u64, ..PieceReport::default() };
        let mut values = Vec::with_capacity(piece.values.len());
        for value in &piece.values {
            let hash = keccak256(value);
            self.values.insert(hash, value.len() as u32);
            values.push((hash, Bytes::copy_from_slice(value)));
        }
        let mut roots = piece.roots.clone();
        roots.sort_unstable_by_key(|(_, at)| *at);
        let mut next_root = roots.iter().peekable();
        let mut offset = 0;
        while offset < piece.nodes.len() {
            let at = piece.start + offset as u64;
            let node = read_record(piece.nodes, offset).ok_or(LogError::Truncated)?;
            // The record's length follows from its children: with wrong flags, the next record would be read at a wrong
            // offset.
            if !has_flags_of(piece.nodes, offset, &node) {
                return Err(LogError::Rule { at, reason: "its record has other flags than children" });
            }
            offset += record_length(&node);
            let below = self.check(&node, at)?;
            while let Some((root, _)) = next_root.next_if(|(_, location)| location.0 == at) {
                if *root != below.hash {
                    return Err(LogError::Root(*root));
                }
                report.roots += 1;
            }
            self.nodes.insert(at, below);
            report.nodes += 1;
        }
        if let Some((root, _)) = next_root.next() {
            return Err(LogError::Root(*root));
        }
        report.end = piece.start + piece.nodes.len() as u64;
        match &self.store {
            Some(store) => store.append_log(piece.start, piece.nodes, values, &roots)?,
            None => self.roots.extend(roots),
        }
        self.end = report.end;
        self.forget();
        Ok(report)
    }

    fn check(&mut self, node: &StoredNode, at: u64) -> Result<Below, LogError> {
        let rule = |reason| LogError::Rule { at, reason };
        let metadata = metadata_of(node, at)?;
        let mut size = metadata.embedded_size;
        for (child, location) in metadata.children.iter().zip(node.children) {
            match child {
                None if location == Location::UNKNOWN => {}
                None => return Err(rule("it names the place of a child that it does not have")),
                Some(_) if location.0 < START || location.0 >= at => {
                    return Err(rule("a child does not come before it"));
                }
                Some(hash) => {
                    let below = self.below(location, at)?;
                    if below.hash != *hash {
                        return Err(rule("a child has another hash"));
                    }
                    size = size.saturating_add(below.reference_size);
                }
            }
        }
        if size != metadata.children_size {
            return Err(rule("the size of its children is another"));
        }
        for value in metadata.long_values.iter().flatten() {
            if self.length_of(&value.hash)? != Some(value.length) {
                return Err(rule("a long value is missing"));
            }
        }
        Ok(Below { hash: keccak256(&node.message), reference_size: metadata.reference_size })
    }

    fn below(&mut self, location: Location, at: u64) -> Result<Below, LogError> {
        let known = if self.single { self.nodes.remove(&location.0) } else { self.nodes.get(&location.0).copied() };
        if let Some(below) = known {
            return Ok(below);
        }
        let missing = LogError::Rule { at, reason: "a child is not at its place" };
        let Some(store) = &self.store else { return Err(missing) };
        let node = store.backend.node(location)?.ok_or(missing)?;
        Ok(Below { hash: keccak256(&node.message), reference_size: metadata_of(&node, location.0)?.reference_size })
    }

    fn length_of(&self, hash: &B256) -> Result<Option<u32>, LogError> {
        if let Some(length) = self.values.get(hash) {
            return Ok(Some(*length));
        }
        match &self.store {
            None => Ok(None),
            Some(store) => match store.value(hash) {
                Ok(value) => Ok(Some(value.len() as u32)),
                Err(rhizome_primitives::state::StateError::MissingNode(_)) => Ok(None),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// Bounds the entries in memory that the store has, too.
    fn forget(&mut self) {
        if self.store.is_none() {
            return;
        }
        if self.nodes.len() > MAX_REMEMBERED {
            self.nodes.clear();
        }
        if self.values.len() > MAX_REMEMBERED {
            self.values.clear();
        }
    }
}
