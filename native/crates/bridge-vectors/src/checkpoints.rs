//! Checks the headers with which the reference starts its Bitcoin chains.

use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_bitcoin::{BlockHeader, checkpoints};
use rhizome_primitives::bridge_spec::BitcoinNetwork;
use serde_json::{Value, json};

use crate::hex::{integer, shown, text};
use crate::report::Values;
use crate::rules::constants;

/// The bytes before the number of entries in the reference's file: a heading and the number of signatures.
const HEADING: &[u8] = b"CHECKPOINTS 1\0\0\0\0";

fn network(line: &Value) -> BitcoinNetwork {
    constants(text(&line["network"])).bitcoin.network
}

/// Rebuilds the reference's file and compares it.
pub(crate) fn check_file(line: &Value, values: &mut Values) {
    let entries = checkpoints::entries(network(line));
    let mut file = HEADING.to_vec();
    file.extend_from_slice(&(entries.len() as u32).to_be_bytes());
    file.extend_from_slice(entries.as_flattened());
    values.equal("length", &line["length"], &json!(file.len()));
    values.equal("sha256", &line["sha256"], &shown(rhizome_crypto::sha256(&file)));
    values.equal("entries", &line["entries"], &json!(entries.len()));
}

/// One entry.
pub(crate) fn check_entry(line: &Value, values: &mut Values) {
    let index = integer(&line["index"]) as usize;
    let entry = checkpoints::entries(network(line)).get(index).and_then(|entry| StoredHeader::decode(entry).ok());
    let Some(entry) = entry else { return values.differ("index", &index.to_string(), "no such entry") };
    values.equal("time", &line["time"], &json!(entry.block_header().time()));
    values.equal("height", &line["height"], &json!(entry.height));
    values.equal("chainWork", &line["chainWork"], &json!(format!("{:#x}", entry.chain_work)));
    values.equal("hash", &line["hash"], &shown(entry.hash()));
    values.equal("header", &line["header"], &shown(entry.header));
}

/// The entry for a time. A time that is not after the first header is an error; before the first entry it is the first
/// header.
pub(crate) fn check_before(line: &Value, values: &mut Values) {
    let bitcoin = constants(text(&line["network"])).bitcoin;
    let seconds = integer(&line["time"]);
    let first = BlockHeader::parse(&bitcoin.genesis_header).unwrap_or_else(|error| panic!("{error}"));
    let found = if seconds <= i64::from(first.time()) {
        json!({"throws": {}})
    } else {
        match checkpoints::before(bitcoin.network, seconds) {
            Some(entry) => json!({"height": entry.height, "hash": shown(entry.hash())}),
            None => json!({"height": 0, "hash": shown(first.hash())}),
        }
    };
    values.equal("value", &line["value"], &found);
}
