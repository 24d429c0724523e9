//! What one commit writes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_primitives::{B256, Bytes};

/// Entries by hash. All are immutable: an entry that is stored already is the same.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Trie nodes and long values.
    pub(crate) nodes: HashMap<B256, Bytes, RandomState>,
    /// Encoded ancestor blocks by block hash.
    pub(crate) ancestors: HashMap<B256, Bytes, RandomState>,
    /// Unitrie roots by the state root that the header names.
    pub(crate) roots: HashMap<B256, B256, RandomState>,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.ancestors.is_empty() && self.roots.is_empty()
    }

    /// Takes over all entries of another batch.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.nodes.extend(other.nodes.iter().map(|(hash, bytes)| (*hash, bytes.clone())));
        self.ancestors.extend(other.ancestors.iter().map(|(hash, bytes)| (*hash, bytes.clone())));
        self.roots.extend(&other.roots);
    }
}
