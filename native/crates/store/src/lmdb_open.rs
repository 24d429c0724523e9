//! Opens the LMDB environment and checks its format.
#![allow(unsafe_code, reason = "nobody else may change a file that is mapped")]

use std::path::Path;

use heed::{Env, EnvFlags, EnvOpenOptions, WithTls};
use parking_lot::RwLock;
use rhizome_primitives::state::StateError;

use crate::epochs::Epochs;
use crate::format::{self, StoreFormat};
use crate::head_older::OlderTables;
use crate::lmdb::{
    ANCESTORS, CHANGES, HEAD, HISTORY, LineTables, Lmdb, META, NODES, NUMBERS, OLDER, OLDER_STATES, ROOTS, RUNS,
    STATES, STEPS, Table, VALUES, store_error,
};

/// Maximum number of concurrent readers. LMDB's default of 126 is too low for a process with large thread pools.
const MAX_READERS: u32 = 1022;

/// Tables that may be open, and some more.
const MAX_TABLES: u32 = 24;

/// LMDB does not round: the map must be whole pages. 64 KiB is a multiple of every page size in use.
const MAP_UNIT: usize = 64 << 10;

/// The tables of an environment, as it was opened.
struct Tables {
    nodes: Table,
    values: Table,
    states: Table,
    ancestors: Table,
    roots: Table,
    meta: Table,
    head: Option<Table>,
    runs: Option<Table>,
    line: Option<LineTables>,
    older: Option<OlderTables>,
    numbers: Option<Table>,
}

impl Lmdb {
    /// Opens or creates the environment in an existing folder.
    pub(crate) fn open(path: &Path, map_bytes: usize) -> Result<Self, StateError> {
        let mut options = EnvOpenOptions::new().read_txn_with_tls();
        options
            .map_size(map_bytes.next_multiple_of(MAP_UNIT).max(MAP_UNIT))
            .max_readers(MAX_READERS)
            .max_dbs(MAX_TABLES);
        // SAFETY: the folder is only opened through the registry, so once per process. The flag is a mere hint: the
        // nodes on the path of a key come from many blocks, so reading their neighbours ahead would be of no use.
        let env: Env<WithTls> = unsafe { options.flags(EnvFlags::NO_READ_AHEAD).open(path) }.map_err(|error| {
            StateError::Store(format!("cannot open the state store at {}: {error}", path.display()))
        })?;
        Self::prepare(env, path, map_bytes)
    }

    /// Opens an existing environment for reading, beside the process that writes it.
    pub(crate) fn open_read_only(path: &Path) -> Result<Self, StateError> {
        let failed = |error: heed::Error| {
            StateError::Store(format!("cannot open the state store at {}: {error}", path.display()))
        };
        let mut options = EnvOpenOptions::new().read_txn_with_tls();
        options.max_readers(MAX_READERS).max_dbs(MAX_TABLES);
        // SAFETY: as in `open`.
        let env: Env<WithTls> =
            unsafe { options.flags(EnvFlags::NO_READ_AHEAD | EnvFlags::READ_ONLY).open(path) }.map_err(failed)?;
        let transaction = env.read_txn().map_err(failed)?;
        let table = |name: &str| -> Result<Table, StateError> {
            let table = env.open_database(&transaction, Some(name)).map_err(failed)?;
            table.ok_or_else(|| StateError::Store(format!("the state store at {} has no {name}", path.display())))
        };
        let (nodes, values, states) = (table(NODES)?, table(VALUES)?, table(STATES)?);
        let (ancestors, roots, meta) = (table(ANCESTORS)?, table(ROOTS)?, table(META)?);
        let head: Option<Table> = env.open_database(&transaction, Some(HEAD)).map_err(failed)?;
        let runs: Option<Table> = env.open_database(&transaction, Some(RUNS)).map_err(failed)?;
        let optional = |name: &str| -> Result<Option<Table>, StateError> {
            env.open_database(&transaction, Some(name)).map_err(failed)
        };
        let line = match (optional(CHANGES)?, optional(STEPS)?, optional(HISTORY)?) {
            (Some(changes), Some(steps), Some(history)) => Some(LineTables { changes, steps, history }),
            _ => None,
        };
        let older = match (optional(OLDER)?, optional(OLDER_STATES)?) {
            (Some(entries), Some(states)) => Some(OlderTables { entries, states }),
            _ => None,
        };
        let numbers = optional(NUMBERS)?;
        let found = format::read(meta, &transaction).map_err(failed)?;
        // Tables that were opened stay open only if the transaction is committed.
        transaction.commit().map_err(failed)?;
        format::check(found.as_ref(), path)?;
        let tables = Tables { nodes, values, states, ancestors, roots, meta, head, runs, line, older, numbers };
        Self::with(env, tables, path, None)
    }

