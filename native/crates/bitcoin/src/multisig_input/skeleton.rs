//! Inputs and transactions without their signatures.

use rhizome_primitives::B256;

use super::redeem_script;
use crate::script::builder::witness_program;
use crate::script::{Script, ScriptBuilder, ScriptError};
use crate::sighash;
use crate::signature::SIGHASH_ALL;
use crate::transaction::{Input, Transaction};

/// Maximum number of signatures for which the reference builds the skeleton of an input's script.
const MAX_SIGNATURES: i32 = 16;

/// The script of an input without signatures: an empty push for each of them, and the other pushes that the redeem
/// script requires.
///
/// # Errors
/// [`ScriptError::State`] for a script that is not multi-signature; [`ScriptError::Argument`] for more than 16
/// signatures.
pub fn empty_input_script(redeem_script: &[u8]) -> Result<Vec<u8>, ScriptError> {
    let script = Script::parse(redeem_script)?;
    let signatures = script.signatures_required()?;
    if signatures > MAX_SIGNATURES {
        return Err(ScriptError::Argument("more than sixteen signatures"));
    }
    let mut builder = ScriptBuilder::default();
    builder.number(0);
    (0..signatures).for_each(|_| {
        builder.number(0);
    });
    if has_erp_format(&script)? {
        builder.number(0);
    }
    if redeem_script.len() > usize::from(u16::MAX) {
        return Err(ScriptError::Other("a redeem script too long to be pushed"));
    }
    builder.data(redeem_script);
    Ok(builder.finish())
}

fn has_erp_format(script: &Script<'_>) -> Result<bool, ScriptError> {
    match script.redeem_script() {
        Ok(redeem) => Ok(redeem.has_erp_format()),
        Err(error) if error.is_script() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The witness of an input without signatures.
///
/// # Errors
/// [`ScriptError::State`] for a script that is not multi-signature.
pub fn empty_witness(redeem_script: &[u8]) -> Result<Vec<Vec<u8>>, ScriptError> {
    let signatures = Script::parse(redeem_script)?.signatures_required()?;
    let mut witness = vec![Vec::new(); usize::try_from(signatures).unwrap_or(0) + 2];
    witness.push(redeem_script.to_vec());
    Ok(witness)
}

/// Prepares an input for signing: with a witness, or in its script.
///
/// # Errors
/// As [`empty_witness`] and [`empty_input_script`].
pub fn set_skeleton(input: &mut Input, redeem_script: &[u8], segwit: bool) -> Result<(), ScriptError> {
    if segwit {
        input.witness = empty_witness(redeem_script)?;
        let mut builder = ScriptBuilder::default();
        builder.data(&witness_program(redeem_script));
        input.script = builder.finish();
    } else {
        input.script = empty_input_script(redeem_script)?;
    }
    Ok(())
}

/// The transaction before any of its inputs was signed.
///
/// # Errors
/// [`ScriptError::Argument`] when an input does not spend from several keys, and the errors of [`redeem_script`] and
/// [`set_skeleton`].
pub fn without_signatures(transaction: &Transaction) -> Result<Transaction, ScriptError> {
    let mut unsigned = transaction.clone();
    for (index, input) in unsigned.inputs.iter_mut().enumerate() {
        let redeem = match redeem_script(transaction, index)? {
            Some(redeem) if Script::parse(redeem)?.is_multisig()? => redeem,
            _ => return Err(ScriptError::Argument("an input that spends from no several keys")),
        };
        let segwit = !input.witness.is_empty();
        set_skeleton(input, redeem, segwit)?;
    }
    Ok(unsigned)
}

/// Id of the transaction before it was signed; for one with a witness its own id, which signing does not change.
///
/// # Errors
/// As [`without_signatures`].
pub fn txid_without_signatures(transaction: &Transaction) -> Result<B256, ScriptError> {
    if transaction.has_witness() {
        return Ok(transaction.txid());
    }
    without_signatures(transaction).map(|unsigned| unsigned.txid())
}

/// The hash under which a peg-out is found again once it is signed (RSKIP379): the legacy hash of its first input. None
/// for a transaction that cannot be a peg-out.
///
/// # Errors
/// The errors that the reference does not catch: a script of the first input that does not parse, and others.
pub fn pegout_index_hash(transaction: &Transaction) -> Result<Option<B256>, ScriptError> {
    if transaction.inputs.is_empty() {
        return Ok(None);
    }
    let Some(redeem) = redeem_script(transaction, 0)? else { return Ok(None) };
    let hash = without_signatures(transaction).and_then(|unsigned| sighash::legacy(&unsigned, 0, redeem, SIGHASH_ALL));
    match hash {
        Ok(hash) => Ok(Some(hash)),
        Err(ScriptError::Argument(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
