//! Recognises the two transactions of a validation on the Bitcoin side (bridge.md §4.2, §4.7).

use rhizome_bitcoin::multisig_input::{empty_input_script, redeem_script, txid_without_signatures};
use rhizome_bitcoin::{ScriptError, Transaction};
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use crate::storage::Frame;

/// True when it is the signed transaction that funds the validation.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn is_fund_transaction(frame: &mut Frame<'_>, transaction: &Transaction) -> Result<bool, ContractError> {
    let expected = frame.svp_fund_unsigned()?;
    has_id(frame, transaction, expected)
}

/// True when it is the signed transaction that spends the funds of the validation.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn is_spend_transaction(frame: &mut Frame<'_>, transaction: &Transaction) -> Result<bool, ContractError> {
    let expected = frame.svp_spend_unsigned()?;
    has_id(frame, transaction, expected)
}

fn has_id(frame: &Frame<'_>, transaction: &Transaction, expected: Option<B256>) -> Result<bool, ContractError> {
    let Some(expected) = expected else { return Ok(false) };
    let id = if frame.active(Rule::Rskip305) {
        txid_without_signatures(transaction)
    } else {
        txid_before_rskip305(transaction)
    };
    match id {
        Ok(id) => Ok(id == expected),
        Err(ScriptError::Argument(_)) => Ok(false),
        Err(error) => Err(ContractError::Failed(error.to_string())),
    }
}

/// Before RSKIP305 the last push of an input counts as a redeem script if it parses as a script. A script that is not
/// multi-signature ends the call.
fn txid_before_rskip305(transaction: &Transaction) -> Result<B256, ScriptError> {
    if transaction.has_witness() {
        return Ok(transaction.txid());
    }
    let mut unsigned = transaction.clone();
    for (index, input) in unsigned.inputs.iter_mut().enumerate() {
        let redeem = redeem_script(transaction, index)?.ok_or(ScriptError::Argument("no redeem script is pushed"))?;
        input.script = empty_input_script(redeem)?;
    }
    Ok(unsigned.txid())
}