    /// The format of the store in a folder that is not open in this process; None where there is no store, or a new
    /// one. Nothing is written.
    pub(crate) fn format(path: &Path) -> Result<Option<StoreFormat>, StateError> {
        if !path.join("data.mdb").exists() {
            return Ok(None);
        }
        let failed = |error: heed::Error| store_error(&error);
        let mut options = EnvOpenOptions::new().read_txn_with_tls();
        options.max_readers(MAX_READERS).max_dbs(MAX_TABLES);
        // SAFETY: as in `open`.
        let env: Env<WithTls> = unsafe { options.flags(EnvFlags::READ_ONLY).open(path) }.map_err(failed)?;
        let transaction = env.read_txn().map_err(failed)?;
        let meta: Option<Table> = env.open_database(&transaction, Some(META)).map_err(failed)?;
        let found = meta.map_or(Ok(None), |meta| format::read(meta, &transaction)).map_err(failed)?;
        drop(transaction);
        env.prepare_for_closing().wait();
        Ok(found)
    }

    fn prepare(env: Env<WithTls>, path: &Path, limit: usize) -> Result<Self, StateError> {
        let failed = |error: heed::Error| store_error(&error);
        let mut transaction = env.write_txn().map_err(failed)?;
        let mut table =
            |name| -> Result<Table, StateError> { env.create_database(&mut transaction, Some(name)).map_err(failed) };
        let (nodes, values, states) = (table(NODES)?, table(VALUES)?, table(STATES)?);
        let (ancestors, roots, meta) = (table(ANCESTORS)?, table(ROOTS)?, table(META)?);
        let (head, runs) = (Some(table(HEAD)?), Some(table(RUNS)?));
        let line = Some(LineTables { changes: table(CHANGES)?, steps: table(STEPS)?, history: table(HISTORY)? });
        let older = Some(OlderTables { entries: table(OLDER)?, states: table(OLDER_STATES)? });
        let numbers = Some(table(NUMBERS)?);
        let is_new = nodes.is_empty(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        format::prepare(&env, meta, path, is_new)?;
        let tables = Tables { nodes, values, states, ancestors, roots, meta, head, runs, line, older, numbers };
        Self::with(env, tables, path, Some(limit))
    }

    /// `limit`: bytes of all files; None for a store that is only read.
    fn with(env: Env<WithTls>, tables: Tables, path: &Path, limit: Option<usize>) -> Result<Self, StateError> {
        let Tables { nodes, values, states, ancestors, roots, meta, head, runs, line, older, numbers } = tables;
        let lmdb = Self {
            env: RwLock::new(Some(env)),
            nodes,
            values,
            states,
            ancestors,
            roots,
            meta,
            head,
            runs,
            line,
            older,
            numbers,
            folder: path.to_owned(),
            limit: limit.unwrap_or(usize::MAX),
            is_writable: limit.is_some(),
            epochs: Box::new(Epochs::new()),
        };
        lmdb.load_epochs()?;
        Ok(lmdb)
    }
}
