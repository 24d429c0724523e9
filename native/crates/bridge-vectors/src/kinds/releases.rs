//! `releaseBuild`, `pegoutSize`, `regularPegoutSize`.

use rhizome_bitcoin::address::{Address, parse};
use rhizome_bridge::recorded::{
    BuildError, Federation, FederationKeys, FederationMember, MemberKey, Release, ReleaseBuilder, Utxo, balance,
    format_of, pegout_size,
};
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::{BitcoinSpec, BridgeSpec, PROPOSED_FEDERATION_FLYOVER_PREFIX};
use rhizome_primitives::rules::RuleSet;
use serde_json::{Value, json};

use super::network;
use crate::hex::{bytes, hash, integer, shown, text};
use crate::outcome::{Outcome, Throw};
use crate::rules::rules;

/// Inputs and outputs of a regular peg-out.
const REGULAR: usize = 2;

fn federation(spec: &BridgeSpec, rules: RuleSet, keys: &Value, format: &Value) -> Result<Federation, Throw> {
    let key = |key: &Value| MemberKey::parse(&bytes(key)).unwrap_or_else(|| panic!("no key: {key}"));
    let keys = keys.as_array().into_iter().flatten();
    let members = keys.map(|value| FederationMember::of_one_key(key(value))).collect();
    Federation::new(spec, rules, format_of(integer(format) as i32), members, 0, 0).map_err(Throw::from)
}

pub(super) fn size(given: &Value) -> Outcome {
    let spec = network::bridge(&given["network"]);
    let rules = rules(text(&given["rules"]));
    let federation = federation(&spec, rules, &given["keys"], &given["formatVersion"])?;
    let count = |name: &str| given.get(name).map_or(REGULAR, |count| integer(count) as usize);
    let size = pegout_size(rules, &federation, count("inputs"), count("outputs")).map_err(Throw::from)?;
    Ok(json!({"size": size}))
}

pub(super) fn build(given: &Value) -> Outcome {
    let spec = network::bridge(&given["network"]);
    let rules = rules(text(&given["rules"]));
    let federation = federation(&spec, rules, &given["keys"], &given["formatVersion"])?;
    let script = federation.output_script().map_err(Throw::from)?;
    let utxos: Vec<_> = given["utxos"].as_array().into_iter().flatten().map(|utxo| self::utxo(utxo, &script)).collect();
    let federations = [federation];
    let mut keys = FederationKeys(&federations);
    let mut builder = ReleaseBuilder {
        bitcoin: &spec.bitcoin,
        rules,
        utxos: &utxos.clone().into(),
        keys: &mut keys,
        segwit: integer(&given["formatVersion"]) == 4000,
        change: address(&spec.bitcoin, &given["changeAddress"]),
        fee_per_kb: integer(&given["feePerKb"]),
    };
    let outputs = &given["outputs"];
    let requested = outputs.as_array().into_iter().flatten();
    let requested: Vec<_> =
        requested.map(|output| (address(&spec.bitcoin, &output["address"]), integer(&output["value"]))).collect();
    let built = match (text(&given["operation"]), requested.first()) {
        ("amountTo" | "batch", _) => builder.pay(&requested),
        ("migration", Some((destination, amount))) => builder.migrate(*amount, *destination),
        ("emptyWallet", Some((destination, _))) => builder.empty_to(*destination),
        ("svpFund", _) => {
            let (keys, format) = (&outputs["proposedFederationKeys"], &outputs["proposedFormatVersion"]);
            let proposed = self::federation(&spec, rules, keys, format)?;
            let value = integer(&outputs["value"]);
            let plain = proposed.address(&spec).map_err(Throw::from)?;
            let flyover = proposed.flyover_address(&spec, PROPOSED_FEDERATION_FLYOVER_PREFIX).map_err(Throw::from)?;
            builder.fund(&[(plain, value), (flyover, value)])
        }
        (operation, _) => return Err(Throw(format!("no operation: {operation}"))),
    };
    let balance = balance(&utxos).map_err(Throw::from)?;
    let response = match built {
        Ok(release) => return Ok(success(&release, &utxos, balance)),
        Err(BuildError::InsufficientMoney) => "INSUFFICIENT_MONEY",
        Err(BuildError::CannotAdjust) => "COULD_NOT_ADJUST_DOWNWARDS",
        Err(BuildError::Dust) => "DUSTY_SEND_REQUESTED",
        Err(BuildError::TooLarge) => "EXCEED_MAX_TRANSACTION_SIZE",
        Err(BuildError::Contract(error)) => return Err(Throw::from(error)),
    };
    Ok(json!({"response": response, "balance": balance}))
}

fn success(release: &Release, utxos: &[Utxo], balance: i64) -> Value {
    let transaction = &release.transaction;
    let is_spent = |utxo: &&Utxo| {
        let spends = |previous: (B256, u32)| previous == (utxo.transaction, utxo.index);
        transaction.inputs.iter().any(|input| spends((input.previous.txid, input.previous.index)))
    };
    let selected = utxos.iter().filter(is_spent);
    let selected = selected.map(|utxo| json!({"txid": shown(utxo.transaction), "index": utxo.index}));
    json!({
        "response": "SUCCESS",
        "balance": balance,
        "tx": shown(transaction.serialize()),
        "txid": shown(transaction.txid()),
        "selectedUtxos": selected.collect::<Vec<_>>(),
        "outpointValues": release.input_values,
    })
}

fn utxo(given: &Value, script: &[u8]) -> Utxo {
    Utxo {
        value: integer(&given["value"]),
        script: script.to_vec().into(),
        transaction: hash(&given["txid"]),
        index: integer(&given["index"]) as u32,
        height: 0,
        coinbase: given["coinbase"] == true,
    }
}

fn address(bitcoin: &BitcoinSpec, given: &Value) -> Address {
    let (version, hash) = parse(bitcoin, text(given)).unwrap_or_else(|error| panic!("{given}: {error:?}"));
    Address { version, hash: hash.try_into().unwrap_or_else(|_| panic!("no address: {given}")) }
}
