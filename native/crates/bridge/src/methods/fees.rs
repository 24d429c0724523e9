//! Fee per kb and estimates of peg-out fees.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractContext;

use super::arguments::Arguments;
use crate::method::Method;
use crate::money::satoshi;
use crate::outcome::{Outcome, Stop};
use crate::pegout::estimate::{fee_of_next_batch, simulated_fee};
use crate::storage::Frame;

pub(super) fn run(
    method: Method,
    _context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::GetFeePerKb => frame.fee_per_kb().map(|fee| Some(AbiValue::int(fee))).map_err(Stop::from),
        Method::GetEstimatedFeesForNextPegOutEvent => {
            fee_of_next_batch(frame).map(|fee| Some(AbiValue::int(fee))).map_err(Stop::from)
        }
        Method::GetEstimatedFeesForPegOutAmount => amount(frame, satoshi(arguments.int(0))),
        _ => return None,
    })
}

/// Fee of a peg-out of the given amount in satoshi (RSKIP540).
fn amount(frame: &mut Frame<'_>, satoshi: i64) -> Outcome {
    if satoshi < frame.bridge().minimum_pegout.rskip219 as i64 {
        return Err(Stop::IllegalArgument("the amount is below the minimum of a peg-out"));
    }
    match simulated_fee(frame, satoshi)? {
        Some(fee) => Ok(Some(AbiValue::int(fee))),
        None => Err(Stop::IllegalArgument("the peg-out cannot be simulated")),
    }
}
