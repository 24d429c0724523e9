//! Epochs of the log in the LMDB environment: the list of them, the entries of the table of nodes that become a file, and
//! their removal.

use std::ops::Bound;
use std::sync::Arc;

use heed::{MdbError, RoTxn, RwTxn};
use rhizome_primitives::state::StateError;

use crate::epoch_file::Writer;
use crate::epoch_list::EpochList;
use crate::format;
use crate::lmdb::{Lmdb, position, store_error};
use crate::state_record::StateRecord;
use rhizome_trie::Location;

/// Key of the list in the table of metadata.
const EPOCHS: &[u8] = b"epochs";

/// Bytes of the table of nodes that one commit removes, about. Commits of blocks wait for it.
const CLEARED_AT_ONCE: u64 = 8 << 20;

/// Records of states that one commit looks at.
const SWEPT_AT_ONCE: usize = 20_000;

impl Lmdb {
    /// The list of epochs; None for a log that is not cut.
    pub(crate) fn epoch_list(&self) -> Result<Option<EpochList>, StateError> {
        self.transact(|transaction| self.epoch_list_in(transaction))
    }

    fn epoch_list_in(&self, transaction: &RoTxn<'_>) -> heed::Result<Option<EpochList>> {
        let Some(bytes) = self.meta.get(transaction, EPOCHS)? else { return Ok(None) };
        let damaged = || heed::Error::Decoding("the list of epochs of the log of nodes is damaged".into());
        EpochList::decode(bytes).map(Some).ok_or_else(damaged)
    }

    /// Opens the files of the epochs, at the start.
    pub(crate) fn load_epochs(&self) -> Result<(), StateError> {
        let Some(list) = self.epoch_list()? else { return Ok(()) };
        if self.is_writable {
            self.epochs.take(&self.folder, list, false)?;
            let failed = |error| StateError::Store(format!("cannot clear {}: {error}", self.folder.display()));
            return self.epochs.remove_others(&self.folder).map_err(failed);
        }
        self.epochs.take(&self.folder, list, true)
    }

    /// To be called when a position is not found: true when a file may have it now. Another process may have sealed
    /// epochs since the list was read, and a thread of this one since it looked for a file.
    pub(crate) fn look_again(&self) -> Result<bool, StateError> {
        if self.is_writable {
            return Ok(self.epochs.is_tracked());
        }
        let Some(list) = self.epoch_list()? else { return Ok(false) };
        self.epochs.take(&self.folder, list, true)?;
        Ok(true)
    }

    /// Records the list within a transaction, and that older programs cannot read the log any more.
    pub(crate) fn put_epochs(&self, transaction: &mut RwTxn<'_>, list: &EpochList) -> heed::Result<()> {
        let encoded = list.encode();
        if self.meta.get(transaction, EPOCHS)? != Some(&encoded) {
            self.meta.put(transaction, EPOCHS, &encoded)?;
        }
        format::mark_cut(self.meta, transaction)
    }

    /// Changes the list, durably, and then what this process knows of it.
    pub(crate) fn change_epochs(&self, change: impl FnOnce(&mut EpochList)) -> Result<(), StateError> {
        let mut state = self.epochs.state.lock();
        let mut list = state.list.clone();
        change(&mut list);
        self.change(|transaction| self.put_epochs(transaction, &list))?;
        state.list = list;
        state.is_stored = true;
        Ok(())
    }

    /// Writes the log from a position on to a file, up to `end` or to where positions are unused. Nothing refers to the
    /// file yet. Returns where the file begins and ends; None when there is nothing to write, or no epoch is to be sealed
    /// any more.
    pub(crate) fn write_epoch(&self, start: u64, end: u64) -> Result<Option<(u64, u64)>, StateError> {
        let failed = |error: std::io::Error| StateError::Store(format!("cannot seal an epoch of the log: {error}"));
        let Some((start, _)) = self.entry(Location(start))?.filter(|(start, _)| *start < end) else { return Ok(None) };
        let mut writer = Writer::create(&self.folder, start).map_err(failed)?;
        while writer.end() < end {
            if self.epochs.state.lock().proofs.is_none() {
                return Ok(None);
            }
            let at = writer.end();
            match self.entry(Location(at))? {
                Some((start, bytes)) if start == at => writer.write(&bytes).map_err(failed)?,
                _ => break,
            }
        }
        let end = writer.end();
        writer.finish().map_err(failed)?;
        Ok(Some((start, end)))
    }

    /// Removes a bounded part of the entries that are of no use. True when there are more.
    pub(crate) fn clear_step(&self) -> Result<bool, StateError> {
        let mut state = self.epochs.state.lock();
        let mut list = state.list.clone();
        let Some((from, to)) = list.useless() else { return Ok(false) };
        let cleared = self.change(|transaction| {
            let mut bytes = 0;
            let mut keys = Vec::new();
            let (first, last) = (from.to_be_bytes(), to.to_be_bytes());
            let range = (Bound::Included(&first[..]), Bound::Excluded(&last[..]));
            let mut cleared = to;
            for entry in self.nodes.range(transaction, &range)? {
                let (key, value) = entry?;
                if bytes >= CLEARED_AT_ONCE {
                    cleared = position(key).unwrap_or(to);
                    break;
                }
                bytes += value.len() as u64;
                keys.push(key.to_vec());
            }
            for key in keys {
                self.nodes.delete(transaction, &key)?;
            }
            let mut list = list.clone();
            list.cleared = cleared;
            self.put_epochs(transaction, &list)?;
            Ok(cleared)
        })?;
        list.cleared = cleared;
        let goes_on = list.useless().is_some();
        state.list = list;
        Ok(goes_on)
    }

    /// Removes records of states that are gone, a bounded number behind a key. Returns where it goes on.
    pub(crate) fn sweep_step(&self, after: &[u8]) -> Result<Option<Vec<u8>>, StateError> {
        let first = self.epochs.first();
        self.change(|transaction| {
            let mut gone = Vec::new();
            let mut next = None;
            let from = if after.is_empty() { Bound::Unbounded } else { Bound::Excluded(after) };
            let range = (from, Bound::Unbounded);
            for (number, entry) in self.states.range(transaction, &range)?.enumerate() {
                let (root, record) = entry?;
                if StateRecord::decode(record).is_some_and(|record| record.extent.floor < first) {
                    gone.push(root.to_vec());
                }
                if number + 1 == SWEPT_AT_ONCE {
                    next = Some(root.to_vec());
                    break;
                }
            }
            for root in gone {
                self.states.delete(transaction, &root)?;
            }
            Ok(next)
        })
    }

    /// Fails when the files would have more than the largest size together.
    pub(crate) fn assert_space(&self, bytes: u64) -> Result<(), StateError> {
        let table = {
            let env = self.env.read();
            env.as_ref().map_or(Ok(0), heed::Env::real_disk_size).map_err(|error| store_error(&error))?
        };
        let files: u64 = self.epochs.files().iter().map(|file| file.end - file.start).sum();
        if table.saturating_add(files).saturating_add(bytes) > self.limit as u64 {
            return Err(store_error(&heed::Error::Mdb(MdbError::MapFull)));
        }
        Ok(())
    }

    /// Takes files away that the list no longer has.
    pub(crate) fn unlink(&self, files: Vec<Arc<crate::epoch_file::EpochFile>>) -> Result<(), StateError> {
        for file in files {
            file.unlink().map_err(|error| StateError::Store(format!("cannot remove an epoch of the log: {error}")))?;
        }
        Ok(())
    }
}
