//! The union bridge (RSKIP502, RSKIP529): questions, and refusals of what only its contract or its
//! authorisers may do.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::{Address, U256};

use super::{Arguments, Outcome, Stop, throw};
use crate::ADDRESS;
use crate::method::{self, Method};
use crate::storage::Frame;

/// Chain id on which the address of the union contract cannot be changed.
const MAIN_CHAIN_ID: u8 = 30;
/// Answer to a caller that is not the union contract.
const UNAUTHORISED_CALLER: i64 = -1;

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    _arguments: Arguments<'_>,
) -> Option<Outcome> {
    let authorisers = &frame.bridge().authorisers;
    Some(match method {
        Method::GetUnionBridgeContractAddress => {
            frame.union_address().map(|address| Some(AbiValue::Address(address))).map_err(Stop::from)
        }
        Method::GetUnionBridgeLockingCap => {
            frame.union_locking_cap().map(|cap| Some(AbiValue::Int(cap))).map_err(Stop::from)
        }
        Method::GetSuperEvent => frame.super_event().map(|bytes| Some(AbiValue::Bytes(bytes))).map_err(Stop::from),
        Method::GetBaseEvent => frame.base_event().map(|bytes| Some(AbiValue::Bytes(bytes))).map_err(Stop::from),
        Method::SetUnionBridgeContractAddressForTestnet if context.spec.chain_id == MAIN_CHAIN_ID => {
            throw("the address of the union contract is fixed on this network")
        }
        Method::SetUnionBridgeContractAddressForTestnet => authorised(method, context, authorisers.union_address),
        Method::IncreaseUnionBridgeLockingCap => authorised(method, context, authorisers.union_locking_cap),
        Method::SetUnionBridgeTransferPermissions => authorised(method, context, authorisers.union_permissions),
        Method::RequestUnionBridgeRbtc => request(context, frame),
        Method::ReleaseUnionBridgeRbtc => release(context, frame),
        Method::SetSuperEvent | Method::ClearSuperEvent | Method::SetBaseEvent | Method::ClearBaseEvent => {
            note(method, context, frame)
        }
        _ => return None,
    })
}

fn unsupported(method: Method) -> Outcome {
    Err(Stop::Error(ContractError::Unsupported(method::definition(method).name.into())))
}

fn authorised(method: Method, context: &ContractContext<'_>, authoriser: Address) -> Outcome {
    if context.sender != authoriser {
        return throw(format!("the sender may not call {}", method::definition(method).name));
    }
    unsupported(method)
}

fn request(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if context.sender != frame.union_address()? {
        return Ok(Some(AbiValue::int(UNAUTHORISED_CALLER)));
    }
    unsupported(Method::RequestUnionBridgeRbtc)
}

/// Value sent by anybody else goes back.
fn release(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if context.sender == frame.union_address()? {
        return unsupported(Method::ReleaseUnionBridgeRbtc);
    }
    if context.value > U256::ZERO {
        frame.state.transfer(ADDRESS, context.sender, context.value)?;
        frame.state.trace_transfer(ADDRESS, context.sender, context.value);
    }
    Ok(Some(AbiValue::int(UNAUTHORISED_CALLER)))
}

fn note(method: Method, context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if context.sender != frame.union_address()? {
        return throw("only the union contract may note events");
    }
    unsupported(method)
}
