//! The LMDB environment of a store.
#![allow(unsafe_code, reason = "no transaction may be open where a memory map grows")]

use std::io::Write as _;
use std::path::PathBuf;

use heed::types::Bytes as RawBytes;
use heed::{Database, Env, MdbError, PutFlags, ReservedSpace, RoTxn, RwTxn, WithTls};
use parking_lot::RwLock;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, StoredNode};

use crate::batch::Batch;
use crate::epochs::Epochs;
use crate::head_older::OlderTables;
use crate::head_write::HeadWrite;
use crate::node_log::{START, Segments, read_record, record_span};
use crate::state_record::StateRecord;

pub(crate) type Table = Database<RawBytes, RawBytes>;

/// Size up to which segments of the log are joined into one entry. Each entry takes whole pages.
const MAX_JOINED_BYTES: usize = 1 << 20;

/// Size of the entries of a log that is cut: one page of LMDB without its header. These entries leave again, and an entry
/// of several pages wants them side by side: it would not find what others left, and the file would grow for ever.
const PAGE_ENTRY_BYTES: usize = 4096 - 16;

/// Table of the log of nodes: its segments by the position of their first byte, big-endian.
pub(crate) const NODES: &str = "nodes";
/// Table of long values by hash.
pub(crate) const VALUES: &str = "values";
/// Table of the positions of root nodes, big-endian, by root.
pub(crate) const STATES: &str = "states";
/// Table of encoded ancestor blocks by block hash.
pub(crate) const ANCESTORS: &str = "ancestors";
/// Table of Unitrie roots by the state root of the header.
pub(crate) const ROOTS: &str = "roots";
/// Table of the newest state by raw keys.
pub(crate) const HEAD: &str = "head";
/// Table of sorted rows from which the former is made.
pub(crate) const RUNS: &str = "runs";
/// Table of what each step of the line of newest states changed.
pub(crate) const CHANGES: &str = "changes";
/// Table of the steps by root.
pub(crate) const STEPS: &str = "steps";
/// Table of the steps at which rows of the newest state changed that change often.
pub(crate) const HISTORY: &str = "history";
/// Table of values in states from before the line, and that of those states.
pub(crate) const OLDER: &str = "older";
pub(crate) const OLDER_STATES: &str = "older_states";
/// Table of hash and root of deep blocks by number.
pub(crate) const NUMBERS: &str = "numbers";
/// Table of metadata about the store itself.
pub(crate) const META: &str = "meta";

/// Tables of the line of newest states.
#[derive(Clone, Copy)]
pub(crate) struct LineTables {
    pub(crate) changes: Table,
    pub(crate) steps: Table,
    pub(crate) history: Table,
}

pub(crate) struct Lmdb {
    /// Transactions hold it shared: the map may only be resized, and the environment only be closed, while none is
    /// open. None after the store was closed.
    pub(crate) env: RwLock<Option<Env<WithTls>>>,
    pub(crate) nodes: Table,
    pub(crate) values: Table,
    pub(crate) states: Table,
    pub(crate) ancestors: Table,
    pub(crate) roots: Table,
    pub(crate) meta: Table,
    /// None where a store that is only read has none.
    pub(crate) head: Option<Table>,
    pub(crate) runs: Option<Table>,
    /// Folder of the files.
    pub(crate) folder: PathBuf,
    /// Maximum number of bytes of all files together, once the log is cut.
    pub(crate) limit: usize,
    /// False when another process may write the files.
    pub(crate) is_writable: bool,
    /// The log of nodes outside of the table.
    pub(crate) epochs: Box<Epochs>,
    pub(crate) line: Option<LineTables>,
    pub(crate) older: Option<OlderTables>,
    pub(crate) numbers: Option<Table>,
}

fn closed() -> StateError {
    StateError::Store("the state store is closed".into())
}

/// An LMDB failure as a store failure.
pub(crate) fn store_error(error: &heed::Error) -> StateError {
    StateError::Store(error.to_string())
}

/// A position as it is encoded in a key or value.
pub(crate) fn position(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}

fn invalid_root(name: &B256) -> StateError {
    StateError::Store(format!("the root stored for {name} has not 32 bytes"))
}

