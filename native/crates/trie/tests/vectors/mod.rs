//! Fields of recorded vectors.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part")]

use rhizome_primitives::{B256, Bytes};
use serde_json::Value as Json;

pub(crate) fn text<'a>(line: &'a Json, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_else(|| panic!("{field} is no string"))
}

pub(crate) fn bytes(line: &Json, field: &str) -> Bytes {
    hex::decode(&text(line, field)[2..]).unwrap().into()
}

pub(crate) fn hash(line: &Json, field: &str) -> B256 {
    B256::from_slice(&bytes(line, field))
}
