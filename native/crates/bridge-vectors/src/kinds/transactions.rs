//! `btcTx`, `btcTxFormat`, `witnessCommitment`.

use rhizome_bitcoin::stated_inputs::{stated_inputs, stated_segwit_inputs, states_inputs};
use rhizome_bitcoin::witness_commitment::witness_commitment;
use rhizome_bitcoin::{Input, Transaction, display_hash};
use serde_json::{Value, json};

use crate::hex::{bytes, shown};
use crate::outcome::{Outcome, Throw, or_throws};

pub(super) fn transaction(given: &Value) -> Outcome {
    let raw = bytes(&given["raw"]);
    let (transaction, bytes_read) = Transaction::read(&raw).map_err(Throw::from)?;
    let input = |input: &Input| {
        json!({
            "prevTxid": shown(input.previous.txid),
            "prevIndex": input.previous.index,
            "scriptSig": shown(&input.script),
            "sequence": input.sequence,
            "witness": input.witness.iter().map(shown).collect::<Vec<_>>(),
        })
    };
    let outputs =
        transaction.outputs.iter().map(|output| json!({"value": output.value, "script": shown(&output.script)}));
    Ok(json!({
        "parsed": {
            "version": transaction.version,
            "inputs": transaction.inputs.iter().map(input).collect::<Vec<_>>(),
            "outputs": outputs.collect::<Vec<_>>(),
            "lockTime": transaction.lock_time,
        },
        "txid": shown(transaction.txid()),
        "wtxid": shown(transaction.wtxid()),
        "serialized": shown(transaction.serialize()),
        "hasWitness": transaction.has_witness(),
        "isCoinBase": transaction.is_coinbase(),
        "verify": or_throws(transaction.verify(bytes_read).map(|()| json!("ok")).map_err(Throw::from)),
    }))
}

pub(super) fn format(given: &Value) -> Outcome {
    let raw = bytes(&given["raw"]);
    let check = |rskip143| match states_inputs(&raw, rskip143) {
        Ok(true) => json!("ok"),
        Ok(false) => or_throws(Err(Throw("no inputs".into()))),
        Err(error) => or_throws(Err(Throw::from(error))),
    };
    let count = |count: Result<i64, _>| or_throws(count.map(|count| json!(count)).map_err(Throw::from));
    Ok(json!({
        "rawHash": shown(display_hash(&raw)),
        "inputsCount": count(stated_inputs(&raw)),
        "inputsCountForSegwit": count(stated_segwit_inputs(&raw)),
        "validateInputsCountBefore143": check(false),
        "validateInputsCountFrom143": check(true),
    }))
}

pub(super) fn commitment(given: &Value) -> Outcome {
    let transaction = Transaction::parse(&bytes(&given["raw"])).map_err(Throw::from)?;
    let parses_outputs = given["rskip460"] == json!(false);
    let commitment = witness_commitment(&transaction, parses_outputs).map_err(Throw::from)?;
    Ok(json!({"commitment": commitment.map(shown)}))
}
