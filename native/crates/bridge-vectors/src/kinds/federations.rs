//! `federation`.

use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_bitcoin::{Input, OutPoint, Output, Script, Transaction};
use rhizome_bridge::recorded::{Federation, FederationMember, MemberKey, format_of, version};
use rhizome_primitives::contract::ContractError;
use serde_json::{Map, Value, json};

use super::{network, scripts};
use crate::hex::{bytes, hash, integer, shown, text};
use crate::outcome::{Outcome, Throw, or_throws};
use crate::rules::rules;

const ONE_BITCOIN: i64 = 100_000_000;

/// The parsed scripts and the unsigned input are recorded for some federations only.
pub(super) fn federation(given: &Value, recorded: &Value) -> Outcome {
    let wanted = |name: &str| recorded.get(name).is_some();
    computed(given, &wanted).map_err(Throw::from)
}

fn computed(given: &Value, wanted: &dyn Fn(&str) -> bool) -> Result<Value, ContractError> {
    let spec = network::bridge(&given["network"]);
    let key = |key: &Value| MemberKey::parse(&bytes(key)).unwrap_or_else(|| panic!("no key: {key}"));
    let keys = given["keys"].as_array().into_iter().flatten();
    let members = keys.map(|value| FederationMember::of_one_key(key(value))).collect();
    let format = format_of(integer(&given["formatVersion"]) as i32);
    let federation = Federation::new(&spec, rules(text(&given["rules"])), format, members, 0, 0)?;
    let redeem_script = federation.redeem_script()?;
    let derivation_hash = hash(&given["derivationHash"]);
    let flyover = federation.flyover_redeem_script(derivation_hash)?;

    let mut out = Map::new();
    let mut add = |name: &str, value: Value| out.insert(name.to_owned(), value);
    add("redeemScript", shown(redeem_script));
    add("outputScript", shown(federation.output_script()?));
    add("address", json!(federation.address(&spec)?.to_base58()));
    add("defaultRedeemScript", shown(federation.members_redeem_script()?));
    add("defaultOutputScript", shown(federation.members_output_script()?));
    add("threshold", json!(federation.threshold()));
    add("keys", federation.members.iter().map(|member| shown(&*member.btc_key)).collect());
    add("formatVersion", json!(version(federation.format)));
    if version(federation.format) != 1000 {
        let constants = &spec.federation;
        add("emergencyThreshold", json!(constants.erp_keys.len() / 2 + 1));
        add("erpKeys", constants.erp_keys.iter().map(shown).collect());
        add("csv", json!(constants.erp_delay));
    }
    add(
        "flyover",
        json!({
            "redeemScript": shown(&flyover),
            "outputScript": shown(federation.flyover_output_script(derivation_hash)?),
            "address": federation.flyover_address(&spec, derivation_hash)?.to_base58(),
        }),
    );
    if wanted("baseScriptSig") {
        let mut input = Input::new(OutPoint { txid: derivation_hash, index: 1 });
        federation.prepare_input(&mut input, redeem_script)?;
        let output = Output { value: ONE_BITCOIN, script: pay_to_script_hash(&federation.script_hash()?) };
        let transaction = Transaction { version: 1, inputs: vec![input], outputs: vec![output], lock_time: 0 };
        add("baseScriptSig", shown(transaction.serialize()));
    }
    for (name, program) in [("redeemParse", redeem_script), ("flyoverParse", &flyover)] {
        if wanted(name) {
            add(name, or_throws(scripts::parsed(program, Script::parse(program))));
        }
    }
    Ok(Value::Object(out))
}
