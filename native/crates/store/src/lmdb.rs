//! The LMDB environment of a store.

use heed::types::Bytes as RawBytes;
use heed::{Database, Env, MdbError, PutFlags, RwTxn, WithTls};
use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::batch::Batch;

/// Largest step by which the map grows: doubling beyond it would only reserve address space.
const LARGEST_MAP_STEP: usize = 64 << 30;

pub(crate) type Table = Database<RawBytes, RawBytes>;

/// Table of trie nodes and long values by hash.
pub(crate) const NODES: &str = "nodes";
/// Table of encoded ancestor blocks by block hash.
pub(crate) const ANCESTORS: &str = "ancestors";
/// Table of Unitrie roots by the state root of the header.
pub(crate) const ROOTS: &str = "roots";
/// Table of facts about the store itself.
pub(crate) const META: &str = "meta";

pub(crate) struct Lmdb {
    pub(crate) env: Env<WithTls>,
    pub(crate) nodes: Table,
    pub(crate) ancestors: Table,
    pub(crate) roots: Table,
    /// Transactions hold it shared: the map may only be resized while none is open.
    pub(crate) resizing: RwLock<()>,
}

/// An LMDB failure as a store failure.
pub(crate) fn store_error(error: &heed::Error) -> StateError {
    StateError::Store(error.to_string())
}

fn invalid_root(header_root: &B256) -> StateError {
    StateError::Store(format!("the root stored for header root {header_root} has not 32 bytes"))
}

impl Lmdb {
    pub(crate) fn node(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        self.read(self.nodes, hash, Bytes::copy_from_slice)
    }

    pub(crate) fn ancestor(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        self.read(self.ancestors, hash, Bytes::copy_from_slice)
    }

    pub(crate) fn root(&self, header_root: &B256) -> Result<Option<B256>, StateError> {
        let root = self.read(self.roots, header_root, |bytes| B256::try_from(bytes).ok())?;
        root.map(|root| root.ok_or_else(|| invalid_root(header_root))).transpose()
    }

    fn read<T>(&self, table: Table, key: &B256, take: impl Fn(&[u8]) -> T) -> Result<Option<T>, StateError> {
        let attempt = || {
            let _shared = self.resizing.read();
            let transaction = self.env.read_txn()?;
            Ok(table.get(&transaction, key.as_slice())?.map(&take))
        };
        match attempt() {
            Err(heed::Error::Mdb(MdbError::MapResized)) => {
                // Another process (a check beside a running node) made the file larger.
                self.resize(0)?;
                attempt()
            }
            result => result,
        }
        .map_err(|error| store_error(&error))
    }

    /// One write transaction. LMDB syncs the file before the commit returns.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), StateError> {
        loop {
            let result = {
                let _shared = self.resizing.read();
                self.env.write_txn().and_then(|transaction| self.write_in(transaction, batch))
            };
            match result {
                Ok(()) => return Ok(()),
                Err(heed::Error::Mdb(MdbError::MapFull)) => {
                    let size = self.env.info().map_size;
                    self.resize(size + size.min(LARGEST_MAP_STEP))?;
                }
                Err(heed::Error::Mdb(MdbError::MapResized)) => self.resize(0)?,
                Err(error) => return Err(store_error(&error)),
            }
        }
    }

    fn write_in(&self, mut transaction: RwTxn<'_>, batch: &Batch) -> heed::Result<()> {
        let mut nodes: Vec<_> = batch.nodes.iter().map(|(hash, bytes)| (hash, &bytes[..])).collect();
        let mut ancestors: Vec<_> = batch.ancestors.iter().map(|(hash, bytes)| (hash, &bytes[..])).collect();
        let mut roots: Vec<_> = batch.roots.iter().map(|(header, root)| (header, root.as_slice())).collect();
        // What is stored under its own hash never changes; users of a development chain edit roots.
        let tables = [
            (self.nodes, PutFlags::NO_OVERWRITE, &mut nodes),
            (self.ancestors, PutFlags::NO_OVERWRITE, &mut ancestors),
            (self.roots, PutFlags::empty(), &mut roots),
        ];
        for (table, flags, entries) in tables {
            // In key order, so that neighbours share the pages that are read and written.
            entries.sort_unstable_by_key(|(hash, _)| **hash);
            for (hash, bytes) in entries.iter() {
                match table.put_with_flags(&mut transaction, flags, hash.as_slice(), bytes) {
                    Ok(()) | Err(heed::Error::Mdb(MdbError::KeyExist)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        transaction.commit()
    }

    /// Sets the size of the map; zero takes the size of the file.
    fn resize(&self, size: usize) -> Result<(), StateError> {
        let _exclusive = self.resizing.write();
        // SAFETY: every transaction of this environment is opened under the shared lock, which is
        // held exclusively here, so none is open.
        unsafe { self.env.resize(size) }.map_err(|error| store_error(&error))
    }
}
