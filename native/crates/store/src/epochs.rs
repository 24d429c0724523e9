//! The epochs of a log on disk as a process has them: what is kept, and the files, open.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, RwLock};
use rhizome_primitives::state::StateError;

use crate::epoch_file::{EpochFile, files_in, path_of};
use crate::epoch_list::{EpochList, Form};
use crate::node_log::START;

/// The time for which trie nodes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proofs {
    /// States of so many blocks are kept at least.
    pub blocks: u64,
    /// An epoch is sealed after so many blocks.
    pub epoch_blocks: u64,
    /// An epoch is sealed at this size, in bytes.
    pub epoch_bytes: u64,
    /// Nodes of a state that are read with each block to copy those of old epochs; None goes by the size of the state.
    pub nodes_at_once: Option<usize>,
}

impl Proofs {
    /// The states of the last `blocks` blocks.
    pub fn of_blocks(blocks: u64) -> Self {
        Self { blocks, epoch_blocks: (blocks / 4).max(1), epoch_bytes: 1 << 30, nodes_at_once: None }
    }
}

/// State of the epochs, for whoever changes them.
pub(crate) struct EpochState {
    pub(crate) list: EpochList,
    /// None for an archive.
    pub(crate) proofs: Option<Proofs>,
    /// True when the store says on disk that it has epochs.
    pub(crate) is_stored: bool,
    /// Key at which the removal of states that are gone goes on; None when there is none to remove.
    pub(crate) sweep: Option<Vec<u8>>,
    /// Reason why an epoch could not be sealed, or nodes not be copied, at the last attempt.
    pub(crate) fault: Option<String>,
    /// Nothing is sealed before this instant, after a failure.
    pub(crate) retry: Option<Instant>,
}

pub(crate) struct Epochs {
    /// Position behind the last file; no read from there on has to look for one, and none of an archive.
    files_end: AtomicU64,
    /// States with nodes before this position are gone.
    first: AtomicU64,
    /// True when the log is cut, or about to be: what is known of the nodes of states is recorded.
    tracked: AtomicBool,
    /// Ascending.
    files: RwLock<Vec<Arc<EpochFile>>>,
    pub(crate) state: Mutex<EpochState>,
    /// True while a thread seals and removes.
    pub(crate) has_worker: AtomicBool,
    /// Held for one step of that.
    pub(crate) stepping: Mutex<()>,
}

impl Epochs {
    /// Those of a log that is not cut.
    pub(crate) fn new() -> Self {
        let list = EpochList::default();
        Self {
            files_end: AtomicU64::new(0),
            first: AtomicU64::new(list.first),
            tracked: AtomicBool::new(false),
            files: RwLock::default(),
            state: Mutex::new(EpochState {
                list,
                proofs: None,
                is_stored: false,
                sweep: None,
                fault: None,
                retry: None,
            }),
            has_worker: AtomicBool::new(false),
            stepping: Mutex::new(()),
        }
    }

    /// Takes over a list that was read.
    pub(crate) fn take(&self, folder: &Path, list: EpochList, skips_missing: bool) -> Result<(), StateError> {
        self.open_files(folder, &list, skips_missing)?;
        let mut state = self.state.lock();
        state.list = list;
        state.is_stored = true;
        drop(state);
        self.track();
        Ok(())
    }

    pub(crate) fn is_tracked(&self) -> bool {
        self.tracked.load(Ordering::Acquire)
    }

    pub(crate) fn track(&self) {
        self.tracked.store(true, Ordering::Release);
    }

    /// The lowest position that the log has.
    pub(crate) fn first(&self) -> u64 {
        self.first.load(Ordering::Acquire)
    }

    /// The file that has a position.
    pub(crate) fn file_of(&self, at: u64) -> Option<Arc<EpochFile>> {
        if at >= self.files_end.load(Ordering::Acquire) {
            return None;
        }
        self.file_from(at).filter(|file| file.has(at))
    }

    /// The file that has a position, or the first one behind it.
    pub(crate) fn file_from(&self, at: u64) -> Option<Arc<EpochFile>> {
        let files = self.files.read();
        files.get(files.partition_point(|file| file.end <= at)).cloned()
    }

    pub(crate) fn files(&self) -> Vec<Arc<EpochFile>> {
        self.files.read().clone()
    }

    /// Opens the files of a list that are not open. Those that are not in the list any more stay, as they can still be
    /// read. `skips_missing` leaves out what another process has just removed.
    pub(crate) fn open_files(&self, folder: &Path, list: &EpochList, skips_missing: bool) -> Result<(), StateError> {
        let mut files = self.files.write();
        for epoch in list.sealed.iter().filter(|epoch| epoch.form == Form::File) {
            if files.iter().any(|file| file.start == epoch.start) {
                continue;
            }
            match EpochFile::open(folder, epoch.start, epoch.end) {
                Ok(file) => files.push(Arc::new(file)),
                Err(_) if skips_missing && !path_of(folder, epoch.start).exists() => {}
                Err(error) => return Err(error),
            }
        }
        files.sort_unstable_by_key(|file| file.start);
        self.files_end.store(files.last().map_or(0, |file| file.end), Ordering::Release);
        self.first.store(list.first, Ordering::Release);
        Ok(())
    }

    /// Forgets the files that end up to a position and returns them. States before it are gone from now on.
    pub(crate) fn forget(&self, end: u64) -> Vec<Arc<EpochFile>> {
        let mut files = self.files.write();
        let kept = files.partition_point(|file| file.end <= end);
        let forgotten: Vec<_> = files.drain(..kept).collect();
        self.files_end.store(files.last().map_or(0, |file| file.end), Ordering::Release);
        self.first.store(end, Ordering::Release);
        forgotten
    }

    pub(crate) fn close(&self) {
        self.files_end.store(0, Ordering::Release);
        self.files.write().clear();
    }

    /// Removes the files of a folder that are no epochs of the log: those that were being written when the process
    /// ended, and those that it no longer needed.
    pub(crate) fn remove_others(&self, folder: &Path) -> std::io::Result<()> {
        let known: Vec<_> = self.files.read().iter().map(|file| path_of(folder, file.start)).collect();
        for path in files_in(folder)? {
            if !known.contains(&path) {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Sizes of the log of nodes, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogStats {
    /// Sealed epochs that are files.
    pub files: usize,
    /// Their bytes.
    pub file_bytes: u64,
    /// Bytes of the log that is kept, the open epoch included.
    pub log_bytes: u64,
    /// Bytes of the log that were given up since the store was made.
    pub dropped_bytes: u64,
    /// Reason why the last attempt to seal an epoch, to copy nodes or to give up earlier values failed.
    pub fault: Option<String>,
}

impl LogStats {
    pub(crate) fn of(state: &EpochState, end: u64) -> Self {
        let EpochState { list, fault, .. } = state;
        let files: Vec<_> = list.sealed.iter().filter(|epoch| epoch.form == Form::File).collect();
        Self {
            files: files.len(),
            file_bytes: files.iter().map(|epoch| epoch.end - epoch.start).sum(),
            log_bytes: end.saturating_sub(list.first.max(START)),
            dropped_bytes: list.dropped_bytes,
            fault: fault.clone(),
        }
    }
}
