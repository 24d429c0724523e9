//! Moves confirmed peg-outs to the transactions that wait for signatures (bridge.md §4.1 step 8).

use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use crate::events::pegout::pegout_confirmed;
use crate::storage::Frame;
use crate::storage::confirmations::WaitingPegout;

/// Moves the next peg-out that has its confirmations; a call moves at most one.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn sign_next_confirmed(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), ContractError> {
    frame.waiting_for_signatures()?;
    let (block, confirmations) = (frame.block_number as i64, frame.bridge().confirmations.pegout as i64);
    let waiting = frame.waiting_for_confirmations()?;
    let Some(next) = waiting.next_confirmed(block, confirmations).cloned() else { return Ok(()) };
    let key = key(context, frame, &next)?;
    frame.waiting_for_confirmations()?.remove(&next);
    let (txid, created_at) = (next.transaction.txid(), next.created_at);
    frame.waiting_for_signatures()?.insert(key, next.transaction);
    if frame.active(Rule::Rskip326) {
        pegout_confirmed(frame, txid, created_at);
    }
    Ok(())
}

/// The Rootstock transaction under which it waits for signatures: the current one before RSKIP146, and between RSKIP176
/// and RSKIP375; otherwise the one that created it. From RSKIP375 on, no two may wait under the same hash.
fn key(context: &ContractContext<'_>, frame: &mut Frame<'_>, pegout: &WaitingPegout) -> Result<B256, ContractError> {
    if frame.active(Rule::Rskip375) {
        let hash = pegout.transaction_hash;
        let hash = hash.ok_or_else(|| ContractError::Failed("a peg-out without a hash".into()))?;
        if frame.waiting_for_signatures()?.get(hash).is_some() {
            return Err(ContractError::Failed("a peg-out waits for signatures under the same hash".into()));
        }
        return Ok(hash);
    }
    let creation = pegout.transaction_hash.filter(|_| frame.active(Rule::Rskip146) && !frame.active(Rule::Rskip176));
    Ok(creation.unwrap_or(context.transaction_hash))
}
