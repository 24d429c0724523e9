//! The state during execution: the values that were read and changed, and how to undo the changes.
//!
//! One journal lives for a block, or for one sublist of it. A checkpoint is a length of the undo log; reverting to it
//! restores every value recorded since. The recorded keys are not undone: they count for collisions even when the frame
//! was undone (evm.md §5.3).

mod accounts;
mod cell;
mod contract_state;
mod fork;
mod keys;
mod output;
mod storage;
mod watch;

use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::contract::Log;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, U256};

use crate::code::Code;
use crate::maps::{HashMap, HashSet};

pub use cell::Cell;
pub(crate) use contract_state::FrameState;
pub use contract_state::Transfer;
pub use keys::{KeySets, StateKey};
pub(crate) use watch::Change;

/// Index of an account in [`Journal::entries`].
pub(crate) type Index = usize;

/// Knowledge of the code of an account.
#[derive(Clone, Debug)]
enum CodeState {
    Unknown,
    Absent,
    /// Empty code was saved in this block: before RSKIP169 its hash differs from no code (evm.md §5.2).
    SavedEmpty,
    Known(B256, u32),
    Loaded(Arc<Code>),
}

#[derive(Debug)]
struct Entry {
    id: AccountRef,
    /// None if it was not read yet.
    account: Option<Option<Account>>,
    /// The reader's value, once read.
    base_account: Option<Account>,
    marker: Option<bool>,
    base_marker: bool,
    code: CodeState,
    code_written: bool,
    cells: HashMap<U256, Slot>,
    /// The account was deleted with everything below; the reader is not used any more.
    wiped: bool,
    /// The reader's cells are hidden: a call overrides the whole storage.
    storage_hidden: bool,
}

#[derive(Debug, Default)]
struct Slot {
    value: Cell,
    base: Cell,
}

#[derive(Debug)]
enum Undo {
    Account(Index, Option<Account>),
    Marker(Index),
    Code(Index, CodeState, bool),
    Cell(Index, U256, Cell),
    Transient(Address, U256, U256),
    Deleted(Index, Box<Entry>),
    DeletedInBlock(Address),
}

/// A point to which the state can be reverted.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint {
    undo: usize,
    logs: usize,
    scheduled: usize,
}

/// The state of a block, or of a sublist, under execution.
pub struct Journal {
    reader: Arc<dyn StateReader>,
    index: HashMap<AccountRef, Index>,
    entries: Vec<Entry>,
    undo: Vec<Undo>,
    keys: Option<Box<KeySets>>,
    transient: HashMap<(Address, U256), U256>,
    /// Logs of the running transaction, in order.
    logs: Vec<Log>,
    /// Accounts to delete at the end of the running transaction; each at most once.
    scheduled: Vec<Address>,
    /// Accounts deleted by earlier transactions of the block or sublist.
    deleted_in_block: HashSet<Address>,
    /// True when finished transactions can still be undone.
    holds: bool,
    /// Items read from the reader.
    reads: u64,
    /// Stops local calls; None for the journal of a block.
    pub(crate) interrupt: Option<Interrupt>,
}

impl Journal {
    /// A journal without changes.
    pub fn new(reader: Arc<dyn StateReader>) -> Self {
        Self {
            reader,
            index: HashMap::default(),
            entries: Vec::new(),
            undo: Vec::new(),
            keys: None,
            transient: HashMap::default(),
            logs: Vec::new(),
            scheduled: Vec::new(),
            deleted_in_block: HashSet::default(),
            holds: false,
            reads: 0,
            interrupt: None,
        }
    }

    /// Items read from the reader so far.
    pub(crate) fn reads(&self) -> u64 {
        self.reads
    }

    /// Starts to record the keys that are read and written, with empty sets.
    pub fn record_keys(&mut self) {
        self.keys = Some(Box::default());
    }

    /// Returns the recorded keys and stops recording.
    pub fn take_keys(&mut self) -> Option<KeySets> {
        self.keys.take().map(|keys| *keys)
    }

    /// The keys recorded so far.
    pub fn keys(&self) -> Option<&KeySets> {
        self.keys.as_deref()
    }

    /// Accounts deleted by the transactions finished so far.
    pub fn deleted_in_block(&self) -> &HashSet<Address> {
        &self.deleted_in_block
    }

    /// Accounts that transactions of other sublists deleted (RSKIP144).
    pub fn add_deleted_in_block(&mut self, accounts: impl IntoIterator<Item = Address>) {
        self.deleted_in_block.extend(accounts);
    }

