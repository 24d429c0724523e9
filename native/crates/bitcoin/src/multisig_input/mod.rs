//! Inputs that spend from several keys: their skeletons, and the insertion of signatures (bridge.md §3.4, §4.5).

mod signatures;
mod skeleton;

use rhizome_primitives::B256;

use crate::script::{Script, ScriptError};
use crate::sighash;
use crate::signature::SIGHASH_ALL;
use crate::transaction::{Input, Transaction};

pub use signatures::{has_enough_signatures, insert_signature, insertion_index, is_signed_by, missing_signatures};
pub use skeleton::{
    empty_input_script, empty_witness, pegout_index_hash, set_skeleton, txid_without_signatures, without_signatures,
};

fn input(transaction: &Transaction, index: usize) -> Result<&Input, ScriptError> {
    transaction.inputs.get(index).ok_or(ScriptError::Other("there is no such input"))
}

/// The last push of an input's witness, or of its script if it has no witness: the bytes of its redeem script, if they
/// parse as a script of any kind. A public key can be such bytes, too.
///
/// # Errors
/// [`ScriptError::Script`] when the input's own script does not parse; [`ScriptError::Other`] when there
/// is no such input.
pub fn redeem_script(transaction: &Transaction, index: usize) -> Result<Option<&[u8]>, ScriptError> {
    let input = input(transaction, index)?;
    match input.witness.last() {
        Some(last) => Ok(Some(&last[..]).filter(|last| Script::parse(last).is_ok())),
        None => redeem_script_of_script(input),
    }
}

fn redeem_script_of_script(input: &Input) -> Result<Option<&[u8]>, ScriptError> {
    let script = Script::parse(&input.script)?;
    let last = script.chunks().last().and_then(|chunk| chunk.data);
    Ok(last.filter(|last| Script::parse(last).is_ok()))
}

/// The signature hash of the input: BIP 143 with the value of the spent output if it has a witness, otherwise the
/// legacy hash.
///
/// # Errors
/// [`ScriptError::Argument`] without a redeem script, or with a witness and without a value.
pub fn signature_hash(transaction: &Transaction, index: usize, value: Option<i64>) -> Result<B256, ScriptError> {
    let redeem = redeem_script(transaction, index)?.ok_or(ScriptError::Argument("an input without a redeem script"))?;
    if input(transaction, index)?.witness.is_empty() {
        return sighash::legacy(transaction, index, redeem, SIGHASH_ALL);
    }
    let value = value.ok_or(ScriptError::Argument("the value of the output is not known"))?;
    sighash::segwit(transaction, index, redeem, value, SIGHASH_ALL)
}
