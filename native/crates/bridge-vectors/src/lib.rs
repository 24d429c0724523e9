//! Runs the recorded vectors of the Bridge (`test/vectors/recorded/bridge/BRIDGE.md`): primitives, storage cells, facts
//! and whole scenarios. An unknown file, kind or line counts as a difference.

mod checkpoints;
#[path = "../../evm/tests/recorded/decode.rs"]
mod decode;
mod hex;
mod kinds;
mod lines;
mod metadata;
mod outcome;
mod primitives;
pub mod report;
mod rules;
pub mod scenario;
mod storage;

use std::path::Path;

use serde_json::Value;

pub use primitives::outcome;
use report::Report;

/// Compares the lines of a file.
type Runner = fn(&mut dyn Iterator<Item = Value>, &mut Report);

/// Kinds of files by the prefix of their names.
const RUNNERS: &[(&str, Runner)] = &[
    ("bridge-primitives", primitives::run),
    ("bridge-difficulty", primitives::run),
    ("bridge-storage", storage::run),
    ("bridge-facts", metadata::run),
    ("bridge-calls", scenario::run),
];

/// Runs a file, plain or compressed with zstd.
///
/// # Panics
/// Panics when the file cannot be read, or a line is no JSON.
#[must_use]
pub fn run_file(path: &Path) -> Report {
    let shown = path.to_string_lossy();
    let plain = shown.strip_suffix(".zst").unwrap_or(&shown);
    let name = Path::new(plain).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut report = Report::default();
    match RUNNERS.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        Some((_, run)) => run(&mut lines::of_file(plain), &mut report),
        None => report.check("file", |values| values.differ("kind", "a known kind of file", &name)),
    }
    report
}
