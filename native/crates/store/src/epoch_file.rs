//! A sealed epoch of the log of nodes as a file: a header, then the bytes of the log. Files are read by position and not
//! mapped, so that one that was cut off gives an error and ends no process. One that is unlinked while it is open stays
//! readable to whoever has it open, and its space is free when the last of them lets go.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rhizome_primitives::Bytes;
use rhizome_primitives::state::StateError;
use rhizome_trie::{Location, StoredNode};

use crate::node_log::{read_record, record_span};

const MAGIC: [u8; 8] = *b"rhizlog1";
/// Magic, start and end of the epoch.
const HEADER_BYTES: u64 = 24;
/// Bytes that a read of one node takes at first: most nodes are shorter.
const FIRST_READ: usize = 512;
/// Bytes of the log that [`EpochFile::piece`] returns, about.
const PIECE_BYTES: usize = 1 << 20;

const PREFIX: &str = "nodes-";
const UNFINISHED: &str = ".part";

/// Path of the file of the epoch that begins at a position.
pub(crate) fn path_of(folder: &Path, start: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{start:012x}"))
}

/// Files of epochs in a folder, finished or not.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// A file that is being written.
pub(crate) struct Writer {
    path: PathBuf,
    start: u64,
    end: u64,
    out: BufWriter<File>,
}

impl Writer {
    pub(crate) fn create(folder: &Path, start: u64) -> io::Result<Self> {
        let path = path_of(folder, start);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(unfinished(&path))?;
        let mut out = BufWriter::with_capacity(PIECE_BYTES, file);
        out.write_all(&[0; HEADER_BYTES as usize])?;
        Ok(Self { path, start, end: start, out })
    }

    /// Position behind what was written.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Makes the file durable under its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.write_all_at(&header(self.start, self.end), 0)?;
        file.sync_all()?;
        std::fs::rename(unfinished(&self.path), &self.path)?;
        sync_folder(&self.path)
    }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn header(start: u64, end: u64) -> [u8; HEADER_BYTES as usize] {
    let mut out = [0; HEADER_BYTES as usize];
    out[..8].copy_from_slice(&MAGIC);
    out[8..16].copy_from_slice(&start.to_be_bytes());
    out[16..].copy_from_slice(&end.to_be_bytes());
    out
}

/// The file of an epoch, open.
pub(crate) struct EpochFile {
    pub(crate) start: u64,
    pub(crate) end: u64,
    path: PathBuf,
    file: File,
}

impl EpochFile {
    /// Opens the file of an epoch. An error for one that is not there or not whole.
    pub(crate) fn open(folder: &Path, start: u64, end: u64) -> Result<Self, StateError> {
        let path = path_of(folder, start);
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => {
                StateError::Store(format!("the log of nodes is not whole: {} is missing", path.display()))
            }
            _ => unreadable(&path, &error),
        };
        let file = File::open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let expected = HEADER_BYTES + (end - start);
        if length != expected {
            return Err(StateError::Store(format!(
                "the log of nodes is not whole: {} has {length} bytes, expected {expected}",
                path.display()
            )));
        }
        let mut found = [0; HEADER_BYTES as usize];
        file.read_exact_at(&mut found, 0).map_err(failed)?;
        if found != header(start, end) {
            return Err(StateError::Store(format!(
                "the log of nodes is not whole: {} is not the part from {start} to {end}",
                path.display()
            )));
        }
        Ok(Self { start, end, path, file })
    }

    pub(crate) fn has(&self, at: u64) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// The node at a position; None where there is none.
    pub(crate) fn node(&self, at: Location) -> Result<Option<StoredNode>, StateError> {
        let mut buffer = [0; FIRST_READ];
        let first = self.read(at.0, &mut buffer)?;
        let Some(span) = record_span(first) else { return Ok(None) };
        if span <= first.len() {
            return Ok(read_record(first, 0));
        }
        if span as u64 > self.end - at.0 {
            return Ok(None);
        }
        let mut whole = vec![0; span];
        Ok(read_record(self.read(at.0, &mut whole)?, 0))
    }

    /// Whole records from a position on.
    pub(crate) fn piece(&self, at: u64) -> Result<Bytes, StateError> {
        let mut length = PIECE_BYTES;
        loop {
            let mut buffer = vec![0; length];
            let bytes = self.read(at, &mut buffer)?;
            let mut end = 0;
            while let Some(span) = record_span(&bytes[end..]).filter(|span| *span <= bytes.len() - end) {
                end += span;
            }
            let next = record_span(&bytes[end..]);
            if end > 0 || bytes.len() < length {
                return Ok(Bytes::copy_from_slice(&bytes[..end]));
            }
            // One record that is longer than a piece.
            length = next.map_or(length * 2, |span| span.max(length + 1));
        }
    }

    /// True when the file is a sequence of whole records.
    pub(crate) fn is_whole(&self) -> Result<bool, StateError> {
        let mut at = self.start;
        while at < self.end {
            let piece = self.piece(at)?;
            if piece.is_empty() {
                return Ok(false);
            }
            at += piece.len() as u64;
        }
        Ok(true)
    }

    /// Takes the name of the file away.
    pub(crate) fn unlink(&self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// Fills the buffer from a position on, as far as the epoch goes.
    fn read<'b>(&self, at: u64, buffer: &'b mut [u8]) -> Result<&'b [u8], StateError> {
        let left = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        let part = &mut buffer[..length];
        self.file
            .read_exact_at(part, HEADER_BYTES + (at - self.start))
            .map_err(|error| unreadable(&self.path, &error))?;
        Ok(part)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> StateError {
    StateError::Store(format!("cannot read {}: {error}", path.display()))
}
