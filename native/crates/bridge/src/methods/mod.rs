//! Runs a call (bridge.md §1.1): access rules, the method, and the save.

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

use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, B256, Bytes, U256};

use crate::call::Call;
use crate::headers::confirmations;
use crate::method::Method;
use crate::pegout;
use crate::storage::Frame;

/// Reason why a method ended without a result.
pub(crate) enum Stop {
    /// An argument that the method refuses: before RSKIP88 the result is null instead of an error.
    IllegalArgument(&'static str),
    /// Any other error.
    Error(ContractError),
}

impl<E: Into<ContractError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// A result; None for void methods.
pub(crate) type Outcome = Result<Option<AbiValue>, Stop>;

/// Ends the call with an exception.
pub(crate) fn throw<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Error(ContractError::Failed(reason.into())))
}

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

/// The decoded arguments; their types are those of the definition.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a>(&'a [AbiValue]);

impl<'a> Arguments<'a> {
    pub(crate) fn int(self, index: usize) -> U256 {
        match self.0.get(index) {
            Some(AbiValue::Int(value)) => *value,
            _ => U256::ZERO,
        }
    }

    /// Low 32 bits, signed.
    pub(crate) fn low_int(self, index: usize) -> i32 {
        abi::low_i32(self.int(index))
    }

    pub(crate) fn text(self, index: usize) -> &'a str {
        match self.0.get(index) {
            Some(AbiValue::String(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn bytes(self, index: usize) -> &'a [u8] {
        match self.0.get(index) {
            Some(AbiValue::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    pub(crate) fn hash(self, index: usize) -> B256 {
        match self.0.get(index) {
            Some(AbiValue::Bytes32(hash)) => *hash,
            _ => B256::ZERO,
        }
    }

    pub(crate) fn address(self, index: usize) -> Address {
        match self.0.get(index) {
            Some(AbiValue::Address(address)) => *address,
            _ => Address::ZERO,
        }
    }

    pub(crate) fn flag(self, index: usize) -> bool {
        matches!(self.0.get(index), Some(AbiValue::Bool(true)))
    }

    pub(crate) fn list(self, index: usize) -> &'a [AbiValue] {
        match self.0.get(index) {
            Some(AbiValue::Array(values)) => values,
            _ => &[],
        }
    }
}
