//! Reads the state under one root.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::account::decode_account;
use rhizome_trie::bits::Bits;
use rhizome_trie::lookup::find;
use rhizome_trie::value::MAX_INLINE_VALUE_BYTES;
use rhizome_trie::{EMPTY_ROOT, Location, NodeSource, Value, keys};

use crate::head_cache::{Generation, HeadKey, HeadValue};
use crate::head_changes::{AccountChange, CellValue};
use crate::head_reads::{AccountParts, HeadReads, LinePosition};
use crate::head_view::{StateView, TableAccess};
use crate::memory_nodes::MemoryNodes;
use crate::state_store::StateStore;

pub(crate) struct RootReader {
    store: Arc<StateStore>,
    root: B256,
    at: Location,
    /// Set if the root was the head's when the reader was made.
    generation: Option<Generation>,
    /// True for a thread that must not wait for the disk: nodes that are only there count as missing.
    memory_only: bool,
    /// True when reads of the table must not wait for the disk, either.
    must_not_wait: bool,
    /// Layers and table, if the state was to be found there at the first read that needed them.
    view: OnceLock<Option<StateView>>,
    /// Position in the line at which the table has an earlier state.
    line: LinePosition,
    /// The account of an earlier state that was read last: a call asks for most of what its row has.
    parts: Mutex<Option<(AccountRef, AccountParts)>>,
}

impl RootReader {
    pub(crate) fn new(store: Arc<StateStore>, root: B256, at: Location) -> Self {
        let generation = store.head.generation_of(&root);
        let line = LinePosition::new(root);
        Self {
            store,
            root,
            at,
            generation,
            memory_only: false,
            must_not_wait: false,
            view: OnceLock::new(),
            line,
            parts: Mutex::default(),
        }
    }

    /// A state whose trie was given up, as far as the line has its values.
    pub(crate) fn of_line(store: Arc<StateStore>, root: B256) -> Self {
        Self { line: LinePosition::of_line_alone(root), ..Self::new(store, root, Location::UNKNOWN) }
    }

    pub(crate) fn of_memory(store: Arc<StateStore>, root: B256) -> Self {
        Self { must_not_wait: true, ..Self::of_table(store, root) }
    }

    pub(crate) fn of_table(store: Arc<StateStore>, root: B256) -> Self {
        Self { memory_only: true, ..Self::new(store, root, Location::UNKNOWN) }
    }

    fn find(&self, key: &[u8]) -> Result<Value, StateError> {
        let bits = Bits::of_key(key);
        if self.memory_only {
            find(&MemoryNodes(&self.store), &self.root, self.at, bits)
        } else {
            find(&*self.store, &self.root, self.at, bits)
        }
    }

    /// True when the account was deleted on a fork.
    pub(crate) fn is_account_masked(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.is_masked(keys::account_key(account))
    }

    /// True when its code was removed on a fork.
    pub(crate) fn is_code_masked(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.is_masked(keys::code_key(account))
    }

    /// True when one of its cells was removed on a fork.
    pub(crate) fn is_cell_masked(&self, account: &AccountRef, slot: &U256) -> Result<bool, StateError> {
        self.is_masked(keys::storage_key(account, slot))
    }

    fn is_masked(&self, key: keys::Key) -> Result<bool, StateError> {
        Ok(self.root != EMPTY_ROOT && !self.find(&keys::mask_key(key))?.is_none())
    }

    fn load(&self, value: &Value) -> Result<Option<Bytes>, StateError> {
        let memory = MemoryNodes(&self.store);
        let source: &dyn NodeSource = if self.memory_only { &memory } else { &*self.store };
        value.load(source)
    }

    /// Reads a part of the row of an account as [`Self::in_head`] does, once for all parts where no cache keeps them.
    fn part<T>(
        &self,
        account: &AccountRef,
        in_change: impl Fn(&AccountChange) -> Option<T>,
        none: T,
        in_table: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
        in_parts: impl Fn(&AccountParts) -> T,
    ) -> Result<Option<T>, StateError> {
        if self.generation.is_some() || self.has_view() {
            return self.in_head(account, None, in_change, none, in_table);
        }
        if let Some((_, parts)) = self.parts.lock().as_ref().filter(|(known, _)| known == account) {
            return Ok(Some(in_parts(parts)));
        }
        let found = self.in_line(|table| match table.parts(account)? {
            Some(parts) => Ok((in_parts(&parts), Some(parts))),
            None => Ok((in_table(table)?, None)),
        })?;
        let Some((value, parts)) = found else { return Ok(None) };
        *self.parts.lock() = parts.map(|parts| (*account, parts));
        Ok(Some(value))
    }

    /// True when the state is read through layers.
    fn has_view(&self) -> bool {
        self.view.get_or_init(|| self.store.table.view_of(&self.root)).is_some()
    }

