//! `outpointValues`, `outpointValuesDecode`, `confirmationOrder`.

use rhizome_bitcoin::Transaction;
use rhizome_bridge::recorded::{
    ConfirmationSet, WaitingPegout, decode_confirmations, decode_confirmations_with_hash, decode_outpoint_values,
    encode_outpoint_values,
};
use rhizome_primitives::rules::Rule;
use serde_json::{Map, Value, json};

use crate::hex::{bytes, hash, integer, shown};
use crate::outcome::{Outcome, Throw};
use crate::rules::rules;

/// Number of confirmed entries after which the recording stops.
const RECORDED_ENTRIES: usize = 12;

pub(super) fn outpoint_values(given: &Value) -> Outcome {
    let values: Vec<_> = given["values"].as_array().into_iter().flatten().map(integer).collect();
    let encoded = encode_outpoint_values(&values).map_err(Throw::from)?;
    Ok(json!({"bytes": shown(&encoded), "eventBytes": shown(&encoded)}))
}

pub(super) fn outpoint_values_decode(given: &Value) -> Outcome {
    let values = decode_outpoint_values(&bytes(&given["bytes"])).map_err(Throw::from)?;
    Ok(json!(values))
}

/// For each recorded set of rules: the order of the set, and the entries that are confirmed one after the other, each
/// of which is removed. An entry is added between two of them where the recorded list says so.
pub(super) fn confirmation_order(given: &Value, recorded: &Value) -> Outcome {
    let mut out = Map::new();
    for (name, recorded) in recorded.as_object().into_iter().flatten() {
        out.insert(name.clone(), order(given, name, &recorded["confirmedInTurn"])?);
    }
    Ok(Value::Object(out))
}

fn order(given: &Value, name: &str, recorded: &Value) -> Outcome {
    let rules = rules(name);
    let plain = decode_confirmations(&bytes(&given["releaseTransactionSet"])).map_err(Throw::from)?;
    let hashed = rules.active(Rule::Rskip146).then(|| &given["releaseTransactionSetWithTxHash"]);
    let hashed = hashed.map(|cell| decode_confirmations_with_hash(&bytes(cell))).transpose().map_err(Throw::from)?;
    let mut set = ConfirmationSet::load(rules.active(Rule::Rskip559), plain, hashed);
    let iteration: Vec<_> = set.iter().map(|pegout| shown(pegout.transaction.txid())).collect();
    let (block, confirmations) = (integer(&given["currentBlock"]), integer(&given["minimumConfirmations"]));
    let mut in_turn = Vec::new();
    let mut turns = 0;
    for entry in recorded.as_array().into_iter().flatten() {
        if let Some(raw) = entry.get("added") {
            let transaction = Transaction::parse(&bytes(raw)).map_err(Throw::from)?;
            let transaction_hash = entry.get("rskHash").filter(|hash| !hash.is_null()).map(hash);
            set.add(WaitingPegout { transaction, created_at: integer(&entry["height"]), transaction_hash });
            in_turn.push(entry.clone());
        } else if let Some(next) = set.next_confirmed(block, confirmations).cloned() {
            in_turn.push(shown(next.transaction.txid()));
            set.remove(&next);
            turns += 1;
        }
    }
    if turns < RECORDED_ENTRIES {
        in_turn.extend(set.next_confirmed(block, confirmations).map(|next| shown(next.transaction.txid())));
    }
    Ok(json!({"iteration": iteration, "confirmedInTurn": in_turn}))
}
