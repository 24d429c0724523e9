//! What one commit writes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_primitives::{B256, Bytes};

use crate::node_log::Segments;
use crate::state_record::StateRecord;

/// Entries of the tables. Entries under a hash are immutable: one that is stored already is the same.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The log of nodes from where the last batch ended.
    pub(crate) segments: Segments,
    /// Nodes in the segments.
    pub(crate) nodes: usize,
    /// Long values.
    pub(crate) values: HashMap<B256, Bytes, RandomState>,
    /// Locations of root nodes, and records of the other states.
    pub(crate) states: HashMap<B256, StateRecord, RandomState>,
    /// Encoded ancestor blocks by block hash.
    pub(crate) ancestors: HashMap<B256, Bytes, RandomState>,
    /// Unitrie roots by the state root in the header.
    pub(crate) roots: HashMap<B256, B256, RandomState>,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
            && self.values.is_empty()
            && self.states.is_empty()
            && self.ancestors.is_empty()
            && self.roots.is_empty()
    }

    /// Copies the entries of another batch that this one does not have.
    pub(crate) fn add_missing(&mut self, other: &Self) {
        self.segments.extend(other.segments.iter().map(|(start, bytes)| (*start, bytes.clone())));
        self.nodes += other.nodes;
        for (hash, bytes) in &other.values {
            self.values.entry(*hash).or_insert_with(|| bytes.clone());
        }
        for (hash, record) in &other.states {
            let repeated = |kept: &mut StateRecord| kept.is_repeated = true;
            self.states.entry(*hash).and_modify(repeated).or_insert_with(|| record.clone());
        }
        for (hash, bytes) in &other.ancestors {
            self.ancestors.entry(*hash).or_insert_with(|| bytes.clone());
        }
        for (header, root) in &other.roots {
            self.roots.entry(*header).or_insert(*root);
        }
    }
}
