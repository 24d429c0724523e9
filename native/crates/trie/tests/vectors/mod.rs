//! Reading recorded vectors: from `RHIZOME_VECTORS`, or `shared/vectors` beside the repository.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part")]

use std::path::PathBuf;

use rhizome_primitives::{B256, Bytes};
use serde_json::Value as Json;

/// The contents of a vector file; None (with a line printed) when the vectors are not there.
pub(crate) fn read(path: &str) -> Option<String> {
    let root = std::env::var_os("RHIZOME_VECTORS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/vectors")),
        PathBuf::from,
    );
    if !root.is_dir() {
        println!("skipped: no vectors at {}", root.display());
        return None;
    }
    Some(std::fs::read_to_string(root.join(path)).unwrap())
}

pub(crate) fn json_lines(path: &str) -> Option<Vec<Json>> {
    Some(read(path)?.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

pub(crate) fn json(path: &str) -> Option<Json> {
    Some(serde_json::from_str(&read(path)?).unwrap())
}

pub(crate) fn text<'a>(line: &'a Json, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_else(|| panic!("{field} is no string"))
}

pub(crate) fn bytes(line: &Json, field: &str) -> Bytes {
    hex::decode(&text(line, field)[2..]).unwrap().into()
}

pub(crate) fn hash(line: &Json, field: &str) -> B256 {
    B256::from_slice(&bytes(line, field))
}
