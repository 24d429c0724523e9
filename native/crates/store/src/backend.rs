//! Where committed entries are.

use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::batch::Batch;
use crate::lmdb::Lmdb;

/// Committed entries: on disk, or in memory for stores that are not kept.
pub(crate) enum Backend {
    Memory(RwLock<Batch>),
    Lmdb(Lmdb),
}

impl Backend {
    pub(crate) fn node(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().nodes.get(hash).cloned()),
            Self::Lmdb(lmdb) => lmdb.node(hash),
        }
    }

    pub(crate) fn ancestor(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().ancestors.get(hash).cloned()),
            Self::Lmdb(lmdb) => lmdb.ancestor(hash),
        }
    }

    pub(crate) fn root(&self, header_root: &B256) -> Result<Option<B256>, StateError> {
        match self {
            Self::Memory(batch) => Ok(batch.read().roots.get(header_root).copied()),
            Self::Lmdb(lmdb) => lmdb.root(header_root),
        }
    }

    /// Writes all or nothing; durable when it returns.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), StateError> {
        match self {
            Self::Memory(stored) => {
                stored.write().merge(batch);
                Ok(())
            }
            Self::Lmdb(lmdb) => lmdb.write(batch),
        }
    }
}
