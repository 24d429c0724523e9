//! Stores that are open in this process. LMDB forbids opening an environment twice, and threads that load the addon
//! separately must share one store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use rhizome_primitives::state::StateError;

use crate::backend::Backend;
use crate::format::StoreFormat;
use crate::lmdb::Lmdb;
use crate::options::StoreOptions;
use crate::state_store::StateStore;

static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<StateStore>>>> = LazyLock::new(Mutex::default);

/// Time for which a store is awaited that another thread has just dropped and that is being closed.
const CLOSING: Duration = Duration::from_secs(10);

/// The open store of a folder, or a newly opened one. The folder is created if it is missing. The options of whoever
/// opens it first apply.
pub(crate) fn open(path: &Path, options: &StoreOptions) -> Result<Arc<StateStore>, StateError> {
    let failed = |error: std::io::Error| StateError::Store(format!("state store folder {}: {error}", path.display()));
    if !options.read_only {
        std::fs::create_dir_all(path).map_err(failed)?;
    }
    let path = path.canonicalize().map_err(failed)?;
    let mut open = OPEN.lock();
    open.retain(|_, store| store.strong_count() > 0);
    if let Some(store) = open.get(&path).and_then(Weak::upgrade).filter(|store| !store.is_closed()) {
        return Ok(store);
    }
    if let Some(closing) = heed::env_closing_event(&path) {
        closing.wait_timeout(CLOSING);
    }
    let lmdb = if options.read_only { Lmdb::open_read_only(&path) } else { Lmdb::open(&path, options.map_bytes) }?;
    let end = lmdb.end()?;
    let store = Arc::new(StateStore::with_backend(Backend::Lmdb(lmdb), end, options));
    store.load_head_table(end)?;
    open.insert(path, Arc::downgrade(&store));
    Ok(store)
}

/// The format of the store in a folder, whether it is open or not; None where there is no store, or a new one.
pub(crate) fn format(path: &Path) -> Result<Option<StoreFormat>, StateError> {
    let Ok(path) = path.canonicalize() else { return Ok(None) };
    let open = OPEN.lock();
    if let Some(store) = open.get(&path).and_then(Weak::upgrade).filter(|store| !store.is_closed()) {
        // Stores of other formats are never opened.
        return Ok(Some(if store.is_cut() { StoreFormat::cut() } else { StoreFormat::present() }));
    }
    if let Some(closing) = heed::env_closing_event(&path) {
        closing.wait_timeout(CLOSING);
    }
    Lmdb::format(&path)
}
