//! Queries about peg-ins and peg-outs.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractContext;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, hex};

use super::arguments::Arguments;
use crate::method::Method;
use crate::outcome::{Outcome, Stop, throw};
use crate::state::BridgeState;
use crate::storage::Frame;
use crate::storage::codec::ListWriter;
use crate::storage::svp::encode_spend_waiting;

pub(super) fn run(
    method: Method,
    _context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::IsBtcTxHashAlreadyProcessed => {
            processed(frame, arguments.text(0)).map(|height| Some(AbiValue::Bool(height.is_some())))
        }
        Method::GetBtcTxHashProcessedHeight => {
            processed(frame, arguments.text(0)).map(|height| Some(AbiValue::int(height.unwrap_or(-1))))
        }
        Method::GetMinimumLockTxValue => minimum_pegin(frame),
        Method::GetNextPegoutCreationBlockNumber => next_pegout(frame),
        Method::GetQueuedPegoutsCount => queued(frame),
        Method::GetStateForBtcReleaseClient => state_for_release(frame),
        Method::GetStateForSvpClient => state_for_validation(frame),
        Method::GetStateForDebugging => state_for_debugging(frame),
        _ => return None,
    })
}

/// Height at which a transaction was processed; its hash is lower-case hex in display order.
fn processed(frame: &mut Frame<'_>, text: &str) -> Result<Option<i64>, Stop> {
    let mut hash = B256::ZERO;
    let lower_case = !text.bytes().any(|byte| byte.is_ascii_uppercase());
    if !lower_case || text.len() != 64 || hex::decode_to_slice(text, hash.as_mut_slice()).is_err() {
        return throw("the hash is not 64 lower-case hexadecimal digits");
    }
    Ok(frame.processed_height(hash)?)
}

fn minimum_pegin(frame: &mut Frame<'_>) -> Outcome {
    let minimum = &frame.bridge().minimum_pegin;
    let value = if frame.active(Rule::Rskip219) { minimum.rskip219 } else { minimum.legacy };
    Ok(Some(AbiValue::int(value as i64)))
}

fn next_pegout(frame: &mut Frame<'_>) -> Outcome {
    Ok(Some(AbiValue::int(frame.next_pegout_height()?)))
}

fn queued(frame: &mut Frame<'_>) -> Outcome {
    Ok(Some(AbiValue::int(frame.requests()?.len() as i64)))
}

fn state_for_release(frame: &mut Frame<'_>) -> Outcome {
    let waiting = frame.waiting_for_signatures()?.encode();
    Ok(Some(AbiValue::Bytes(ListWriter::default().raw(&waiting).finish().into())))
}

fn state_for_validation(frame: &mut Frame<'_>) -> Outcome {
    let waiting = encode_spend_waiting(frame.svp_spend_waiting()?.as_ref());
    Ok(Some(AbiValue::Bytes(ListWriter::default().raw(&waiting).finish().into())))
}

fn state_for_debugging(frame: &mut Frame<'_>) -> Outcome {
    let papyrus = frame.active(Rule::Rskip146);
    Ok(Some(AbiValue::Bytes(BridgeState::load(frame)?.encode(papyrus).into())))
}
