//! What the interpreter is for: inputs that spend by a redeem script of what federations' scripts are made of
//! (bridge.md §4.2). Elsewhere it answers no, which the reference need not.

use rhizome_bitcoin::{Script, ScriptError, Transaction, correctly_spends};
use rhizome_primitives::hex;
use serde_json::{Value, json};

/// Last opcode that only pushes.
const LAST_PUSH: u8 = 0x60;
/// IF, NOTIF, ELSE, ENDIF, DROP, CHECKMULTISIG, CHECKMULTISIGVERIFY, CHECKSEQUENCEVERIFY.
const OF_FEDERATIONS: [u8; 8] = [0x63, 0x64, 0x67, 0x68, 0x75, 0xae, 0xaf, 0xb2];

/// What our interpreter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Spends,
    DoesNot,
    /// It is for another kind of inputs.
    NotAsked,
}

/// Whether the input spends the output.
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
    // What does not parse spends nothing.
    known().unwrap_or(true)
}

/// The input and its output as the reference is asked about them.
pub(super) fn question(transaction: &Transaction, index: usize, script_pubkey: &[u8]) -> Value {
    json!({
        "tx": hex::encode_prefixed(transaction.serialize()),
        "index": index,
        "scriptPubKey": hex::encode_prefixed(script_pubkey),
    })
}