impl Lmdb {
    pub(crate) fn node(&self, at: Location) -> Result<Option<StoredNode>, StateError> {
        if let Some(file) = self.epochs.file_of(at.0) {
            return file.node(at);
        }
        let found = self.node_in_table(at)?;
        if found.is_some() || !self.look_again()? {
            return Ok(found);
        }
        self.epochs.file_of(at.0).map_or(Ok(None), |file| file.node(at))
    }

    fn node_in_table(&self, at: Location) -> Result<Option<StoredNode>, StateError> {
        let key = at.0.to_be_bytes();
        self.transact(|transaction| {
            let Some((start, segment)) = self.nodes.get_lower_than_or_equal_to(transaction, &key)? else {
                return Ok(None);
            };
            let offset = position(start).and_then(|start| usize::try_from(at.0 - start).ok());
            Ok(offset.and_then(|offset| read_record(segment, offset)))
        })
    }

    /// Position behind the log.
    pub(crate) fn end(&self) -> Result<u64, StateError> {
        let end = self.transact(|transaction| {
            let last = self.nodes.last(transaction)?;
            Ok(last.and_then(|(start, bytes)| Some(position(start)? + bytes.len() as u64)).unwrap_or(START))
        })?;
        // The table is empty when all of the log is sealed.
        Ok(if self.epochs.is_tracked() { end.max(self.epochs.state.lock().list.open) } else { end })
    }

    /// The part of the log that begins at a position, or the first one behind it: an entry of the table that has the
    /// position, or whole nodes of a file.
    pub(crate) fn segment(&self, at: Location) -> Result<Option<(u64, Bytes)>, StateError> {
        let file = self.epochs.file_from(at.0);
        if let Some(file) = file.as_ref().filter(|file| file.has(at.0)) {
            let bytes = file.piece(at.0)?;
            return Ok((!bytes.is_empty()).then_some((at.0, bytes)));
        }
        let entry = self.entry(at)?;
        match file {
            Some(file) if entry.as_ref().is_none_or(|(start, _)| *start > file.start) => {
                self.segment(Location(file.start))
            }
            _ => Ok(entry),
        }
    }

    /// The entry of the table of nodes that has a position, or the first one behind it.
    pub(crate) fn entry(&self, at: Location) -> Result<Option<(u64, Bytes)>, StateError> {
        let key = at.0.to_be_bytes();
        self.transact(|transaction| {
            let below = self.nodes.get_lower_than_or_equal_to(transaction, &key)?;
            let has =
                |start: &[u8], bytes: &[u8]| position(start).is_some_and(|start| start + bytes.len() as u64 > at.0);
            let found = match below {
                Some((start, bytes)) if has(start, bytes) => below,
                _ => self.nodes.get_greater_than(transaction, &key)?,
            };
            Ok(found.and_then(|(start, bytes)| Some((position(start)?, Bytes::copy_from_slice(bytes)))))
        })
    }

    /// Every root with its location.
    pub(crate) fn states(&self) -> Result<Vec<(Location, B256)>, StateError> {
        let first = self.epochs.first();
        self.transact(|transaction| {
            let mut states = Vec::new();
            for entry in self.states.iter(transaction)? {
                let (root, at) = entry?;
                if let (Ok(root), Some(record)) = (B256::try_from(root), StateRecord::decode(at))
                    && record.extent.floor >= first
                {
                    states.push((record.at, root));
                }
            }
            Ok(states)
        })
    }

    pub(crate) fn value(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        self.read(self.values, hash, Bytes::copy_from_slice)
    }

    /// Record of a state, also of one that is gone.
    pub(crate) fn record(&self, root: &B256) -> Result<Option<StateRecord>, StateError> {
        let record = self.read(self.states, root, StateRecord::decode)?;
        record
            .map(|record| record.ok_or_else(|| StateError::Store(format!("the record of root {root} is damaged"))))
            .transpose()
    }

    /// Location of the root node of a state that is not gone.
    pub(crate) fn state(&self, root: &B256) -> Result<Option<Location>, StateError> {
        let record = self.record(root)?;
        Ok(record.filter(|record| record.extent.floor >= self.epochs.first()).map(|record| record.at))
    }

