//! Reads for inspectors, which do not count as accesses of the execution.

use std::collections::BTreeSet;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Bytes, U256};

use super::{Cell, CodeState, Journal, Undo};

/// Cells read per request while a contract's storage is listed.
const PAGE: usize = 1024;

impl Journal {
    /// Logs of the running transaction so far.
    pub(crate) fn log_count(&self) -> usize {
        self.logs.len()
    }

    /// Changes of the running transaction so far; undone ones do not count.
    pub(crate) fn change_count(&self) -> usize {
        self.undo.len()
    }

    /// The current account.
    pub(crate) fn seen_account(&mut self, id: AccountRef) -> Result<Option<Account>, StateError> {
        let index = self.entry(id);
        self.load(index)
    }

    /// Its contract marker.
    pub(crate) fn seen_marker(&mut self, id: AccountRef) -> Result<bool, StateError> {
        let index = self.entry(id);
        self.load_marker(index)
    }

    /// Its code; empty without one.
    pub(crate) fn seen_code(&mut self, id: AccountRef) -> Result<Bytes, StateError> {
        let index = self.entry(id);
        Ok(match self.load_code_info(index)? {
            CodeState::Loaded(code) => code.bytes.clone(),
            CodeState::Known(..) => self.reader.code(&id)?,
            _ => Bytes::new(),
        })
    }

    /// One of its cells.
    pub(crate) fn seen_cell(&mut self, id: AccountRef, key: U256) -> Result<Cell, StateError> {
        let index = self.entry(id);
        Ok(self.slot(index, key)?.value.clone())
    }

    /// All its cells: stored ones in trie order, then new ones by slot. `visit` returns whether to continue.
    pub(crate) fn seen_cells(
        &mut self,
        id: AccountRef,
        mut visit: impl FnMut(U256, &Cell) -> bool,
    ) -> Result<(), StateError> {
        let index = self.entry(id);
        // Cells that the reader does not have remain.
        let mut new: BTreeSet<U256> =
            self.entries[index].cells.iter().filter(|(_, slot)| slot.value.is_present()).map(|(key, _)| *key).collect();
        let mut after = None;
        let mut more = !self.entries[index].wiped && !self.entries[index].storage_hidden;
        while more {
            let page = match self.reader.storage_cells(&id, after.as_ref(), PAGE) {
                // Of a fork only those are known that were read.
                Err(StateError::Unlisted) => break,
                page => page?,
            };
            let last = page.last().map(|(key, _)| *key);
            let full = page.len() == PAGE;
            for (key, stored) in page {
                let cell = match self.entries[index].cells.get(&key) {
                    Some(slot) => {
                        new.remove(&key);
                        slot.value.clone()
                    }
                    None => Cell::from_stored(stored),
                };
                if cell.is_present() && !visit(key, &cell) {
                    return Ok(());
                }
            }
            after = last;
            more = full;
        }
        for key in new {
            let cell = self.entries[index].cells.get(&key).map(|slot| slot.value.clone()).unwrap_or_default();
            if !visit(key, &cell) {
                break;
            }
        }
        Ok(())
    }

    /// Accounts and cells (with their slots) that changed since the count `from`, each with its value before, the
    /// oldest change first.
    pub(crate) fn changes_since(&self, from: usize) -> Vec<Change> {
        let undo = self.undo.get(from..).unwrap_or_default();
        undo.iter()
            .filter_map(|undo| match undo {
                Undo::Account(index, before) => Some(Change::Account(self.entries[*index].id, *before)),
                Undo::Cell(index, key, before) => Some(Change::Cell(self.entries[*index].id, *key, before.clone())),
                _ => None,
            })
            .collect()
    }
}

/// The value of an account or cell before a change.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Account(AccountRef, Option<Account>),
    Cell(AccountRef, U256, Cell),
}
