//! The lock of a data directory: one process at a time. The system lets go of it when the process ends, however
//! it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::process;

/// File in the directory that is locked; it holds the id of the process.
const FILE: &str = "lock";

/// A data directory that this process has for itself until this is dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Takes the lock in an existing folder; None when another process, or this one, has it.
    ///
    /// # Errors
    /// When the file cannot be made, or the file system knows no locks.
    pub fn acquire(folder: &Path) -> io::Result<Option<Self>> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(FILE))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.set_len(0)?;
        file.write_all(process::id().to_string().as_bytes())?;
        Ok(Some(Self { _file: file }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_waits_for_the_first() {
        let folder = tempfile::tempdir().expect("a lock in a fresh folder");
        let first = DirectoryLock::acquire(folder.path()).expect("a lock in a fresh folder").expect("free");
        assert!(DirectoryLock::acquire(folder.path()).expect("a lock in a fresh folder").is_none());
        let holder = std::fs::read_to_string(folder.path().join(FILE)).expect("a lock in a fresh folder");
        assert_eq!(holder, process::id().to_string());
        drop(first);
        assert!(DirectoryLock::acquire(folder.path()).expect("a lock in a fresh folder").is_some());
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a lock in a fresh folder");
        assert!(DirectoryLock::acquire(&folder.path().join("absent")).is_err());
    }
}
