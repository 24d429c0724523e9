//! The newest states as a table on disk with layers in memory above it, one for each block that the table does not have
//! yet. A reader belongs to one state: it reads the layers up to that state, and then the table, in one short transaction
//! that says for which state the table stands.

#[cfg(any(target_os = "linux", target_os = "android"))]
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, U256};

use crate::head_changes::{AccountChange, HeadChanges};
use crate::head_filter::{LayerFilter, filter_hash};
use crate::head_mark::HeadMark;
use crate::head_prune::GivingUp;
use crate::head_reads::{HeadReads, LinePosition};
use crate::lmdb::Lmdb;

/// Layers from which on a commit moves all of them to the table: one commit for many blocks writes a page that several
/// of them change only once.
const MAX_LAYERS: usize = 16;

/// Rows of layers from which on a commit does the same.
const MAX_ROWS: usize = 20_000;

/// A read that takes longer may have waited for the disk.
const SLOW_READ: Duration = Duration::from_micros(200);

/// Wait after which a thread that must not wait for the disk leaves the table alone for [`MAX_PAUSE`].
const LONG_WAIT: Duration = Duration::from_millis(10);

/// Longest time for which it does so.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Age from which on a count of major faults says nothing about the present read.
const MAX_COUNT_AGE: Duration = Duration::from_millis(1);

/// Changes from the state of the layer below, or of the table, to the one under `root`.
pub(crate) struct Layer {
    pub(crate) root: B256,
    pub(crate) changes: HeadChanges,
    rows: usize,
    filter: LayerFilter,
}

impl Layer {
    pub(crate) fn new(root: B256, changes: HeadChanges) -> Self {
        let rows = changes.rows();
        let filter = LayerFilter::of(&changes, rows);
        Self { root, changes, rows, filter }
    }
}

/// The table and the layers at one moment.
#[derive(Clone, Default)]
pub(crate) struct View {
    /// For which state the table stands; None while it stands for none.
    pub(crate) base: Option<B256>,
    pub(crate) layers: Vec<Arc<Layer>>,
}

impl View {
    /// Root of the newest state that can be read here.
    pub(crate) fn tip(&self) -> Option<B256> {
        self.layers.last().map_or(self.base, |layer| Some(layer.root))
    }

    /// Number of layers up to a state; None when it cannot be read here.
    pub(crate) fn layers_up_to(&self, root: &B256) -> Option<usize> {
        let base = self.base.as_ref()?;
        let layer = self.layers.iter().rposition(|layer| layer.root == *root);
        layer.map(|index| index + 1).or_else(|| (root == base).then_some(0))
    }

    /// True when the next commit is to move the layers to the table.
    pub(crate) fn is_full(&self) -> bool {
        self.layers.len() >= MAX_LAYERS || self.layers.iter().map(|layer| layer.rows).sum::<usize>() >= MAX_ROWS
    }

    /// The same when the table stands for `root`. A state that no layer has is one that the head has left.
    pub(crate) fn rebased(&self, root: B256) -> Self {
        let layers = match self.layers_up_to(&root) {
            Some(below) => self.layers[below..].to_vec(),
            None => Vec::new(),
        };
        Self { base: Some(root), layers }
    }
}

pub(crate) struct HeadState {
    pub(crate) view: Arc<View>,
    /// Root of the head.
    pub(crate) head: Option<B256>,
    /// The mark on disk.
    pub(crate) mark: Option<HeadMark>,
}

pub(crate) struct HeadTable {
    pub(crate) state: RwLock<HeadState>,
    /// Held while the head or the table moves.
    pub(crate) moving: Mutex<()>,
    /// Held for one step of a move.
    pub(crate) stepping: Mutex<()>,
    /// The part of the line that is to be given up.
    pub(crate) giving_up: Mutex<GivingUp>,
    /// Bytes that making the table takes, and bytes that were left when that was asked last.
    pub(crate) space: Mutex<(u64, u64)>,
    /// True while a thread moves the table.
    pub(crate) has_mover: AtomicBool,
    /// True while a thread converts states from before the line.
    pub(crate) has_converter: AtomicBool,
    /// False for stores that are read only.
    pub(crate) is_writable: bool,
    started: Instant,
    /// Microseconds since `started` until which threads that must not wait leave the table alone.
    paused_until: AtomicU64,
    /// Reads in which such a thread waited for the disk.
    waits: AtomicU64,
    /// Reads that such threads left to others after that.
    left: AtomicU64,
}

impl HeadTable {
    pub(crate) fn new(is_writable: bool) -> Self {
        Self {
            state: RwLock::new(HeadState { view: Arc::default(), head: None, mark: None }),
            moving: Mutex::new(()),
            stepping: Mutex::new(()),
            giving_up: Mutex::default(),
            space: Mutex::new((0, 0)),
            has_mover: AtomicBool::new(false),
            has_converter: AtomicBool::new(false),
            is_writable,
            started: Instant::now(),
            paused_until: AtomicU64::new(0),
            waits: AtomicU64::new(0),
            left: AtomicU64::new(0),
        }
    }