    /// The present point.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { undo: self.undo.len(), logs: self.logs.len(), scheduled: self.scheduled.len() }
    }

    /// Undoes state, logs and scheduled deletions since the checkpoint.
    pub fn revert(&mut self, to: Checkpoint) {
        self.revert_state(to);
        self.logs.truncate(to.logs);
        self.scheduled.truncate(to.scheduled);
    }

    /// Undoes the state alone: the logs of a failing precompiled contract stay (evm.md §4.1 step 5).
    pub fn revert_state(&mut self, to: Checkpoint) {
        while self.undo.len() > to.undo {
            match self.undo.pop() {
                Some(Undo::Account(index, value)) => self.entries[index].account = Some(value),
                Some(Undo::Marker(index)) => self.entries[index].marker = Some(false),
                Some(Undo::Code(index, state, written)) => {
                    self.entries[index].code = state;
                    self.entries[index].code_written = written;
                }
                Some(Undo::Cell(index, key, value)) => {
                    self.entries[index].cells.entry(key).or_default().value = value;
                }
                Some(Undo::Transient(address, key, value)) => {
                    self.transient.insert((address, key), value);
                }
                Some(Undo::Deleted(index, entry)) => self.entries[index] = *entry,
                Some(Undo::DeletedInBlock(address)) => {
                    self.deleted_in_block.remove(&address);
                }
                None => break,
            }
        }
    }

    /// Appends a log of the running transaction.
    pub fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    /// Schedules the deletion of an account at the end of the transaction.
    pub fn schedule_deletion(&mut self, address: Address) {
        if !self.scheduled.contains(&address) {
            self.scheduled.push(address);
        }
    }

    /// Accounts scheduled for deletion so far.
    pub fn scheduled(&self) -> &[Address] {
        &self.scheduled
    }

    /// Ends a transaction: deletes the scheduled accounts, clears transient storage and, unless transactions are held,
    /// drops the undo log. Returns its logs and the deleted accounts.
    pub fn finish_transaction(&mut self) -> (Vec<Log>, Vec<Address>) {
        let deleted = std::mem::take(&mut self.scheduled);
        for &address in &deleted {
            self.delete(address.into());
            if self.deleted_in_block.insert(address) && self.holds {
                self.undo.push(Undo::DeletedInBlock(address));
            }
        }
        self.transient.clear();
        if !self.holds {
            self.undo.clear();
        }
        (std::mem::take(&mut self.logs), deleted)
    }

    /// From now on, a finished transaction is either kept or undone before the next one starts.
    pub fn hold_transactions(&mut self) {
        self.holds = true;
    }

    /// Keeps the transaction that finished last.
    pub fn keep_transaction(&mut self) {
        self.undo.clear();
    }

    /// Undoes the transaction that finished last; the keys that it touched stay recorded.
    pub fn take_back_transaction(&mut self) {
        self.revert_state(Checkpoint { undo: 0, logs: 0, scheduled: 0 });
        self.transient.clear();
    }

    fn delete(&mut self, id: AccountRef) {
        self.wrote(StateKey::Account(id));
        let index = self.entry(id);
        let entry = &mut self.entries[index];
        let deleted = Entry {
            id,
            account: Some(None),
            base_account: entry.base_account,
            marker: Some(false),
            base_marker: entry.base_marker,
            code: CodeState::Absent,
            code_written: false,
            cells: HashMap::default(),
            wiped: true,
            storage_hidden: entry.storage_hidden,
        };
        let before = std::mem::replace(entry, deleted);
        if self.holds {
            self.undo.push(Undo::Deleted(index, Box::new(before)));
        }
    }

    /// Index of the account, which need not exist.
    pub(crate) fn entry(&mut self, id: AccountRef) -> Index {
        if let Some(&index) = self.index.get(&id) {
            return index;
        }
        let index = self.entries.len();
        self.entries.push(Entry {
            id,
            account: None,
            base_account: None,
            marker: None,
            base_marker: false,
            code: CodeState::Unknown,
            code_written: false,
            cells: HashMap::default(),
            wiped: false,
            storage_hidden: false,
        });
        self.index.insert(id, index);
        index
    }

    #[inline]
    fn did_read(&mut self, key: StateKey) {
        if let Some(keys) = &mut self.keys {
            keys.read.insert(key);
        }
    }

    #[inline]
    fn wrote(&mut self, key: StateKey) {
        if let Some(keys) = &mut self.keys {
            keys.written.insert(key);
        }
    }

    /// The current account, without recording the read.
    fn load(&mut self, index: Index) -> Result<Option<Account>, StateError> {
        let entry = &mut self.entries[index];
        if let Some(account) = entry.account {
            return Ok(account);
        }
        self.reads += 1;
        let account = self.reader.account(&entry.id)?;
        entry.account = Some(account);
        entry.base_account = account;
        Ok(account)
    }
}
