//! Methods of federation members and voters, as far as they refuse the sender.

use rhizome_primitives::Address;
use rhizome_primitives::abi::{AbiValue, exact_i64};
use rhizome_primitives::contract::{ContractContext, ContractError};

use super::{Arguments, Outcome, Stop, throw};
use crate::method::{self, Method};
use crate::storage::Frame;

/// Answer to a voter without right, and to a fee that is no number of 64 bits.
const UNAUTHORISED: i64 = -10;
const FEE_NOT_POSITIVE: i64 = -1;
const FEE_ABOVE_MAXIMUM: i64 = -2;

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::CreateFederation
        | Method::AddFederatorPublicKey
        | Method::AddFederatorPublicKeyMultikey
        | Method::CommitFederation
        | Method::RollbackFederation => {
            if frame.bridge().authorisers.federation_change.contains(&context.sender) {
                unsupported(method)
            } else {
                code(UNAUTHORISED)
            }
        }
        Method::VoteFeePerKbChange => vote_fee(context, frame, arguments),
        Method::AddSignature => members_only(method, frame, context.sender).and_then(|()| unsupported(method)),
        _ => return None,
    })
}

fn code(code: i64) -> Outcome {
    Ok(Some(AbiValue::int(code)))
}

fn unsupported(method: Method) -> Outcome {
    Err(Stop::Error(ContractError::Unsupported(method::definition(method).name.into())))
}

/// Passes members of the active, the retiring and the proposed federation.
fn members_only(method: Method, frame: &mut Frame<'_>, sender: Address) -> Result<(), Stop> {
    let live = frame.is_live_member(sender)?;
    let proposed = frame.proposed_federation()?.is_some_and(|federation| federation.has_member(sender));
    if live || proposed {
        return Ok(());
    }
    throw(format!("only federation members may call {}", method::definition(method).name))
}

fn vote_fee(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let Some(fee) = exact_i64(arguments.int(0)) else { return code(UNAUTHORISED) };
    if !frame.bridge().authorisers.fee_per_kb.contains(&context.sender) {
        return code(UNAUTHORISED);
    }
    if fee <= 0 {
        return code(FEE_NOT_POSITIVE);
    }
    if fee > frame.bridge().fee_per_kb.maximum as i64 {
        return code(FEE_ABOVE_MAXIMUM);
    }
    unsupported(Method::VoteFeePerKbChange)
}
