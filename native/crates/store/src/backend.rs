//! Where committed entries are stored.

use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, StoredNode};

use crate::batch::Batch;
use crate::head_write::HeadWrite;
use crate::lmdb::Lmdb;
use crate::node_log::{START, find_record};
use crate::state_record::StateRecord;

/// Committed entries: on disk, or in memory for stores without files.
pub(crate) enum Backend {
    Memory(RwLock<Batch>),
    Lmdb(Lmdb),
}

impl Backend {
    /// Closes the files. Stores in memory are unaffected.
    pub(crate) fn close(&self) {
        if let Self::Lmdb(lmdb) = self {
            lmdb.close();
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::Lmdb(lmdb) => lmdb.is_closed(),
        }
    }

    /// The node at a position of the log.
    pub(crate) fn node(&self, at: Location) -> Result<Option<StoredNode>, StateError> {
        match self {
            Self::Memory(batch) => Ok(find_record(&batch.read().segments, at)),
            Self::Lmdb(lmdb) => lmdb.node(at),
        }
    }

    pub(crate) fn value(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().values.get(hash).cloned()),
            Self::Lmdb(lmdb) => lmdb.value(hash),
        }
    }

    pub(crate) fn state(&self, root: &B256) -> Result<Option<Location>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().states.get(root).map(|record| record.at)),
            Self::Lmdb(lmdb) => lmdb.state(root),
        }
    }

    /// Record of a state.
    pub(crate) fn record(&self, root: &B256) -> Result<Option<StateRecord>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().states.get(root).cloned()),
            Self::Lmdb(lmdb) => lmdb.record(root),
        }
    }

    pub(crate) fn ancestor(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().ancestors.get(hash).cloned()),
            Self::Lmdb(lmdb) => lmdb.ancestor(hash),
        }
    }

    pub(crate) fn root(&self, name: &B256) -> Result<Option<B256>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().roots.get(name).copied()),
            Self::Lmdb(lmdb) => lmdb.root(name),
        }
    }

    /// Position behind the log.
    pub(crate) fn end(&self) -> Result<u64, StateError> {
        match self {
            Self::Memory(batch) => {
                let batch = batch.read();
                Ok(batch.segments.last_key_value().map_or(START, |(start, bytes)| start + bytes.len() as u64))
            }
            Self::Lmdb(lmdb) => lmdb.end(),
        }
    }

    /// The segment of the log that holds a position, or the first one behind it: its start and its bytes.
    pub(crate) fn segment(&self, at: Location) -> Result<Option<(u64, Bytes)>, StateError> {
        match self {
            Self::Memory(batch) => {
                let batch = batch.read();
                let below = batch.segments.range(..=at.0).next_back();
                let found = below.filter(|(start, bytes)| *start + bytes.len() as u64 > at.0);
                let found = found.or_else(|| batch.segments.range(at.0..).next());
                Ok(found.map(|(start, bytes)| (*start, bytes.clone())))
            }
            Self::Lmdb(lmdb) => lmdb.segment(at),
        }
    }

    /// Every root with its location.
    pub(crate) fn states(&self) -> Result<Vec<(Location, B256)>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().states.iter().map(|(root, record)| (record.at, *root)).collect()),
            Self::Lmdb(lmdb) => lmdb.states(),
        }
    }

    /// The files; None for a store in memory, which has no table of the head.
    pub(crate) fn lmdb(&self) -> Option<&Lmdb> {
        match self {
            Self::Memory(_) => None,
            Self::Lmdb(lmdb) => Some(lmdb),
        }
    }

    /// Writes all or nothing; durable when it returns. True when the table of the head was changed as `head` says.
    pub(crate) fn write(&self, batch: &Batch, head: Option<&HeadWrite<'_>>) -> Result<bool, StateError> {
        match self {
            Self::Memory(stored) => {
                let mut stored = stored.write();
                stored.add_missing(batch);
                // Users of a development chain can edit roots.
                stored.roots.extend(&batch.roots);
                Ok(false)
            }
            Self::Lmdb(lmdb) => lmdb.write(batch, head),
        }
    }
}