    /// Reads the table where there are no layers up to the state.
    fn in_line<T>(&self, in_table: impl Fn(&HeadReads<'_>) -> heed::Result<T>) -> Result<Option<T>, StateError> {
        let Some(lmdb) = self.store.backend.lmdb() else { return Ok(None) };
        let table = &self.store.table;
        let access = TableAccess { table, lmdb, line: &self.line, must_not_wait: self.must_not_wait };
        access.read(|root| *root == self.root, in_table)
    }

    /// Reads layers and table, of the account or of its cell `slot`; None when the trie has to be asked.
    fn in_head<T>(
        &self,
        account: &AccountRef,
        slot: Option<&U256>,
        in_change: impl Fn(&AccountChange) -> Option<T>,
        none: T,
        in_table: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
    ) -> Result<Option<T>, StateError> {
        let store = &*self.store;
        let Some(lmdb) = store.backend.lmdb() else { return Ok(None) };
        let access = TableAccess { table: &store.table, lmdb, line: &self.line, must_not_wait: self.must_not_wait };
        match self.view.get_or_init(|| store.table.view_of(&self.root)) {
            Some(view) => view.find(&access, account, slot, in_change, none, in_table),
            None => self.in_line(in_table),
        }
    }

    fn cached(&self, key: &HeadKey) -> Option<HeadValue> {
        self.store.head.get(self.generation?, key)
    }

    fn fill(&self, key: HeadKey, value: impl FnOnce() -> HeadValue) {
        if let Some(generation) = self.generation {
            self.store.head.fill(generation, key, value());
        }
    }
}

impl StateReader for RootReader {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        let key = HeadKey::Account(*account);
        if let Some(HeadValue::Account(state)) = self.cached(&key) {
            return Ok(state);
        }
        let found = self.part(
            account,
            |change| change.account.clone(),
            None,
            |table| table.account(account),
            |parts| parts.account.clone(),
        )?;
        let value = match found {
            Some(value) => value,
            None => self.load(&self.find(&keys::account_key(account))?)?,
        };
        let state = value
            .map(|bytes| {
                decode_account(&bytes).map_err(|error| StateError::Corrupt {
                    hash: self.root,
                    reason: format!("account {account:?}: {error}"),
                })
            })
            .transpose()?;
        self.fill(key, || HeadValue::Account(state));
        Ok(state)
    }

    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        let key = HeadKey::Code(*account);
        if let Some(HeadValue::Code(info)) = self.cached(&key) {
            return Ok(info);
        }
        let found = self.part(account, |change| change.code, None, |table| table.code(account), |parts| parts.code)?;
        let info = match found {
            Some(info) => info,
            None => {
                let value = self.find(&keys::code_key(account))?;
                value.hash().map(|hash| (hash, value.length()))
            }
        };
        self.fill(key, || HeadValue::Code(info));
        Ok(info)
    }

    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        let Some((hash, length)) = self.code_info(account)? else { return Ok(Bytes::new()) };
        if let Some(code) = self.store.codes.get(&hash) {
            return Ok(code);
        }
        let value = if length as usize > MAX_INLINE_VALUE_BYTES {
            Value::Long { hash, length, bytes: None }
        } else {
            self.find(&keys::code_key(account))?
        };
        let code = self.load(&value)?.unwrap_or_default();
        self.store.codes.insert(hash, code.clone());
        Ok(code)
    }

    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        let key = HeadKey::Marker(*account);
        if let Some(HeadValue::Marker(marked)) = self.cached(&key) {
            return Ok(marked);
        }
        let found =
            self.part(account, |change| change.marker, false, |table| table.marker(account), |parts| parts.marker)?;
        let marked = match found {
            Some(marked) => marked,
            None => !self.find(&keys::storage_prefix_key(account))?.is_none(),
        };
        self.fill(key, || HeadValue::Marker(marked));
        Ok(marked)
    }

    fn storage(&self, account: &AccountRef, slot: &U256) -> Result<Option<Bytes>, StateError> {
        let key = HeadKey::Cell(*account, *slot);
        if let Some(HeadValue::Cell(value)) = self.cached(&key) {
            return Ok(value);
        }
        let parts = self.parts.lock().as_ref().filter(|(known, _)| known == account).map(|(_, parts)| parts.clone());
        let found = match parts {
            // Only where there are no layers.
            Some(parts) => self.in_line(|table| match table.has_parts() {
                true => table.cell_of(account, &parts, slot),
                false => table.cell(account, slot),
            })?,
            None => self.in_head(
                account,
                Some(slot),
                |change| change.cells.get(slot).cloned(),
                None,
                |table| table.cell(account, slot),
            )?,
        };
        let value = match found {
            Some(None) => None,
            Some(Some(CellValue::Here(bytes))) => Some(bytes),
            Some(Some(CellValue::Apart(hash, length))) => self.load(&Value::Long { hash, length, bytes: None })?,
            None => self.load(&self.find(&keys::storage_key(account, slot))?)?,
        };
        self.fill(key, || HeadValue::cell(value.as_ref()));
        Ok(value)
    }

    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        if self.memory_only {
            return Err(StateError::MissingNode(self.root));
        }
        self.store.own_cells(self.root, account, after, limit)
    }
}
