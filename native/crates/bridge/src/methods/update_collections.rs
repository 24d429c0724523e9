//! `updateCollections`: what the federation makes the Bridge do regularly (bridge.md §4.1), as far as
//! a chain without Bitcoin funds needs it.

use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::{Outcome, Stop, throw};
use crate::events;
use crate::storage::Frame;

/// Requests tried at once before RSKIP271.
const MAX_REQUESTS: usize = 30;

pub(super) fn update_collections(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if !frame.is_live_member(context.sender)? {
        return throw("only federation members may call updateCollections");
    }
    events::update_collections(frame, context.sender);
    if frame.retiring_federation()?.is_some() {
        return unsupported("a migration of funds");
    }
    process_requests(frame)?;
    process_confirmations(frame)?;
    frame.update_creation_heights()?;
    if frame.proposed_federation()?.is_some() {
        return unsupported("the validation of a federation");
    }
    Ok(None)
}

fn unsupported<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Error(ContractError::Unsupported(format!("updateCollections with {what}"))))
}

/// Pays queued requests. Without funds none can be paid: before RSKIP271 those tried go to the end of
/// the queue, from it on the batch is put off and only an empty queue moves the next height.
fn process_requests(frame: &mut Frame<'_>) -> Result<(), Stop> {
    if !frame.active_utxos()?.is_empty() {
        return unsupported("funds of the federation");
    }
    frame.waiting_for_confirmations()?;
    frame.fee_per_kb()?;
    let batched = frame.active(Rule::Rskip271);
    let requests = frame.requests()?;
    if !batched {
        let tried = requests.len().min(MAX_REQUESTS);
        requests.rotate_left(tried);
        return Ok(());
    }
    let empty = requests.is_empty();
    let due = frame.block_number >= frame.next_pegout_height()?;
    if due && empty {
        frame.set_next_pegout_height(frame.block_number + frame.bridge().blocks_between_pegouts);
    }
    Ok(())
}

/// Moves a confirmed peg-out to those that wait for signatures.
fn process_confirmations(frame: &mut Frame<'_>) -> Result<(), Stop> {
    frame.waiting_for_signatures()?;
    if !frame.waiting_for_confirmations()?.is_empty() {
        return unsupported("peg-outs that wait for confirmations");
    }
    Ok(())
}
