//! The outputs of a transaction that pay to federations.

use rhizome_bitcoin::{Script, ScriptError, Transaction};

use crate::storage::utxos::Utxo;

/// The outputs to one of the scripts, in order. Each script pays to the hash of a script.
///
/// # Errors
/// [`ScriptError::Other`] where the reference fails at an output: an opcode instead of the hash of a public key. An
/// output that does not parse as a script is ignored.
pub(crate) fn outputs_to(transaction: &Transaction, scripts: &[Vec<u8>]) -> Result<Vec<Utxo>, ScriptError> {
    let txid = transaction.txid();
    let coinbase = transaction.is_coinbase();
    let mut found = Vec::new();
    for (index, output) in transaction.outputs.iter().enumerate() {
        if is_odd(&output.script)? || !scripts.contains(&output.script) {
            continue;
        }
        found.push(Utxo {
            value: output.value,
            script: output.script.clone().into(),
            transaction: txid,
            index: index as u32,
            height: 0,
            coinbase,
        });
    }
    Ok(found)
}

/// True when an output does not parse as a script, or is one on which the reference throws.
fn is_odd(script: &[u8]) -> Result<bool, ScriptError> {
    match Script::parse(script) {
        Ok(script) if script.pays_to_public_key() || script.pays_to_script_hash() => Ok(false),
        Ok(script) => script.pays_to_public_key_hash().map(|_| false),
        Err(_) => Ok(true),
    }
}

/// Sum of the outputs in satoshi. Their transaction was verified, so the sum cannot overflow.
pub(crate) fn value(outputs: &[Utxo]) -> i64 {
    outputs.iter().fold(0, |sum, output| sum.saturating_add(output.value))
}
