//! Validation of a proposed federation (RSKIP419, bridge.md §4.7): the active federation funds it, and its
//! members show that they can spend the funds before they take over.

mod fund;
mod recognition;
mod spend;

use rhizome_bitcoin::Transaction;
use rhizome_primitives::contract::{ContractContext, ContractError};

use crate::events::federation::commit_federation_failed;
use crate::federation::Federation;
use crate::storage::Frame;

pub(crate) use recognition::{is_fund_transaction, is_spend_transaction};

/// The last step of `updateCollections` (bridge.md §4.1 step 10): fails a validation whose period is over, funds one
/// that begins, and spends the funds once the Bridge knows them.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn process(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), ContractError> {
    let Some(proposed) = frame.proposed_federation()? else { return Ok(()) };
    if !is_in_time(frame, &proposed) {
        commit_federation_failed(frame, &proposed)?;
        frame.set_proposed_federation(None);
        frame.clear_svp();
        return Ok(());
    }
    if begins(frame)? {
        fund::create(context, frame, &proposed)?;
    }
    match frame.svp_fund_signed()? {
        Some(fund) => spend::create(context, frame, &proposed, &fund),
        None => Ok(()),
    }
}

/// True when a federation is under validation and its period is not over.
pub(crate) fn is_ongoing(frame: &mut Frame<'_>) -> Result<bool, ContractError> {
    let proposed = frame.proposed_federation()?;
    Ok(proposed.is_some_and(|proposed| is_in_time(frame, &proposed)))
}

fn is_in_time(frame: &Frame<'_>, proposed: &Federation) -> bool {
    let period = frame.bridge().federation.validation_period as i64;
    (frame.block_number as i64) < proposed.creation_block.wrapping_add(period)
}

/// True when nothing of the validation is stored yet. The id of the spending transaction is cleared last.
fn begins(frame: &mut Frame<'_>) -> Result<bool, ContractError> {
    Ok(frame.svp_fund_unsigned()?.is_none()
        && frame.svp_fund_signed()?.is_none()
        && frame.svp_spend_unsigned()?.is_none())
}

/// Records the signed funding transaction, whose outputs have been registered. After the end of the validation it is an
/// ordinary transaction.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn register_fund(frame: &mut Frame<'_>, transaction: Transaction) -> Result<(), ContractError> {
    if is_ongoing(frame)? {
        frame.set_svp_fund_signed(Some(transaction));
        frame.set_svp_fund_unsigned(None);
    }
    Ok(())
}

/// Makes the proposed federation the newest one: its members have spent the funds, and the outputs of the spending
/// transaction have been registered.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn register_spend(frame: &mut Frame<'_>) -> Result<(), ContractError> {
    frame.set_svp_spend_unsigned(None);
    let Some(proposed) = frame.proposed_federation()? else {
        return Err(ContractError::Failed("there is no proposed federation".into()));
    };
    frame.hand_over(proposed)?;
    frame.set_proposed_federation(None);
    Ok(())
}
