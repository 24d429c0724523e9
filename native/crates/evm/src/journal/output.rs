//! Results of the journal.

use rhizome_primitives::Bytes;
use rhizome_primitives::state::WriteSet;

use super::{CodeState, Journal};

impl Journal {
    /// The changes relative to the reader, in the order of application.
    pub fn write_set(&self) -> WriteSet {
        let mut writes = WriteSet::default();
        for entry in &self.entries {
            if entry.wiped {
                writes.deleted.push(entry.id);
            }
            if let Some(Some(account)) = entry.account
                && (entry.wiped || entry.base_account != Some(account))
            {
                writes.accounts.push((entry.id, account));
            }
            if entry.marker == Some(true) && (entry.wiped || !entry.base_marker) {
                writes.markers.push(entry.id);
            }
            if entry.code_written {
                match &entry.code {
                    CodeState::Loaded(code) => writes.code.push((entry.id, code.bytes.clone())),
                    _ if entry.wiped => {}
                    _ => writes.code.push((entry.id, Bytes::new())),
                }
            }
            for (key, slot) in &entry.cells {
                if let Some(value) = slot.changed() {
                    writes.storage.push((entry.id, *key, value.stored()));
                }
            }
        }
        writes
    }
}
