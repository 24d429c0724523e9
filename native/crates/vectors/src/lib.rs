//! The recorded vectors (`test/vectors/recorded`, or the folder that `RHIZOME_VECTORS` names), read line by line
//! from plain files and from those compressed with zstd.
//!
//! This crate serves tests: whatever cannot be read ends them with a message that names the file.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Ending of the name of a compressed file.
const COMPRESSED: &str = ".zst";

/// The folder of the recorded vectors.
#[must_use]
pub fn folder() -> PathBuf {
    let recorded = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/vectors/recorded");
    std::env::var_os("RHIZOME_VECTORS").map_or_else(recorded, PathBuf::from)
}

/// The names of the files of a folder, `dsl/x.jsonl` for `dsl/x.jsonl.zst`, in their order.
///
/// # Panics
///
/// Panics when the folder cannot be read.
#[must_use]
pub fn names(below: &str) -> Vec<String> {
    let path = folder().join(below);
    let entries = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut names: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = entry.file_name().to_string_lossy().into_owned();
            format!("{below}/{}", name.strip_suffix(COMPRESSED).unwrap_or(&name))
        })
        .collect();
    names.sort();
    names
}

/// The lines of a vector file, e.g. `consensus/unitrie.jsonl`; one is held at a time.
///
/// # Panics
///
/// Panics when there is no such file, plain or compressed, and when it is damaged.
pub fn lines(name: &str) -> impl Iterator<Item = String> + use<> {
    lines_of(&folder().join(name))
}

/// The lines of a vector file as values.
///
/// # Panics
///
/// As [`lines`], and at a line that is no JSON.
pub fn json_lines(name: &str) -> impl Iterator<Item = Value> + use<> {
    let name = name.to_owned();
    lines(&name).enumerate().map(move |(index, line)| {
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{name}, line {}: {error}", index + 1))
    })
}

/// The value in a vector file that is one document, e.g. `rpc/state-main.json`.
///
/// # Panics
///
/// Panics when it cannot be read, or is no JSON.
#[must_use]
pub fn json(name: &str) -> Value {
    serde_json::from_reader(open(&folder().join(name))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lines_of(path: &Path) -> impl Iterator<Item = String> + use<> {
    let shown = path.display().to_string();
    open(path).lines().map(move |line| line.unwrap_or_else(|error| panic!("{shown}: {error}")))
}

/// The contents of a file, or of its compressed form where there is no plain one.
fn open(path: &Path) -> Box<dyn BufRead> {
    if let Ok(plain) = File::open(path) {
        return Box::new(BufReader::new(plain));
    }
    let compressed = PathBuf::from(format!("{}{COMPRESSED}", path.display()));
    let file = File::open(&compressed).unwrap_or_else(|error| panic!("{}: {error}", compressed.display()));
    let decoder: Box<dyn Read> = Box::new(
        zstd::stream::read::Decoder::new(file).unwrap_or_else(|error| panic!("{}: {error}", compressed.display())),
    );
    Box::new(BufReader::new(decoder))
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::{folder, lines_of, names};

    #[test]
    fn every_recorded_file_has_its_lines() {
        let recorded = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/vectors/recorded");
        let table = std::fs::read_to_string(recorded.join("lines.json")).expect("the table of lines");
        let table: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&table).expect("JSON");
        assert!(!table.is_empty());
        for (file, count) in table {
            let path = recorded.join(file.strip_suffix(".zst").expect("a compressed file"));
            let found = lines_of(&path).filter(|line| !line.trim().is_empty()).count();
            assert_eq!(Some(found as u64), count.as_u64(), "{file}");
        }
    }

    #[test]
    fn names_are_those_of_plain_files() {
        let scenarios = names("dsl");
        assert!(scenarios.len() > 100 && scenarios.is_sorted());
        assert!(scenarios.iter().all(|name| name.starts_with("dsl/") && name.ends_with(".jsonl")));
        assert!(folder().is_dir());
    }

    #[test]
    fn plain_files_go_first_and_damaged_ones_end_the_test() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.jsonl");
        assert!(catch_unwind(|| lines_of(&path).count()).is_err(), "no file");
        let packed = zstd::bulk::compress("one\ntwo\n".repeat(1000).as_bytes(), 3).expect("a frame");
        let compressed = folder.path().join("x.jsonl.zst");
        std::fs::write(&compressed, &packed[..packed.len() - 1]).expect("a file");
        assert!(catch_unwind(|| lines_of(&path).count()).is_err(), "cut off");
        std::fs::write(&compressed, &packed).expect("a file");
        assert_eq!(lines_of(&path).count(), 2000);
        std::fs::write(&path, "three").expect("a file");
        assert_eq!(lines_of(&path).collect::<Vec<_>>(), ["three"]);
    }
}