    pub(crate) fn ancestor(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        self.read(self.ancestors, hash, Bytes::copy_from_slice)
    }

    pub(crate) fn root(&self, name: &B256) -> Result<Option<B256>, StateError> {
        let root = self.read(self.roots, name, |bytes| B256::try_from(bytes).ok())?;
        root.map(|root| root.ok_or_else(|| invalid_root(name))).transpose()
    }

    fn read<T>(&self, table: Table, key: &B256, take: impl Fn(&[u8]) -> T) -> Result<Option<T>, StateError> {
        self.transact(|transaction| Ok(table.get(transaction, key.as_slice())?.map(&take)))
    }

    /// Reads in a transaction of its own.
    pub(crate) fn transact<T>(&self, read: impl Fn(&RoTxn<'_>) -> heed::Result<T>) -> Result<T, StateError> {
        let attempt = || {
            let env = self.env.read();
            let env = env.as_ref().ok_or_else(closed)?;
            Ok::<_, StateError>(env.read_txn().and_then(|transaction| read(&transaction)))
        };
        match attempt()? {
            Err(heed::Error::Mdb(MdbError::MapResized)) => {
                // Another process (a check beside a running node) enlarged the file.
                self.resize(0)?;
                attempt()?
            }
            result => result,
        }
        .map_err(|error| store_error(&error))
    }

    /// Asks about the environment.
    pub(crate) fn with_env<T>(&self, ask: impl Fn(&Env<WithTls>) -> heed::Result<T>) -> Result<T, StateError> {
        let env = self.env.read();
        ask(env.as_ref().ok_or_else(closed)?).map_err(|error| store_error(&error))
    }

    /// Closes the files once no transaction is open. Every later access is an error.
    pub(crate) fn close(&self) {
        self.env.write().take();
        // A thread that writes a file ends, so that whoever opens the folder next has it alone.
        let _stepping = self.epochs.stepping.lock();
        self.epochs.close();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.env.read().is_none()
    }

    /// One write transaction. LMDB syncs the file before the commit returns. A full map is an error: its size is the
    /// limit that the operator set, and resizing would have to wait for every reader.
    ///
    /// With `head`, the table of the head is changed, too. True when it was.
    pub(crate) fn write(&self, batch: &Batch, head: Option<&HeadWrite<'_>>) -> Result<bool, StateError> {
        let is_cut = self.epochs.is_tracked();
        if is_cut {
            let bytes: usize = batch.segments.values().chain(batch.values.values()).map(|bytes| bytes.len()).sum();
            self.assert_space(bytes as u64)?;
        }
        let is_changed = self.change(|transaction| self.write_in(transaction, batch, head))?;
        if is_cut {
            self.epochs.state.lock().is_stored = true;
        }
        Ok(is_changed)
    }

    /// Changes tables in one transaction. `change` is called again when another process enlarged the file.
    pub(crate) fn change<T>(&self, change: impl Fn(&mut RwTxn<'_>) -> heed::Result<T>) -> Result<T, StateError> {
        loop {
            let result = {
                let env = self.env.read();
                let env = env.as_ref().ok_or_else(closed)?;
                env.write_txn().and_then(|mut transaction| {
                    let changed = change(&mut transaction)?;
                    transaction.commit()?;
                    Ok(changed)
                })
            };
            match result {
                Ok(changed) => return Ok(changed),
                Err(heed::Error::Mdb(MdbError::MapResized)) => self.resize(0)?,
                Err(error) => return Err(store_error(&error)),
            }
        }
    }

    fn write_in(&self, transaction: &mut RwTxn<'_>, batch: &Batch, head: Option<&HeadWrite<'_>>) -> heed::Result<bool> {
        self.write_log(transaction, &batch.segments)?;
        let is_cut = self.epochs.is_tracked();
        let mut states = Vec::with_capacity(batch.states.len());
        for (root, record) in &batch.states {
            let record = if is_cut { self.joined(transaction, root, record)? } else { record.clone() };
            states.push((root, record.encode()));
        }
        let mut states: Vec<_> = states.iter().map(|(root, record)| (*root, &record[..])).collect();
        let mut values: Vec<_> = batch.values.iter().map(|(hash, bytes)| (hash, &bytes[..])).collect();
        let mut ancestors: Vec<_> = batch.ancestors.iter().map(|(hash, bytes)| (hash, &bytes[..])).collect();
        let mut roots: Vec<_> = batch.roots.iter().map(|(header, root)| (header, root.as_slice())).collect();
        // Entries under their own hash never change; users of a development chain can edit roots.
        let tables = [
            (self.states, if is_cut { PutFlags::empty() } else { PutFlags::NO_OVERWRITE }, &mut states),
            (self.values, PutFlags::NO_OVERWRITE, &mut values),
            (self.ancestors, PutFlags::NO_OVERWRITE, &mut ancestors),
            (self.roots, PutFlags::empty(), &mut roots),
        ];
        for (table, flags, entries) in tables {
            // In key order, so that neighbours share the pages that are read and written.
            entries.sort_unstable_by_key(|(hash, _)| **hash);
            for (hash, bytes) in entries.iter() {
                match table.put_with_flags(transaction, flags, hash.as_slice(), bytes) {
                    Ok(()) | Err(heed::Error::Mdb(MdbError::KeyExist)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        if is_cut {
            let list = self.epochs.state.lock().list.clone();
            self.put_epochs(transaction, &list)?;
        }
        head.map_or(Ok(false), |head| self.write_head(transaction, head))
    }

    /// A record with what is stored of the same state: the newer nodes count.
    fn joined(&self, transaction: &RwTxn<'_>, root: &B256, record: &StateRecord) -> heed::Result<StateRecord> {
        let stored = self.states.get(transaction, root.as_slice())?.and_then(StateRecord::decode);
        Ok(match stored {
            None => record.clone(),
            Some(stored) if stored.extent.floor > record.extent.floor => StateRecord { is_repeated: true, ..stored },
            Some(_) => StateRecord { is_repeated: true, ..record.clone() },
        })
    }

    /// Appends to the log. Adjacent segments become one entry, or entries of a page where the log is cut.
    fn write_log(&self, transaction: &mut RwTxn<'_>, segments: &Segments) -> heed::Result<()> {
        let is_cut = self.epochs.is_tracked();
        let mut rest = segments.iter().peekable();
        while let Some((start, first)) = rest.next() {
            let mut parts = vec![&first[..]];
            let mut length = first.len();
            while let Some((_, next)) =
                rest.next_if(|(at, next)| **at == start + length as u64 && length + next.len() <= MAX_JOINED_BYTES)
            {
                parts.push(&next[..]);
                length += next.len();
            }
            if is_cut {
                self.write_page_entries(transaction, *start, &parts.concat())?;
                continue;
            }
            let write = |space: &mut ReservedSpace<'_>| parts.iter().try_for_each(|part| space.write_all(part));
            let key = start.to_be_bytes();
            self.nodes.put_reserved(transaction, &key, length, write)?;
        }
        Ok(())
    }

    /// Appends adjacent records as entries of one page each, but for a record that is longer.
    fn write_page_entries(&self, transaction: &mut RwTxn<'_>, start: u64, bytes: &[u8]) -> heed::Result<()> {
        let mut put = |from: usize, to: usize| {
            self.nodes.put(transaction, &(start + from as u64).to_be_bytes(), &bytes[from..to])
        };
        let (mut from, mut to) = (0, 0);
        while let Some(span) = record_span(&bytes[to..]) {
            if to > from && to + span - from > PAGE_ENTRY_BYTES {
                put(from, to)?;
                from = to;
            }
            to = (to + span).min(bytes.len());
        }
        if from < bytes.len() { put(from, bytes.len()) } else { Ok(()) }
    }

    /// Sets the size of the map; zero takes the size of the file.
    fn resize(&self, size: usize) -> Result<(), StateError> {
        let env = self.env.write();
        let env = env.as_ref().ok_or_else(closed)?;
        // SAFETY: every transaction of this environment is opened under the shared lock, which is
        // held exclusively here, so none is open.
        unsafe { env.resize(size) }.map_err(|error| store_error(&error))
    }
}
