//! Votes on the fee per kb.

use rhizome_primitives::contract::{ContractContext, ContractError};

use super::{GENERIC_ERROR, SUCCESS};
use crate::storage::Frame;
use crate::storage::codec;
use crate::storage::elections::CallSpec;

const NOT_POSITIVE: i64 = -1;
const ABOVE_MAXIMUM: i64 = -2;
const VOTED_BEFORE: i64 = -1;

/// A vote for a fee, satoshi per 1,000 bytes. Returns a code of bridge.md §1.5.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn vote_fee_per_kb(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    fee: i64,
) -> Result<i64, ContractError> {
    let authorisers = &frame.bridge().authorisers.fee_per_kb;
    if !authorisers.contains(&context.sender) {
        return Ok(GENERIC_ERROR);
    }
    if fee <= 0 {
        return Ok(NOT_POSITIVE);
    }
    if fee > frame.bridge().fee_per_kb.maximum as i64 {
        return Ok(ABOVE_MAXIMUM);
    }
    let call = CallSpec::new("setFeePerKb", &[&codec::encode_long(fee)]);
    if !frame.fee_election()?.vote(&call, context.sender) {
        return Ok(VOTED_BEFORE);
    }
    if let Some(winner) = frame.fee_election()?.winner(authorisers.len()).cloned() {
        let Some(Ok(fee)) = winner.arguments.first().map(|argument| codec::coin_cell(argument)) else {
            return Ok(GENERIC_ERROR);
        };
        frame.set_fee_per_kb(fee);
        frame.fee_election()?.clear();
    }
    Ok(SUCCESS)
}
