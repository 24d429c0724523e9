//! `script`.

use rhizome_bitcoin::script::signature_operations;
use rhizome_bitcoin::{RedeemScript, RedeemScriptKind, Script, ScriptError};
use serde_json::{Map, Value, json};

use super::network;
use crate::hex::{bytes, shown};
use crate::outcome::{Outcome, Throw, or_throws};

/// Programs of this length or longer have no recorded addresses.
const ADDRESSES_BELOW: usize = 60;

pub(super) fn script(given: &Value) -> Outcome {
    let program = bytes(&given["program"]);
    parsed(&program, Script::parse(&program))
}

/// The recorded properties of a script.
pub(super) fn parsed(program: &[u8], script: Result<Script<'_>, ScriptError>) -> Outcome {
    let script = script.map_err(Throw::from)?;
    let chunks = script.chunks().iter().map(|chunk| json!({"opcode": chunk.opcode, "data": chunk.data.map(shown)}));
    let mut out = Map::new();
    let mut add = |name: &str, value: Value| out.insert(name.to_owned(), value);
    add("chunks", chunks.collect());
    add("isSentToAddress", value(script.pays_to_public_key_hash()));
    add("isPayToScriptHash", json!(script.pays_to_script_hash()));
    add("isSentToMultiSig", value(script.is_multisig()));
    add("isSentToRawPubKey", json!(script.pays_to_public_key()));
    add("isOpReturn", json!(script.is_op_return()));
    add("numberOfSignaturesRequired", value(script.signatures_required()));
    add("sigOps", json!(signature_operations(program)));
    if program.len() < ADDRESSES_BELOW {
        for name in network::NAMES {
            let address = script.address(&network::bitcoin(&json!(name)));
            add(&format!("toAddress_{name}"), value(address.map(|address| address.to_base58())));
        }
    }
    add("redeemParser", redeem_script(&script));
    Ok(Value::Object(out))
}

fn value(result: Result<impl Into<Value>, ScriptError>) -> Value {
    or_throws(result.map(Into::into).map_err(Throw::from))
}

/// The result of parsing a redeem script, or its exception.
pub(crate) fn redeem_script(script: &Script<'_>) -> Value {
    let shown_script = |redeem: RedeemScript<'_>| -> Result<Value, ScriptError> {
        let keys = redeem.public_keys()?;
        Ok(json!({
            "class": class(&redeem),
            "m": redeem.threshold(),
            "hasErpFormat": redeem.has_erp_format(),
            "pubKeys": keys.iter().map(|key| shown(key.as_bytes())).collect::<Vec<_>>(),
            "standardRedeemScript": shown(redeem.standard_script()?),
        }))
    };
    value(script.redeem_script().and_then(shown_script))
}

fn class(redeem: &RedeemScript<'_>) -> &'static str {
    match redeem.kind() {
        _ if redeem.is_flyover() => "FlyoverRedeemScriptParser",
        RedeemScriptKind::Standard => "StandardRedeemScriptParser",
        RedeemScriptKind::P2shErp => "P2shErpRedeemScriptParser",
        RedeemScriptKind::NonStandardErp => "NonStandardErpRedeemScriptParser",
        RedeemScriptKind::HardcodedTestnetErp => "NonStandardErpRedeemScriptParserHardcoded",
    }
}
