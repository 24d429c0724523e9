//! How far the table of the head is, and the space that making it takes.

use std::sync::Arc;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_trie::EMPTY_ROOT;

use crate::head_mark::HeadMark;
use crate::lmdb::Lmdb;
use crate::state_store::StateStore;

/// Phases of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadPhase {
    /// It stands for a state, or has yet to begin.
    Ready,
    /// It is being moved from one state to another.
    Moving,
    /// It is being made: rows are read and sorted.
    Sorting,
    /// It is being made: sorted rows are written.
    Merging,
    /// It is to be made, and there is no space for it.
    NoSpace,
}

/// Progress of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadProgress {
    /// Its phase.
    pub phase: HeadPhase,
    /// Part of the state that was moved or sorted, from 0 to 1.
    pub part: f64,
    /// Bytes that making it takes at most, and bytes that are left; zero where it is not to be made.
    pub needed: u64,
    /// See `needed`.
    pub available: u64,
}

/// Part of a trie up to a key: behind the first byte keys are hashes.
fn part_up_to(key: &[u8]) -> f64 {
    let mut bytes = [0; 8];
    for (byte, found) in bytes.iter_mut().zip(key.iter().skip(1)) {
        *byte = *found;
    }
    u64::from_be_bytes(bytes) as f64 / u64::MAX as f64
}

impl StateStore {
    /// Progress of the table of the head.
    pub fn head_progress(&self) -> HeadProgress {
        let mark = self.table.state.read().mark.clone();
        let (needed, available) = *self.table.space.lock();
        let (phase, part) = match &mark {
            Some(HeadMark::Moving { after, .. }) => (HeadPhase::Moving, part_up_to(after)),
            Some(HeadMark::Sorting { after, .. }) => (HeadPhase::Sorting, part_up_to(after)),
            Some(HeadMark::Merging { .. }) => (HeadPhase::Merging, 1.0),
            _ if needed > available => (HeadPhase::NoSpace, 0.0),
            _ => (HeadPhase::Ready, 1.0),
        };
        HeadProgress { phase, part, needed, available }
    }

    /// To be called before the table of a state is made. Fails where there is no space for it.
    pub(crate) fn claim_space(self: &Arc<Self>, lmdb: &Lmdb, root: B256) -> Result<(), StateError> {
        // Rows and runs together take some 1.1 times what the trie takes, and 1.4 times where all are cells.
        let size = if root == EMPTY_ROOT { 0 } else { self.state_size(root)? };
        let needed = size.saturating_mul(3) / 2;
        let available = lmdb.available_bytes()?;
        *self.table.space.lock() = (needed, available);
        if needed <= available {
            return Ok(());
        }
        let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(StateError::Store(format!(
            "making the table of the newest state takes up to {} MiB, and {} MiB are left on the disk and below --store-limit",
            mebibytes(needed),
            mebibytes(available)
        )))
    }
}

impl Lmdb {
    /// Bytes that may still be written: below the largest size of the file, and on the disk.
    pub(crate) fn available_bytes(&self) -> Result<u64, StateError> {
        self.with_env(|env| {
            let used = env.non_free_pages_size()?;
            let below_limit = (env.info().map_size as u64).saturating_sub(used);
            let in_file = env.real_disk_size()?.saturating_sub(used);
            Ok(below_limit.min(free_on_disk(env.path()).map_or(u64::MAX, |free| free.saturating_add(in_file))))
        })
    }
}

/// Bytes that are free where a folder is; None where the system does not say.
#[cfg(unix)]
#[allow(unsafe_code, reason = "asks the system")]
fn free_on_disk(folder: &std::path::Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: a struct of numbers, for which zeros are valid.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero byte, and `found` is valid for the write.
    let failed = unsafe { libc::statvfs(path.as_ptr(), &raw mut found) } != 0;
    #[allow(clippy::unnecessary_cast, reason = "the numbers have other types on other systems")]
    (!failed).then(|| (found.f_bavail as u64).saturating_mul(found.f_frsize as u64))
}

#[cfg(not(unix))]
fn free_on_disk(_: &std::path::Path) -> Option<u64> {
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::account::{Account, AccountRef};
    use rhizome_primitives::state::WriteSet;
    use rhizome_primitives::{Address, U256};
    use rhizome_trie::{EMPTY_ROOT, keccak256};

    use super::*;
    use crate::check::CheckProgress;
    use crate::options::StoreOptions;

    fn state() -> WriteSet {
        let owner = |number: u64| AccountRef::Address(Address::from_slice(&keccak256(&number.to_be_bytes())[12..]));
        let account = |number: u64| Account { nonce: U256::from(number), ..Account::default() };
        WriteSet {
            accounts: (1..3_000).map(|number| (owner(number), account(number))).collect(),
            ..WriteSet::default()
        }
    }

    #[test]
    fn a_table_is_not_begun_where_there_is_no_space_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let open = |map_bytes| {
            StateStore::open(folder.path(), &StoreOptions { map_bytes, ..StoreOptions::default() }).unwrap()
        };
        let store = open(1 << 30);
        let applied = store.apply(EMPTY_ROOT, &state()).unwrap();
        let root = applied.root();
        store.keep(applied);
        store.commit().unwrap();
        let used = store.backend.lmdb().unwrap().with_env(heed::Env::non_free_pages_size).unwrap();
        store.close();
        let store = open(used as usize + (128 << 10));
        store.table.state.write().head = Some(root);
        store.leave_table();
        let error = store.move_step().unwrap_err();
        assert!(error.to_string().contains("--store-limit"), "{error}");
        let progress = store.head_progress();
        assert_eq!(progress.phase, HeadPhase::NoSpace);
        assert!(progress.needed > progress.available);
        assert!(store.reader(root).unwrap().account(&state().accounts[7].0).unwrap().is_some());
        store.close();
        let store = open(1 << 30);
        store.table.state.write().head = Some(root);
        store.leave_table();
        assert!(store.move_step().unwrap());
        let sorting = store.head_progress();
        assert!(sorting.phase == HeadPhase::Sorting && sorting.part > 0.0 && sorting.part < 1.0, "{sorting:?}");
        while store.move_step().unwrap() {}
        assert_eq!(store.head_progress().phase, HeadPhase::Ready);
        let grown = store.backend.lmdb().unwrap().with_env(heed::Env::real_disk_size).unwrap() - used;
        assert!(grown <= sorting.needed, "{grown} where {} were claimed", sorting.needed);
        assert_eq!(store.check_head(&CheckProgress::default()).unwrap().map(|report| report.items), Some(2_999));
    }
}