    /// The view of one state; None when it is to be read in the trie.
    pub(crate) fn view_of(&self, root: &B256) -> Option<StateView> {
        let state = self.state.read();
        let layers = state.view.layers_up_to(root)?;
        Some(StateView { view: state.view.clone(), layers })
    }

    /// Reads for a thread that must not wait for the disk. None for a while after such a thread has waited, see
    /// [`pause_after`].
    pub(crate) fn unless_paused<T>(
        &self,
        read: impl FnOnce() -> Result<Option<T>, StateError>,
    ) -> Result<Option<T>, StateError> {
        let begun = Instant::now();
        if (begun - self.started).as_micros() < u128::from(self.paused_until.load(Ordering::Relaxed)) {
            self.left.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        watch_this_thread(begun);
        let found = read();
        let waited = begun.elapsed();
        if waited > SLOW_READ && has_waited() {
            let until = (self.started.elapsed() + pause_after(waited)).as_micros();
            self.paused_until.store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Relaxed);
            self.waits.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// Reads in which threads that must not wait for the disk waited for it, and those that they left to others after
    /// that.
    pub(crate) fn waits_and_left(&self) -> (u64, u64) {
        (self.waits.load(Ordering::Relaxed), self.left.load(Ordering::Relaxed))
    }
}

/// How long threads that must not wait for the disk leave the table alone after a wait. It grows with the square of the
/// wait: a worker costs a read more than a wait of some hundred microseconds is worth, and one cold page in a thousand
/// must not have workers read the other ones, which are in memory. So such threads wait for a third of their time at most
/// where the disk takes 0.2 ms, for a tenth where it takes 1 ms, and for a hundredth from 10 ms on.
fn pause_after(waited: Duration) -> Duration {
    let part = waited.as_secs_f64() / LONG_WAIT.as_secs_f64();
    MAX_PAUSE.mul_f64((part * part).min(1.0))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
thread_local! {
    /// Major faults of this thread when it asked last, and when that was.
    static FAULTS: Cell<Option<(Instant, libc::c_long)>> = const { Cell::new(None) };
}

/// Major faults of this thread, for which it waited for the disk.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(unsafe_code, reason = "asks the system what the thread has used")]
fn major_faults() -> libc::c_long {
    // SAFETY: a struct of numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for the write. The call fails for arguments that are invalid, and these are not.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_majflt
}

/// Leaves out the faults that the thread had a while before a read: where that is slow because the thread had no
/// processor, they are not its. To ask before each read would take as long as many of them do.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn watch_this_thread(now: Instant) {
    if FAULTS.get().is_none_or(|(asked, _)| now.saturating_duration_since(asked) > MAX_COUNT_AGE) {
        FAULTS.set(Some((now, major_faults())));
    }
}

/// True when this thread had to wait for a page since it asked last.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn has_waited() -> bool {
    let faults = major_faults();
    FAULTS.replace(Some((Instant::now(), faults))).is_some_and(|(_, before)| before < faults)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn watch_this_thread(_now: Instant) {}

/// Other systems do not count it by thread: a slow read counts.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn has_waited() -> bool {
    true
}

/// One state as it is read from layers and table.
pub(crate) struct StateView {
    view: Arc<View>,
    layers: usize,
}

/// Source from which a [`StateView`] is read.
pub(crate) struct TableAccess<'a> {
    pub(crate) table: &'a HeadTable,
    pub(crate) lmdb: &'a Lmdb,
    /// Position of the state on the line.
    pub(crate) line: &'a LinePosition,
    /// True for a thread that must not wait for the disk.
    pub(crate) must_not_wait: bool,
}

impl TableAccess<'_> {
    /// Reads the table as it is when it stands for a state that `is_of` takes, else the state of the position on the line.
    /// None where it is neither, or must not be read now.
    pub(crate) fn read<T>(
        &self,
        is_of: impl Fn(&B256) -> bool,
        in_table: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
    ) -> Result<Option<T>, StateError> {
        let read = || self.lmdb.read_head(&is_of, Some(self.line), &in_table);
        if self.must_not_wait { self.table.unless_paused(read) } else { read() }
    }
}

