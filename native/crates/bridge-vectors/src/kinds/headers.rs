//! `header`, `storedBlock`, `compactBits`.

use rhizome_bitcoin::BlockHeader;
use rhizome_bitcoin::compact::Target;
use rhizome_bitcoin::difficulty::{check_proof_of_work, work};
use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_primitives::hex;
use serde_json::{Map, Value, json};

use super::network;
use crate::hex::{bytes, integer, quantity, shown};
use crate::outcome::{Outcome, Throw, or_throws};

pub(super) fn header(given: &Value) -> Outcome {
    let header = BlockHeader::parse(&bytes(&given["raw"])).map_err(Throw::from);
    let mut out = Map::new();
    out.insert("block".into(), or_throws(header.clone().map(|header| fields(&header))));
    for name in network::NAMES {
        let bitcoin = network::bitcoin(&json!(name));
        let verified = header.clone().and_then(|header| check_proof_of_work(&bitcoin, &header).map_err(Throw::from));
        out.insert(format!("verifyHeader_{name}"), or_throws(verified.map(|()| json!("ok"))));
    }
    Ok(Value::Object(out))
}

/// The recorded work is that on the main network.
fn fields(header: &BlockHeader) -> Value {
    let work = work(&network::bitcoin(&json!("mainnet")), header).map_err(Throw::from);
    json!({
        "hash": shown(header.hash()),
        "version": header.version(),
        "prevHash": shown(header.parent()),
        "merkleRoot": shown(header.merkle_root()),
        "time": header.time(),
        "bits": header.bits(),
        "nonce": header.nonce(),
        "target": shown_target(&Target::from_compact(header.bits())),
        "work": or_throws(work.map(|work| json!(format!("{work:#x}")))),
        "serializedLength": header.as_bytes().len(),
    })
}

/// A quantity, with a sign if it is negative.
fn shown_target(target: &Target) -> Value {
    let digits = hex::encode(target.magnitude());
    let digits = digits.trim_start_matches('0');
    let sign = if target.is_negative() { "-" } else { "" };
    json!(format!("{sign}0x{}", if digits.is_empty() { "0" } else { digits }))
}

pub(super) fn stored_header(given: &Value) -> Outcome {
    let header = bytes(&given["header"]).try_into().map_err(|_| Throw("no header".into()))?;
    let stored =
        StoredHeader { chain_work: quantity(&given["chainWork"]), height: integer(&given["height"]) as i32, header };
    let form = |wide| {
        let encoded = stored.encode(wide).map_err(Throw::from);
        let read_again = encoded.as_ref().ok().map(|encoded| StoredHeader::decode(encoded));
        assert!(read_again.is_none_or(|read| read.as_ref() == Ok(&stored)), "it does not read back");
        or_throws(encoded.map(shown))
    };
    Ok(json!({"bytes96": form(false), "bytes116": form(true)}))
}

pub(super) fn compact(given: &Value) -> Outcome {
    let target = Target::from_compact(integer(&given["bits"]) as u32);
    Ok(json!({"target": shown_target(&target), "encodedAgain": target.to_compact()}))
}
