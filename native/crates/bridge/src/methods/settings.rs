//! Locking cap and whitelist: queries, and changes by their authorisers (bridge.md §1.4).

use rhizome_primitives::abi::{AbiValue, exact_i64};
use rhizome_primitives::contract::{ContractContext, ContractError};

use super::arguments::Arguments;
use crate::method::Method;
use crate::outcome::{Outcome, Stop, throw};
use crate::storage::Frame;
use crate::storage::whitelist::{Allowance, NEVER_DISABLED};
use rhizome_bitcoin::address::{self, AddressError};

const SUCCESS: i64 = 1;
const UNAUTHORISED: i64 = -10;
const ALREADY_LISTED: i64 = -1;
const NOT_LISTED: i64 = -1;
const INVALID_ADDRESS: i64 = -2;
const DELAY_ALREADY_SET: i64 = -1;
const INVALID_DELAY: i64 = -2;
const UNLIMITED: i64 = 0;

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    let authorised = frame.bridge().authorisers.whitelist.contains(&context.sender);
    let outcome = match method {
        Method::GetLockingCap => frame.locking_cap().map_err(Stop::from),
        Method::GetLockWhitelistSize => whitelist_size(frame),
        Method::GetLockWhitelistEntryByAddress => entry(frame, arguments.text(0)),
        Method::AddLockWhitelistAddress | Method::AddOneOffLockWhitelistAddress => {
            add(frame, authorised, arguments.text(0), || match exact_i64(arguments.int(1)) {
                Some(most) => Ok(Allowance::OneOff(most)),
                None => throw("the amount does not fit 64 bits"),
            })
        }
        Method::AddUnlimitedLockWhitelistAddress => {
            add(frame, authorised, arguments.text(0), || Ok(Allowance::Unlimited))
        }
        Method::RemoveLockWhitelistAddress => remove(frame, authorised, arguments.text(0)),
        Method::SetLockWhitelistDisableBlockDelay => disable(frame, authorised, arguments),
        Method::IncreaseLockingCap => return Some(increase_cap(context, frame, arguments)),
        Method::GetLockWhitelistAddress => return Some(address_at(frame, arguments.low_int(0))),
        _ => return None,
    };
    Some(outcome.map(|code| Some(AbiValue::int(code))))
}

fn whitelist_size(frame: &mut Frame<'_>) -> Result<i64, Stop> {
    Ok(frame.whitelist()?.entries.len() as i64)
}

/// The address at an index of the sorted list; an empty string when there is none.
fn address_at(frame: &mut Frame<'_>, index: i32) -> Outcome {
    let version = frame.bridge().bitcoin.address_version;
    let hash = usize::try_from(index).ok().map(|index| {
        Ok(frame.whitelist()?.entries.keys().nth(index).and_then(|hash| <[u8; 20]>::try_from(&hash[..]).ok()))
    });
    let hash = match hash {
        Some(found) => found.map_err(|error: ContractError| Stop::Error(error))?,
        None => {
            frame.whitelist()?;
            None
        }
    };
    let text = hash.map_or_else(String::new, |hash| address::Address { version, hash }.to_base58());
    Ok(Some(AbiValue::String(text)))
}

/// The hash of an address of this network; None for an invalid address.
fn parse(frame: &Frame<'_>, text: &str) -> Result<Option<Vec<u8>>, Stop> {
    match address::parse(&frame.bridge().bitcoin, text) {
        Ok((_, hash)) => Ok(Some(hash)),
        Err(AddressError::Format) => Ok(None),
        Err(AddressError::Fatal | AddressError::Length) => throw("the address holds no bytes"),
    }
}

fn entry(frame: &mut Frame<'_>, text: &str) -> Result<i64, Stop> {
    let Some(hash) = parse(frame, text)? else { return Ok(NOT_LISTED) };
    let entries = &frame.whitelist()?.entries;
    Ok(match entries.get(&hash) {
        None => NOT_LISTED,
        Some(Allowance::Unlimited) => UNLIMITED,
        Some(Allowance::OneOff(most)) => *most,
    })
}

fn add(
    frame: &mut Frame<'_>,
    authorised: bool,
    text: &str,
    allowance: impl FnOnce() -> Result<Allowance, Stop>,
) -> Result<i64, Stop> {
    let Some(hash) = parse(frame, text)? else { return Ok(INVALID_ADDRESS) };
    let allowance = allowance()?;
    if !authorised {
        return Ok(UNAUTHORISED);
    }
    let entries = &mut frame.whitelist()?.entries;
    if entries.contains_key(&hash) {
        return Ok(ALREADY_LISTED);
    }
    entries.insert(hash, allowance);
    Ok(SUCCESS)
}

fn remove(frame: &mut Frame<'_>, authorised: bool, text: &str) -> Result<i64, Stop> {
    if !authorised {
        return Ok(UNAUTHORISED);
    }
    frame.whitelist()?;
    let Some(hash) = parse(frame, text)? else { return Ok(INVALID_ADDRESS) };
    Ok(if frame.whitelist()?.entries.remove(&hash).is_some() { SUCCESS } else { NOT_LISTED })
}

/// Sets the Bitcoin height after which everybody may lock; the sum wraps at 32 bits.
fn disable(frame: &mut Frame<'_>, authorised: bool, arguments: Arguments<'_>) -> Result<i64, Stop> {
    let best = frame.open_headers()?.height;
    if !authorised {
        return Ok(UNAUTHORISED);
    }
    if frame.whitelist()?.disabled_after < NEVER_DISABLED {
        return Ok(DELAY_ALREADY_SET);
    }
    let Some(delay) = exact_i64(arguments.int(0)).and_then(|delay| i32::try_from(delay).ok()) else {
        return throw("the delay does not fit 32 bits");
    };
    let height = best.wrapping_add(delay);
    if height <= best {
        return Ok(INVALID_DELAY);
    }
    frame.whitelist()?.disabled_after = height;
    Ok(SUCCESS)
}

/// Raises the locking cap, by at most its multiplier (RSKIP134).
fn increase_cap(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let Some(cap) = exact_i64(arguments.int(0)).filter(|cap| *cap > 0) else {
        return Err(Stop::IllegalArgument("the locking cap must be positive and fit 64 bits"));
    };
    if !frame.bridge().authorisers.locking_cap.contains(&context.sender) {
        return Ok(Some(AbiValue::Bool(false)));
    }
    let current = frame.locking_cap()?;
    if cap < current {
        return Ok(Some(AbiValue::Bool(false)));
    }
    let most = current.checked_mul(frame.bridge().locking_cap.multiplier as i64);
    let Some(most) = most else { return throw("the largest locking cap overflows") };
    let accepted = cap <= most;
    if accepted {
        frame.set_locking_cap(cap);
    }
    Ok(Some(AbiValue::Bool(accepted)))
}
