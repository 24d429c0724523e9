//! Runs a call (bridge.md §1.1): access rules, the method, and the save.

mod arguments;
mod federation_queries;
mod fees;
mod flyover;
mod header_queries;
mod headers;
mod peg_queries;
mod pegin;
mod settings;
mod union;
mod update_collections;
mod votes;

use rhizome_primitives::Bytes;
use rhizome_primitives::abi;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::Rule;

use crate::call::Call;
use crate::headers::confirmations;
use crate::method::Method;
use crate::outcome::{Outcome, Stop, throw};
use crate::pegout;
use crate::storage::Frame;
use arguments::Arguments;

pub(crate) fn run(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    let lenient = !context.rules.active(Rule::Rskip88);
    let Some(call) = Call::parse(context.rules, data) else {
        return if lenient { Ok(None) } else { Err(ContractError::Failed("invalid call data".into())) };
    };
    let mut frame = Frame::new(context.spec, context.rules, context.block.number, state);
    if price_opens_headers(context, &call) {
        frame.open_headers()?;
    }
    check_access(context, &call)?;
    let result = match execute(context, &mut frame, &call) {
        Ok(result) => result,
        Err(Stop::IllegalArgument(_)) if lenient => return Ok(None),
        Err(Stop::IllegalArgument(reason)) => return Err(ContractError::Failed(reason.into())),
        Err(Stop::Error(error)) => return Err(error),
    };
    frame.save()?;
    let void = context.rules.active(Rule::Rskip417).then(Bytes::new);
    Ok(result.map_or(void, |value| Some(abi::encode(&[value]).into())))
}

/// Pricing this method opens the header store, even for a call that is refused afterwards.
fn price_opens_headers(context: &ContractContext<'_>, call: &Call) -> bool {
    call.definition.method == Method::GetBtcTransactionConfirmations && !context.free_transaction
}

pub(crate) fn refuse(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<(), ContractError> {
    match Call::parse(context.rules, data) {
        Some(call) if price_opens_headers(context, &call) => {
            let mut frame = Frame::new(context.spec, context.rules, context.block.number, state);
            frame.open_headers().map(|_| ())
        }
        _ => Ok(()),
    }
}

/// Local-only methods are checked from RSKIP88 on, call types from RSKIP417 on.
fn check_access(context: &ContractContext<'_>, call: &Call) -> Result<(), ContractError> {
    let definition = call.definition;
    let rules = context.rules;
    if rules.active(Rule::Rskip88) && !context.local_call && definition.is_local_only(rules) {
        return Err(ContractError::Failed(format!("{} answers local calls only", definition.name)));
    }
    if rules.active(Rule::Rskip417) && !definition.accepts(context.call_type) {
        return Err(ContractError::Failed(format!("{} does not accept this type of call", definition.name)));
    }
    Ok(())
}

fn execute(context: &ContractContext<'_>, frame: &mut Frame<'_>, call: &Call) -> Outcome {
    let arguments = Arguments(&call.arguments);
    match call.definition.method {
        Method::ReleaseBtc => {
            pegout::release::release(context, frame)?;
            Ok(None)
        }
        Method::UpdateCollections => update_collections::update_collections(context, frame),
        Method::GetBtcTransactionConfirmations => confirmations::run(frame, &call.arguments),
        Method::RegisterBtcTransaction => pegin::register(context, frame, arguments),
        Method::RegisterFastBridgeBtcTransaction => flyover::register(context, frame, arguments),
        method => {
            for group in GROUPS {
                if let Some(outcome) = group(method, context, frame, arguments) {
                    return outcome;
                }
            }
            throw(UNKNOWN)
        }
    }
}

/// Error for a method that no group implements; a test checks that there is none.
const UNKNOWN: &str = "the method belongs to no group";

/// Runs a method that belongs to the group; None for all others.
type Group = fn(Method, &ContractContext<'_>, &mut Frame<'_>, Arguments<'_>) -> Option<Outcome>;

const GROUPS: &[Group] = &[
    headers::run,
    header_queries::run,
    federation_queries::run,
    peg_queries::run,
    fees::run,
    settings::run,
    union::run,
    votes::run,
];
