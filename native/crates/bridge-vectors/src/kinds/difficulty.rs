//! `difficulty`: the check of the difficulty alone, on headers without proof of work.

use std::collections::HashMap;

use rhizome_bitcoin::BlockHeader;
use rhizome_bitcoin::difficulty::{DifficultyError, check_difficulty};
use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_primitives::{B256, U256};
use serde_json::{Value, json};

use super::network;
use crate::hex::{bytes, integer};
use crate::outcome::{Outcome, Throw};

/// If an adjustment needs a header before it reaches the first one of the interval, it gets `previous`.
pub(super) fn difficulty(given: &Value) -> Outcome {
    let bitcoin = network::bitcoin(&given["network"]);
    let height = integer(&given["previousHeight"]) as i32;
    let previous = at(height, &given["previous"])?;
    let header = header(&given["header"])?;
    let checked = if let Some(start) = given.get("intervalStart") {
        let first = i64::from(bitcoin.difficulty_interval) - 1;
        let start = (!start.is_null()).then(|| at(height.wrapping_sub(first as i32), start)).transpose()?;
        let mut steps = -1;
        let stored = |_: B256| {
            steps += 1;
            let met = if steps == 0 || (start.is_some() && steps != first) { Some(&previous) } else { start.as_ref() };
            Ok::<_, DifficultyError>(met.cloned())
        };
        check_difficulty(&bitcoin, &previous, &header, stored)
    } else {
        let mut known = HashMap::from([(previous.hash(), previous.clone())]);
        for (below, ancestor) in (1..).zip(given["ancestors"].as_array().into_iter().flatten()) {
            let ancestor = at(height.wrapping_sub(below), ancestor)?;
            known.insert(ancestor.hash(), ancestor);
        }
        let stored = |hash: B256| Ok::<_, DifficultyError>(known.get(&hash).cloned());
        check_difficulty(&bitcoin, &previous, &header, stored)
    };
    checked.map(|()| json!("ok")).map_err(Throw::from)
}

fn header(shown: &Value) -> Result<BlockHeader, Throw> {
    BlockHeader::parse(&bytes(shown)).map_err(Throw::from)
}

fn at(height: i32, shown: &Value) -> Result<StoredHeader, Throw> {
    Ok(StoredHeader { chain_work: U256::ZERO, height, header: *header(shown)?.as_bytes() })
}
