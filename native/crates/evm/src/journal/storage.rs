//! Storage cells and transient storage in the journal.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::{Cell, Index, Journal, Slot, StateKey, Undo};

impl Journal {
    /// A storage cell.
    pub fn cell(&mut self, id: AccountRef, key: U256) -> Result<&Cell, StateError> {
        let index = self.entry(id);
        self.cell_at(index, key)
    }

    /// A storage cell of the account at `index`.
    #[inline]
    pub(crate) fn cell_at(&mut self, index: Index, key: U256) -> Result<&Cell, StateError> {
        if self.keys.is_some() {
            self.did_read(StateKey::Cell(self.entries[index].id, key));
        }
        Ok(&self.slot(index, key)?.value)
    }

    /// Writes a storage cell. A missing account is created with its marker (evm.md §3.4).
    pub fn set_cell(&mut self, id: AccountRef, key: U256, value: Cell) -> Result<(), StateError> {
        let index = self.entry(id);
        self.set_cell_at(index, key, value)
    }

    /// Writes a storage cell of the account at `index`.
    pub(crate) fn set_cell_at(&mut self, index: Index, key: U256, value: Cell) -> Result<(), StateError> {
        let id = self.entries[index].id;
        self.did_read(StateKey::Account(id));
        if self.load(index)?.is_none() {
            self.create_account(id, false)?;
            self.set_contract(id)?;
        }
        self.wrote(StateKey::Cell(id, key));
        let slot = self.slot(index, key)?;
        if slot.value != value {
            let before = std::mem::replace(&mut slot.value, value);
            self.undo.push(Undo::Cell(index, key, before));
        }
        Ok(())
    }

    pub(super) fn slot(&mut self, index: Index, key: U256) -> Result<&mut Slot, StateError> {
        use std::collections::hash_map::Entry::{Occupied, Vacant};
        let entry = &mut self.entries[index];
        Ok(match entry.cells.entry(key) {
            Occupied(slot) => slot.into_mut(),
            Vacant(vacant) => {
                let hidden = entry.wiped || entry.storage_hidden;
                self.reads += 1;
                let stored = if hidden { None } else { self.reader.storage(&entry.id, &key)? };
                let base = stored.map_or(Cell::Absent, Cell::from_stored);
                vacant.insert(Slot { value: base.clone(), base })
            }
        })
    }

    /// Hides all cells of the account, for calls with an override. This cannot be undone or written to the state.
    pub(crate) fn hide_storage(&mut self, id: AccountRef) {
        let index = self.entry(id);
        self.entries[index].cells.clear();
        self.entries[index].storage_hidden = true;
    }

    /// A transient word (RSKIP446); zero if it was never written.
    pub fn transient(&self, address: Address, key: U256) -> U256 {
        self.transient.get(&(address, key)).copied().unwrap_or_default()
    }

    /// Writes a transient word (RSKIP446).
    pub fn set_transient(&mut self, address: Address, key: U256, value: U256) {
        let before = self.transient.insert((address, key), value).unwrap_or_default();
        self.undo.push(Undo::Transient(address, key, before));
    }
}