impl StateView {
    /// Value by a change of the account or of its cell `slot`, `none` where a deletion is newer, or that of the table. None
    /// when the table has moved to a state that is not below this one and whose line does not have it, or must not be read
    /// now.
    pub(crate) fn find<T>(
        &self,
        access: &TableAccess<'_>,
        account: &AccountRef,
        slot: Option<&U256>,
        in_change: impl Fn(&AccountChange) -> Option<T>,
        none: T,
        in_table: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
    ) -> Result<Option<T>, StateError> {
        let layers = &self.view.layers[..self.layers];
        let hash = if layers.is_empty() { 0 } else { filter_hash(account, slot) };
        for layer in layers.iter().rev().filter(|layer| layer.filter.may_have(hash)) {
            let Some(change) = layer.changes.accounts.get(account) else { continue };
            if let Some(found) = in_change(change) {
                return Ok(Some(found));
            }
            if change.reset {
                return Ok(Some(none));
            }
        }
        // No layer changed it, so it is the same in each state from the table's up to this one.
        let is_below =
            |root: &B256| self.view.base.as_ref() == Some(root) || layers.iter().any(|layer| layer.root == *root);
        access.read(is_below, in_table)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn root(number: u8) -> B256 {
        B256::repeat_byte(number)
    }

    fn view(base: u8, layers: &[u8]) -> View {
        let layer = |number: &u8| Arc::new(Layer::new(root(*number), HeadChanges::default()));
        View { base: Some(root(base)), layers: layers.iter().map(layer).collect() }
    }

    fn roots(view: &View) -> Vec<B256> {
        view.layers.iter().map(|layer| layer.root).collect()
    }

    #[test]
    fn the_table_leaves_the_layers_that_it_does_not_have() {
        let all = view(0, &[1, 2, 3]);
        assert_eq!(all.layers_up_to(&root(0)), Some(0));
        assert_eq!(all.layers_up_to(&root(2)), Some(2));
        assert_eq!(all.layers_up_to(&root(9)), None);
        let rebased = all.rebased(root(2));
        assert_eq!((rebased.base, roots(&rebased)), (Some(root(2)), vec![root(3)]));
        // The head has left the state that a commit moved the table to.
        let left = view(0, &[1]).rebased(root(2));
        assert_eq!((left.base, roots(&left), left.tip()), (Some(root(2)), vec![], Some(root(2))));
        // One state occurs twice: the later layer counts.
        assert_eq!(view(0, &[1, 0]).layers_up_to(&root(0)), Some(2));
    }

    #[test]
    fn a_thread_that_must_not_wait_leaves_the_table_alone_after_it_has_waited() {
        let table = HeadTable::new(true);
        assert_eq!(table.unless_paused(|| Ok(Some(1))).unwrap(), Some(1));
        table.paused_until.store(u64::MAX, Ordering::Relaxed);
        assert_eq!(table.unless_paused::<u8>(|| panic!("it reads")).unwrap(), None);
        table.paused_until.store(0, Ordering::Relaxed);
        assert_eq!(table.unless_paused(|| Ok(Some(2))).unwrap(), Some(2));
        assert_eq!(table.waits_and_left(), (0, 1));
        // A read that is slow alone, as where the thread had no processor, is none that waited for the disk.
        let slow = || {
            std::thread::sleep(SLOW_READ * 5);
            Ok(Some(3))
        };
        table.unless_paused(slow).unwrap();
        assert_eq!(table.waits_and_left(), if cfg!(target_os = "linux") { (0, 1) } else { (1, 1) });
    }

    #[test]
    fn short_waits_pause_the_table_for_a_short_time_and_long_ones_for_a_bounded_one() {
        let milliseconds = |micros: u64| pause_after(Duration::from_micros(micros)).as_secs_f64() * 1e3;
        for (micros, expected) in [(200, 0.4), (1_000, 10.0), (5_000, 250.0), (10_000, 1e3), (60_000_000, 1e3)] {
            assert!((milliseconds(micros) - expected).abs() < 1e-3, "{micros}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_page_that_comes_from_the_disk_pauses_the_table() {
        use std::io::Write;
        use std::os::fd::AsRawFd;

        const PAGE: usize = 4096;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; PAGE]).unwrap();
        file.sync_all().unwrap();
        let table = HeadTable::new(true);
        let mut faults = 0;
        let read = || {
            // SAFETY: the mapping is read only and of the file's length, is read within it and removed after that.
            #[allow(unsafe_code)]
            let byte = unsafe {
                libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED);
                let before = major_faults();
                let page =
                    libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0);
                assert_ne!(page, libc::MAP_FAILED);
                let byte = page.cast::<u8>().read_volatile();
                libc::munmap(page, PAGE);
                faults = major_faults() - before;
                byte
            };
            // Quick disks take less than what is looked at.
            std::thread::sleep(SLOW_READ * 2);
            Ok(Some(byte))
        };
        assert_eq!(table.unless_paused(read).unwrap(), Some(7));
        // A file system in memory has no page to wait for.
        let waited = u64::from(faults > 0);
        assert_eq!(table.waits_and_left(), (waited, 0));
        assert_eq!(table.paused_until.load(Ordering::Relaxed) > 0, faults > 0);
    }
}
