//! Methods of the union bridge (RSKIP502, RSKIP529).

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractContext;
use rhizome_primitives::{Address, Bytes};

use super::arguments::Arguments;
use crate::method::{self, Method};
use crate::outcome::{Outcome, Stop, throw};
use crate::storage::Frame;
use crate::union;

/// Chain id on which the address of the union contract cannot be changed.
const MAIN_CHAIN_ID: u8 = 30;

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
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
        Method::SetUnionBridgeContractAddressForTestnet => authorised(method, context, authorisers.union_address)
            .and_then(|()| {
                frame.set_union_address(arguments.address(0));
                code(union::Response::Success)
            }),
        Method::IncreaseUnionBridgeLockingCap => authorised(method, context, authorisers.union_locking_cap)
            .and_then(|()| union::increase_locking_cap(context, frame, arguments.int(0)).map_err(Stop::from))
            .and_then(code),
        Method::SetUnionBridgeTransferPermissions => authorised(method, context, authorisers.union_permissions)
            .and_then(|()| {
                union::set_permissions(context, frame, arguments.flag(0), arguments.flag(1)).map_err(Stop::from)
            })
            .and_then(code),
        Method::RequestUnionBridgeRbtc => {
            union::request(context, frame, arguments.int(0)).map_err(Stop::from).and_then(code)
        }
        Method::ReleaseUnionBridgeRbtc => union::release(context, frame).map_err(Stop::from).and_then(code),
        Method::SetSuperEvent => {
            event_data(context, frame, arguments.bytes(0)).map(|data| frame.set_super_event(data)).map(|()| None)
        }
        Method::ClearSuperEvent => {
            event_data(context, frame, &[]).map(|data| frame.set_super_event(data)).map(|()| None)
        }
        Method::SetBaseEvent => {
            event_data(context, frame, arguments.bytes(0)).map(|data| frame.set_base_event(data)).map(|()| None)
        }
        Method::ClearBaseEvent => event_data(context, frame, &[]).map(|data| frame.set_base_event(data)).map(|()| None),
        _ => return None,
    })
}

fn code(response: union::Response) -> Outcome {
    Ok(Some(AbiValue::int(response as i64)))
}

fn authorised(method: Method, context: &ContractContext<'_>, authoriser: Address) -> Result<(), Stop> {
    if context.sender != authoriser {
        return throw(format!("the sender may not call {}", method::definition(method).name));
    }
    Ok(())
}

/// Event data that the union contract sets; empty data clear it.
fn event_data(context: &ContractContext<'_>, frame: &mut Frame<'_>, data: &[u8]) -> Result<Bytes, Stop> {
    if context.sender != frame.union_address()? {
        return throw("only the union contract may note events");
    }
    if data.len() > union::MAX_EVENT_BYTES {
        return throw("the event is too long");
    }
    Ok(Bytes::copy_from_slice(data))
}
