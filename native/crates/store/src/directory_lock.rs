//! The lock of a data directory: one process at a time. The system releases it when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::process;

/// File in the directory that is locked; it holds the id of the process.
const FILE: &str = "lock";

/// Only the user that runs the node may read the data directory.
#[cfg(unix)]
const MODE: u32 = 0o600;

/// Exclusive use of a data directory by this process, until this is dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    /// None where there is no file that could be locked.
    _file: Option<File>,
}

impl DirectoryLock {
    /// Takes the lock in an existing folder; None when another process, or this one, has it.
    ///
    /// # Errors
    /// Fails when the file cannot be created, or the file system has no locks.
    pub fn acquire(folder: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, MODE);
        let Some(mut file) = locked(options.open(folder.join(FILE))?)? else { return Ok(None) };
        file.set_len(0)?;
        file.write_all(process::id().to_string().as_bytes())?;
        Ok(Some(Self { _file: Some(file) }))
    }

    /// Like [`Self::acquire`], for read-only use: a folder that cannot be written to is left as it is, and a folder
    /// without the file counts as unlocked.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or the file system has no locks.
    pub fn acquire_for_reading(folder: &Path) -> io::Result<Option<Self>> {
        match Self::acquire(folder) {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied) => {}
            result => return result,
        }
        match File::open(folder.join(FILE)) {
            Ok(file) => Ok(locked(file)?.map(|file| Self { _file: Some(file) })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Self { _file: None })),
            Err(error) => Err(error),
        }
    }
}

/// Takes the lock of an open file; None when somebody else has it.
fn locked(file: File) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
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
    fn readers_wait_for_the_writer_too() {
        let folder = tempfile::tempdir().expect("a fresh folder");
        let writer = DirectoryLock::acquire(folder.path()).expect("a lock in a fresh folder");
        assert!(DirectoryLock::acquire_for_reading(folder.path()).expect("a lock").is_none());
        drop(writer);
        assert!(DirectoryLock::acquire_for_reading(folder.path()).expect("a lock").is_some());
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a lock in a fresh folder");
        assert!(DirectoryLock::acquire(&folder.path().join("absent")).is_err());
    }
}
