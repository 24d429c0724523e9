//! The scope of the interpreter: inputs that spend through a redeem script built from the opcodes of federations'
//! scripts (bridge.md §4.2). For other inputs it answers no, and the reference may differ.

use rhizome_bitcoin::{Script, ScriptError, Transaction, correctly_spends};
use rhizome_primitives::hex;
use serde_json::{Value, json};

/// Last opcode that only pushes.
const LAST_PUSH: u8 = 0x60;
/// IF, NOTIF, ELSE, ENDIF, DROP, CHECKMULTISIG, CHECKMULTISIGVERIFY, CHECKSEQUENCEVERIFY.
const OF_FEDERATIONS: [u8; 8] = [0x63, 0x64, 0x67, 0x68, 0x75, 0xae, 0xaf, 0xb2];

/// The result of our interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Spends,
    DoesNot,
    /// The input is out of its scope.
    NotAsked,
}

/// True when the input spends the output.
pub(super) fn verdict(transaction: &Transaction, index: usize, script_pubkey: &[u8]) -> Verdict {
    match correctly_spends(transaction, index, script_pubkey) {
        Ok(()) => Verdict::Spends,
        Err(_) if is_of_federations(&transaction.inputs[index].script, script_pubkey) => Verdict::DoesNot,
        Err(_) => Verdict::NotAsked,
    }
}

fn is_of_federations(script: &[u8], script_pubkey: &[u8]) -> bool {
    let known = || -> Result<bool, ScriptError> {
        if !Script::parse(script_pubkey)?.pays_to_script_hash() {
            return Ok(false);
        }
        let script = Script::parse(script)?;
        let redeem = script.chunks().last().and_then(|chunk| chunk.data).unwrap_or_default();
        let redeem = Script::parse(redeem)?;
        let is_known = |opcode: u8| (opcode <= LAST_PUSH && opcode != 0x50) || OF_FEDERATIONS.contains(&opcode);
        Ok(redeem.chunks().iter().all(|chunk| is_known(chunk.opcode)))
    };
    // An input that does not parse spends nothing.
    known().unwrap_or(true)
}

/// The input and its output as a question for the reference.
pub(super) fn question(transaction: &Transaction, index: usize, script_pubkey: &[u8]) -> Value {
    json!({
        "tx": hex::encode_prefixed(transaction.serialize()),
        "index": index,
        "scriptPubKey": hex::encode_prefixed(script_pubkey),
    })
}
