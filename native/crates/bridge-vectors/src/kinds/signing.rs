//! `sighash`, `der`.

use rhizome_bitcoin::multisig_input::{
    has_enough_signatures, insert_signature, insertion_index, missing_signatures, pegout_index_hash, signature_hash,
    without_signatures,
};
use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_bitcoin::signature::{SIGHASH_ALL, Signature, is_canonical};
use rhizome_bitcoin::{PublicKey, Script, ScriptError, Transaction, correctly_spends, sighash};
use rhizome_crypto::hash160;
use rhizome_primitives::{B256, hex};
use serde_json::{Value, json};

use crate::hex::{bytes, hash, integer, shown};
use crate::outcome::{Outcome, Throw, or_throws};

/// The third and the first key sign.
const SIGNERS: [usize; 2] = [2, 0];

/// The recorded signatures are used if they are valid, because the private keys of most lines are unknown.
pub(super) fn sighash(given: &Value, recorded: &Value) -> Outcome {
    let redeem = bytes(&given["redeemScript"]);
    let keys = Script::parse(&redeem).and_then(|script| script.redeem_script()?.public_keys()).map_err(Throw::from)?;
    let mut transaction = Transaction::parse(&bytes(&given["unsignedTx"])).map_err(Throw::from)?;
    let pegout_index = pegout_index_hash(&transaction).map_err(Throw::from)?;
    let mut inputs = Vec::new();
    let mut used = Vec::new();
    for index in 0..transaction.inputs.len() {
        let value = integer(&given["inputValues"][index]);
        let input =
            input(&transaction, index, &redeem, value, &keys, &recorded["inputs"][index]).map_err(Throw::from)?;
        used.push(hash(&input[&input["used"].as_str().unwrap_or_default().to_owned()]));
        inputs.push(input);
    }
    let mut signing = Vec::new();
    for signer in SIGNERS {
        let key = keys.get(signer).ok_or_else(|| Throw("fewer than three keys".into()))?;
        signing.push(sign(&mut transaction, key, signer, &used, &inputs).map_err(Throw::from)?);
    }
    let unsigned = without_signatures(&transaction).map_err(Throw::from)?;
    let mut out = json!({
        "inputs": inputs,
        "pegoutIndexHash": pegout_index.map(shown),
        "signing": signing,
        "signedTxWithoutSignatures": {"tx": shown(unsigned.serialize()), "hash": shown(unsigned.txid())},
        "pegoutIndexHashOfSigned": pegout_index_hash(&transaction).map_err(Throw::from)?.map(shown),
    });
    // The reference's interpreter does not know witnesses.
    if !transaction.has_witness() {
        let output = pay_to_script_hash(&hash160(&redeem));
        let spends = correctly_spends(&transaction, 0, &output).map(|()| json!("ok"));
        out["correctlySpends"] = or_throws(spends.map_err(Throw::from));
    }
    Ok(out)
}

fn input(
    transaction: &Transaction,
    index: usize,
    redeem: &[u8],
    value: i64,
    keys: &[PublicKey],
    recorded: &Value,
) -> Result<Value, ScriptError> {
    let used = signature_hash(transaction, index, Some(value))?;
    let segwit = !transaction.inputs[index].witness.is_empty();
    let recorded = recorded["derSignatures"].as_array().cloned().unwrap_or_default();
    let signatures = recorded.iter().zip(keys).map(|(der, key)| {
        let der = bytes(der);
        let right = Signature::parse(&der).is_ok_and(|signature| key.verify(&used, &signature) == Ok(true));
        if right { shown(der) } else { json!("the recorded signature is not by this key over the hash") }
    });
    let signatures = signatures.collect::<Vec<_>>();
    Ok(json!({
        "legacy": shown(sighash::legacy(transaction, index, redeem, SIGHASH_ALL)?),
        "segwit": shown(sighash::segwit(transaction, index, redeem, value, SIGHASH_ALL)?),
        "used": if segwit { "segwit" } else { "legacy" },
        "derSignatures": signatures,
    }))
}

fn sign(
    transaction: &mut Transaction,
    key: &PublicKey,
    signer: usize,
    hashes: &[B256],
    inputs: &[Value],
) -> Result<Value, ScriptError> {
    let mut position = 0;
    for (index, hash) in hashes.iter().enumerate() {
        position = insertion_index(transaction, index, key, hash)?;
        let signature = Signature::parse(&bytes(&inputs[index]["derSignatures"][signer]))
            .map_err(|_| ScriptError::Other("no signature"))?;
        insert_signature(&mut transaction.inputs[index], &signature.to_input(SIGHASH_ALL), position)?;
    }
    Ok(json!({
        "key": shown(key.as_bytes()),
        "insertionIndexOfLastInput": position,
        "tx": shown(transaction.serialize()),
        "enoughSignatures": has_enough_signatures(transaction)?,
        "missing": missing_signatures(transaction, 0)?,
    }))
}

pub(super) fn der(given: &Value) -> Outcome {
    let signature = Signature::parse(&bytes(&given["bytes"])).map_err(Throw::from)?;
    let key = PublicKey::parse(&bytes(&given["pubkey"])).map_err(Throw::from);
    let verifies = key.and_then(|key| key.verify(&hash(&given["hash"]), &signature).map_err(Throw::from));
    let number = |bytes: &[u8]| {
        let digits = hex::encode(bytes);
        let digits = digits.trim_start_matches('0');
        json!(format!("0x{}", if digits.is_empty() { "0" } else { digits }))
    };
    Ok(json!({
        "r": number(signature.r()),
        "s": number(signature.s()),
        "encodedAgain": shown(signature.to_der()),
        "isCanonical": signature.is_low_s(),
        "verifies": or_throws(verifies.map(Value::from)),
        "canonicalEncoding": is_canonical(&signature.to_input(SIGHASH_ALL)),
    }))
}

/// The signature hash of an input of any transaction, with any script in its place.
pub(super) fn legacy_hash(given: &Value) -> Outcome {
    let transaction = Transaction::parse(&bytes(&given["tx"])).map_err(Throw::from)?;
    let (index, kind) = (integer(&given["index"]) as usize, integer(&given["sighash"]) as u8);
    let hash = sighash::legacy(&transaction, index, &bytes(&given["script"]), kind).map_err(Throw::from)?;
    Ok(shown(hash))
}

/// The first input, or the one with the given index. Only the reference's script exception lets the Bridge continue.
pub(super) fn spends(given: &Value) -> Outcome {
    let transaction = Transaction::parse(&bytes(&given["tx"])).map_err(Throw::from)?;
    let index = given["index"].as_u64().unwrap_or_default() as usize;
    match correctly_spends(&transaction, index, &bytes(&given["scriptPubKey"])) {
        Ok(()) => Ok(json!("ok")),
        Err(ScriptError::Script(_)) => Ok(json!("no")),
        Err(error) => Err(Throw::from(error)),
    }
}
