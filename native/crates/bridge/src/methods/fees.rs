//! Fee per kb and estimates of peg-out fees.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::release::satoshi;
use super::{Arguments, Outcome, Stop, throw};
use crate::bitcoin::size::pegout_size;
use crate::method::Method;
use crate::storage::Frame;

/// Inputs of the peg-out that the estimate supposes.
const ESTIMATED_INPUTS: usize = 2;
/// Outputs it has beside the queued ones.
const EXTRA_OUTPUTS: usize = 2;

pub(super) fn run(
    method: Method,
    _context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::GetFeePerKb => frame.fee_per_kb().map(|fee| Some(AbiValue::int(fee as i64))).map_err(Stop::from),
        Method::GetEstimatedFeesForNextPegOutEvent => next_event(frame),
        Method::GetEstimatedFeesForPegOutAmount => amount(frame, satoshi(arguments.int(0))),
        _ => return None,
    })
}

/// Fee of a transaction of `size` bytes.
pub(super) fn fee(fee_per_kb: u64, size: usize) -> Result<u64, Stop> {
    match i64::try_from(fee_per_kb).ok().and_then(|fee| fee.checked_mul(size as i64)) {
        Some(fee) => Ok(fee as u64 / 1000),
        None => throw("the fee overflows"),
    }
}

/// Fee of the next peg-out (RSKIP271): zero while none is queued before RSKIP385, by a formula before
/// RSKIP305, and by simulation from it on, with the formula where the simulation finds no funds.
fn next_event(frame: &mut Frame<'_>) -> Outcome {
    let queued = frame.requests()?.len();
    if !frame.active(Rule::Rskip385) && queued == 0 {
        return Ok(Some(AbiValue::int(0)));
    }
    if frame.active(Rule::Rskip305) {
        simulate_without_funds(frame)?;
    }
    let federation = frame.active_federation()?;
    let size = pegout_size(frame.rules, &federation, ESTIMATED_INPUTS, queued + EXTRA_OUTPUTS);
    let fee = fee(frame.fee_per_kb()?, size)?;
    Ok(Some(AbiValue::int(fee as i64)))
}

/// Loads what the simulation loads. A federation without outputs cannot pay any of it.
fn simulate_without_funds(frame: &mut Frame<'_>) -> Result<(), Stop> {
    frame.requests()?;
    if !frame.active_utxos()?.is_empty() {
        return Err(Stop::Error(ContractError::Unsupported("an estimate from the federation's outputs".into())));
    }
    frame.fee_per_kb()?;
    Ok(())
}

/// Fee of a peg-out of so many satoshi (RSKIP540).
fn amount(frame: &mut Frame<'_>, satoshi: i64) -> Outcome {
    if satoshi < frame.bridge().minimum_pegout.rskip219 as i64 {
        return Err(Stop::IllegalArgument("the amount is below the minimum of a peg-out"));
    }
    simulate_without_funds(frame)?;
    Err(Stop::IllegalArgument("the peg-out cannot be simulated: the federation has no funds"))
}
