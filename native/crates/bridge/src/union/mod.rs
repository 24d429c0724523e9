//! The union bridge (RSKIP502, bridge.md §4.8): RBTC that its contract requests and returns.

use rhizome_primitives::U256;
use rhizome_primitives::contract::{ContractContext, ContractError};

use crate::address::ADDRESS;
use crate::events::union as events;
use crate::storage::Frame;

/// Maximum bytes of a super or base event (RSKIP529).
pub(crate) const MAX_EVENT_BYTES: usize = 128;

/// Results (bridge.md §1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Success = 0,
    UnauthorisedCaller = -1,
    InvalidValue = -2,
    Disabled = -3,
}

/// True when a signed number is positive.
fn positive(value: U256) -> bool {
    !value.is_zero() && !value.bit(255)
}

/// Raises the cap; wei. The new cap must be higher, but at most by the multiplier.
pub(crate) fn increase_locking_cap(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    cap: U256,
) -> Result<Response, ContractError> {
    let current = frame.union_locking_cap()?;
    let most = current.saturating_mul(U256::from(frame.bridge().union.multiplier));
    if !positive(cap) || cap <= current || cap > most {
        return Ok(Response::InvalidValue);
    }
    frame.set_union_locking_cap(cap)?;
    events::union_locking_cap_increased(frame, context.sender, current, cap);
    Ok(Response::Success)
}

/// Sends wei to the union contract, which must be the caller.
pub(crate) fn request(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    amount: U256,
) -> Result<Response, ContractError> {
    let union_contract = frame.union_address()?;
    if context.sender != union_contract {
        return Ok(Response::UnauthorisedCaller);
    }
    if !frame.union_request_enabled()? {
        return Ok(Response::Disabled);
    }
    if !positive(amount) {
        return Ok(Response::InvalidValue);
    }
    let transferred = frame.union_transferred()?.saturating_add(amount);
    if transferred > frame.union_locking_cap()? {
        return Ok(Response::InvalidValue);
    }
    frame.set_union_transferred(transferred);
    frame.state.transfer(ADDRESS, union_contract.into(), amount)?;
    frame.state.trace_transfer(ADDRESS, union_contract, amount);
    events::union_rbtc_requested(frame, union_contract, amount);
    Ok(Response::Success)
}

/// Takes the value of the call back from the union contract. On any result other than success, the value is refunded to
/// the sender.
pub(crate) fn release(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<Response, ContractError> {
    let response = take_back(context, frame)?;
    if response != Response::Success && !context.value.is_zero() {
        frame.state.transfer(ADDRESS, context.sender.into(), context.value)?;
        frame.state.trace_transfer(ADDRESS, context.sender, context.value);
    }
    Ok(response)
}

fn take_back(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<Response, ContractError> {
    if context.sender != frame.union_address()? {
        return Ok(Response::UnauthorisedCaller);
    }
    if !frame.union_release_enabled()? {
        return Ok(Response::Disabled);
    }
    if context.value.is_zero() {
        return Ok(Response::InvalidValue);
    }
    let transferred = frame.union_transferred()?;
    match transferred.checked_sub(context.value) {
        Some(left) => {
            frame.set_union_transferred(left);
            events::union_rbtc_released(frame, context.sender, context.value);
            Ok(Response::Success)
        }
        // More than was ever sent: the union contract must be faulty, so both directions are disabled.
        None => {
            frame.set_union_request_enabled(false);
            frame.set_union_release_enabled(false);
            events::union_permissions_updated(frame, ADDRESS, false, false);
            Ok(Response::InvalidValue)
        }
    }
}

/// Allows or forbids both directions; permissions that are unchanged are not written.
pub(crate) fn set_permissions(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    request: bool,
    release: bool,
) -> Result<Response, ContractError> {
    if frame.union_request_enabled()? != request || frame.union_release_enabled()? != release {
        frame.set_union_request_enabled(request);
        frame.set_union_release_enabled(release);
        events::union_permissions_updated(frame, context.sender, request, release);
    }
    Ok(Response::Success)
}
