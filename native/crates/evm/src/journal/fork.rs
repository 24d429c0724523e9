//! Journals of parallel sublists: forked from the state before the lists, merged after them
//! (RSKIP144). The lists write disjoint keys, or the block is invalid.

use super::{Cell, CodeState, Entry, Journal, Slot};

impl Journal {
    /// A journal that has the changes of this one as its base, so that only its own changes count as changes. It starts
    /// without accounts deleted in the block. Forks are made before the first transaction, when no account can have
    /// been deleted.
    pub fn fork(&self) -> Self {
        let mut fork = Self::new(self.reader.clone());
        fork.index = self.index.clone();
        fork.entries = self.entries.iter().map(rebased).collect();
        fork
    }

    /// Merges the changes of a fork. The fork must not have written a key that has changed here since.
    pub fn merge(&mut self, fork: Self) {
        self.deleted_in_block.extend(fork.deleted_in_block);
        for entry in fork.entries {
            let index = self.entry(entry.id);
            self.entries[index].take_changes(entry);
        }
    }
}

fn rebased(entry: &Entry) -> Entry {
    let cells = entry.cells.iter().map(|(key, slot)| {
        let value = slot.value.clone();
        (*key, Slot { base: value.clone(), value })
    });
    Entry {
        id: entry.id,
        account: entry.account,
        base_account: entry.account.flatten(),
        marker: entry.marker,
        base_marker: entry.marker.unwrap_or_default(),
        code: entry.code.clone(),
        code_written: false,
        cells: cells.collect(),
        wiped: entry.wiped,
        storage_hidden: entry.storage_hidden,
    }
}

impl Entry {
    fn take_changes(&mut self, fork: Entry) {
        if fork.wiped {
            *self = fork;
            return;
        }
        // An account that was read here first keeps its base; the fork's base may already include changes.
        if self.account.is_none() {
            self.account = fork.account;
            self.base_account = fork.base_account;
        } else if fork.account.is_some_and(|account| account != fork.base_account) {
            self.account = fork.account;
        }
        if self.marker.is_none() {
            self.marker = fork.marker;
            self.base_marker = fork.base_marker;
        } else if fork.marker == Some(true) {
            self.marker = fork.marker;
        }
        if fork.code_written || matches!(self.code, CodeState::Unknown) {
            self.code = fork.code;
            self.code_written |= fork.code_written;
        }
        for (key, slot) in fork.cells {
            use std::collections::hash_map::Entry::{Occupied, Vacant};
            match self.cells.entry(key) {
                Vacant(cell) => {
                    cell.insert(slot);
                }
                Occupied(mut cell) if slot.value != slot.base => cell.get_mut().value = slot.value,
                Occupied(_) => {}
            }
        }
    }
}

impl Slot {
    pub(super) fn changed(&self) -> Option<&Cell> {
        (self.value != self.base).then_some(&self.value)
    }
}
