//! `releaseBtc`: value sent to the Bridge asks for a payment on the Bitcoin side (bridge.md §4.3).

use rhizome_primitives::U256;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::fees::fee;
use super::{Outcome, Stop, throw};
use crate::bitcoin::size::pegout_size;
use crate::storage::Frame;
use crate::{ADDRESS, events};

/// Wei in a satoshi.
const WEI_PER_SATOSHI: u64 = 10_000_000_000;
/// Inputs and outputs of the peg-out whose fee must be covered (RSKIP219).
const REGULAR_INPUTS: usize = 2;
const REGULAR_OUTPUTS: usize = 2;

/// Why a request is rejected, as the event tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rejection {
    LowAmount = 1,
    CallerContract = 2,
    FeeAboveValue = 3,
}

/// Whole satoshi of an amount of wei: the low 64 bits.
pub(super) fn satoshi(wei: U256) -> i64 {
    (wei / U256::from(WEI_PER_SATOSHI)).as_limbs()[0] as i64
}

pub(super) fn release_btc(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if context.from_contract {
        if !frame.active(Rule::Rskip185) {
            return throw("a contract cannot call releaseBtc");
        }
        emit_rejection(context, frame, Rejection::CallerContract);
        return Ok(None);
    }
    if context.local_call {
        return throw("a local call has no signature to pay to");
    }
    match rejection(frame, satoshi(context.value))? {
        None => Err(Stop::Error(ContractError::Unsupported("releaseBtc of an accepted amount".into()))),
        Some(reason) => {
            if frame.active(Rule::Rskip185) {
                refund(context, frame)?;
                emit_rejection(context, frame, reason);
            }
            Ok(None)
        }
    }
}

/// Whether the amount is too small: not above the minimum before RSKIP219; from it on below the
/// minimum, or below the expected fee and what must remain beyond it.
fn rejection(frame: &mut Frame<'_>, amount: i64) -> Result<Option<Rejection>, Stop> {
    let spec = frame.bridge();
    if !frame.active(Rule::Rskip219) {
        return Ok((amount <= spec.minimum_pegout.legacy as i64).then_some(Rejection::LowAmount));
    }
    let federation = frame.active_federation()?;
    let size = pegout_size(frame.rules, &federation, REGULAR_INPUTS, REGULAR_OUTPUTS);
    let fee = fee(frame.fee_per_kb()?, size)?;
    let needed = fee + fee * spec.pegout_fee_gap_percentage / 100;
    let minimum = needed.max(spec.minimum_pegout.rskip219);
    if amount >= minimum as i64 {
        return Ok(None);
    }
    Ok(Some(if minimum == needed { Rejection::FeeAboveValue } else { Rejection::LowAmount }))
}

/// Sends the value back, in whole satoshi before RSKIP427.
fn refund(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), Stop> {
    let amount = if frame.active(Rule::Rskip427) {
        context.value
    } else {
        U256::from(satoshi(context.value) as u64) * U256::from(WEI_PER_SATOSHI)
    };
    Ok(frame.state.transfer(ADDRESS, context.sender, amount)?)
}

/// The event tells satoshi before RSKIP427, wei from it on.
fn emit_rejection(context: &ContractContext<'_>, frame: &mut Frame<'_>, reason: Rejection) {
    let amount =
        if frame.active(Rule::Rskip427) { AbiValue::Int(context.value) } else { AbiValue::int(satoshi(context.value)) };
    events::release_request_rejected(frame, context.sender, amount, reason as i64);
}
