//! `address`, `addressBytes`, `pubkeyAddress`, `pubkey`.

use rhizome_bitcoin::PublicKey;
use rhizome_bitcoin::address::{Address, AddressError, parse};
use serde_json::{Map, Value, json};

use super::network;
use crate::hex::{bytes, shown, text};
use crate::outcome::{Outcome, Throw, or_throws};

fn throw(error: AddressError) -> Throw {
    Throw(format!("{error:?}"))
}

pub(super) fn address(given: &Value) -> Outcome {
    let mut out = Map::new();
    for name in network::NAMES {
        let bitcoin = network::bitcoin(&json!(name));
        let read = || -> Outcome {
            let (version, hash) = parse(&bitcoin, text(&given["text"])).map_err(throw)?;
            let hash = hash.try_into().map_err(|_| Throw("a hash of another length".into()))?;
            let address = Address::new(&bitcoin, version, hash).map_err(throw)?;
            Ok(json!({
                "version": address.version,
                "hash160": shown(address.hash),
                "isP2SH": address.is_script(&bitcoin),
                "serializedWithVersionBeforeRskip284": shown(address.to_bytes(false)),
                "serializedWithVersion": shown(address.to_bytes(true)),
            }))
        };
        out.insert(name.to_owned(), or_throws(read()));
    }
    Ok(Value::Object(out))
}

pub(super) fn address_bytes(given: &Value) -> Outcome {
    let bitcoin = network::bitcoin(&given["network"]);
    let rskip284 = given["rskip284"] == json!(true);
    let address = Address::from_bytes(&bitcoin, &bytes(&given["bytes"]), rskip284).map_err(throw)?;
    Ok(json!(address.to_base58()))
}

pub(super) fn public_key_address(given: &Value) -> Outcome {
    let key = PublicKey::parse(&bytes(&given["pubkey"])).map_err(Throw::from)?;
    Ok(json!({
        "address": key.address(&network::bitcoin(&given["network"])).to_base58(),
        "hash160": shown(key.hash()),
        "rskAddress": shown(key.rsk_address()),
    }))
}

pub(super) fn public_key(given: &Value) -> Outcome {
    let key = PublicKey::parse(&bytes(&given["bytes"])).map_err(Throw::from)?;
    Ok(json!({
        "pubKey": shown(key.as_bytes()),
        "compressed": key.is_compressed(),
        "point": shown(key.uncompressed()),
        "rskAddress": shown(key.rsk_address()),
    }))
}
