//! The lock that excludes other processes from a data directory.

use napi_derive::napi;

use crate::errors::{Code, Result, error};

/// Exclusive use of a data directory, until it is released or the process ends.
#[napi]
pub struct DirectoryLock {
    inner: Option<rhizome_store::DirectoryLock>,
}

#[napi]
impl DirectoryLock {
    /// Releases the directory.
    #[napi]
    pub fn release(&mut self) {
        self.inner = None;
    }
}

/// Takes the lock in an existing folder; null when another process has it. `for_reading`: also where nothing can be
/// written.
#[napi(catch_unwind)]
pub fn lock_directory(folder: String, for_reading: Option<bool>) -> Result<Option<DirectoryLock>> {
    let acquire = if for_reading.unwrap_or(false) {
        rhizome_store::DirectoryLock::acquire_for_reading
    } else {
        rhizome_store::DirectoryLock::acquire
    };
    let lock = acquire(folder.as_ref()).map_err(|failure| error(Code::Store, format!("{folder}: {failure}")))?;
    Ok(lock.map(|inner| DirectoryLock { inner: Some(inner) }))
}
