//! Queries about federations.

use rhizome_primitives::Bytes;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::arguments::Arguments;
use crate::federation::member::KeyKind;
use crate::federation::{Federation, FederationMember, codec};
use crate::method::Method;
use crate::outcome::{Outcome, throw};
use crate::storage::Frame;

/// Result of numeric queries about a federation that does not exist.
const NO_FEDERATION: i64 = -1;

pub(super) fn run(
    method: Method,
    _context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    use Method::*;
    Some(match method {
        GetFederationAddress => address(frame, Of::Active),
        GetFederationSize => size(frame, Of::Active),
        GetFederationThreshold => threshold(frame, Of::Active),
        GetFederatorPublicKey => key(frame, Of::Active, arguments.low_int(0), KeyKind::Btc),
        GetFederatorPublicKeyOfType => key_of_type(frame, Of::Active, arguments),
        GetFederationCreationTime => creation_time(frame, Of::Active),
        GetFederationCreationBlockNumber => creation_block(frame, Of::Active),
        GetRetiringFederationAddress => address(frame, Of::Retiring),
        GetRetiringFederationSize => size(frame, Of::Retiring),
        GetRetiringFederationThreshold => threshold(frame, Of::Retiring),
        GetRetiringFederatorPublicKey => key(frame, Of::Retiring, arguments.low_int(0), KeyKind::Btc),
        GetRetiringFederatorPublicKeyOfType => key_of_type(frame, Of::Retiring, arguments),
        GetRetiringFederationCreationTime => creation_time(frame, Of::Retiring),
        GetRetiringFederationCreationBlockNumber => creation_block(frame, Of::Retiring),
        GetProposedFederationAddress => address(frame, Of::Proposed),
        GetProposedFederationSize => size(frame, Of::Proposed),
        GetProposedFederationCreationTime => creation_time(frame, Of::Proposed),
        GetProposedFederationCreationBlockNumber => creation_block(frame, Of::Proposed),
        GetProposedFederatorPublicKeyOfType => key_of_type(frame, Of::Proposed, arguments),
        GetPendingFederationHash => pending_hash(frame),
        GetPendingFederationSize => pending_size(frame),
        GetPendingFederatorPublicKey => key(frame, Of::Pending, arguments.low_int(0), KeyKind::Btc),
        GetPendingFederatorPublicKeyOfType => key_of_type(frame, Of::Pending, arguments),
        GetActiveFederationCreationBlockHeight => active_creation_height(frame),
        GetActivePowpegRedeemScript => redeem_script(frame),
        _ => return None,
    })
}

/// The federation of a query.
#[derive(Clone, Copy)]
enum Of {
    Active,
    Retiring,
    Proposed,
    Pending,
}

fn federation(frame: &mut Frame<'_>, of: Of) -> Result<Option<Federation>, ContractError> {
    match of {
        Of::Active => frame.active_federation().map(Some),
        Of::Retiring => frame.retiring_federation(),
        Of::Proposed => frame.proposed_federation(),
        Of::Pending => Ok(None),
    }
}

fn members(frame: &mut Frame<'_>, of: Of) -> Result<Option<Vec<FederationMember>>, ContractError> {
    match of {
        Of::Pending => frame.pending_federation(),
        _ => Ok(federation(frame, of)?.map(|federation| federation.members)),
    }
}

/// A number of a federation, or the code for no federation.
fn number(frame: &mut Frame<'_>, of: Of, read: impl Fn(&Federation) -> i64) -> Outcome {
    let value = federation(frame, of)?.map_or(NO_FEDERATION, |federation| read(&federation));
    Ok(Some(AbiValue::int(value)))
}

fn address(frame: &mut Frame<'_>, of: Of) -> Outcome {
    let found = federation(frame, of)?;
    let address = found.map(|federation| federation.address(frame.bridge())).transpose()?;
    let text = address.map_or_else(String::new, |address| address.to_base58());
    Ok(Some(AbiValue::String(text)))
}

fn size(frame: &mut Frame<'_>, of: Of) -> Outcome {
    number(frame, of, |federation| federation.members.len() as i64)
}

fn threshold(frame: &mut Frame<'_>, of: Of) -> Outcome {
    number(frame, of, |federation| federation.threshold() as i64)
}

/// Milliseconds before RSKIP419, seconds afterwards.
fn creation_time(frame: &mut Frame<'_>, of: Of) -> Outcome {
    let unit = if frame.active(Rule::Rskip419) { 1000 } else { 1 };
    number(frame, of, |federation| federation.creation_time.div_euclid(unit))
}

fn creation_block(frame: &mut Frame<'_>, of: Of) -> Outcome {
    number(frame, of, |federation| federation.creation_block)
}

fn key_of_type(frame: &mut Frame<'_>, of: Of, arguments: Arguments<'_>) -> Outcome {
    match KeyKind::parse(arguments.text(1)) {
        Some(kind) => key(frame, of, arguments.low_int(0), kind),
        None => throw("no such kind of key"),
    }
}

/// A member's key; empty bytes when there is no such federation.
fn key(frame: &mut Frame<'_>, of: Of, index: i32, kind: KeyKind) -> Outcome {
    let Some(members) = members(frame, of)? else { return Ok(Some(AbiValue::Bytes(Bytes::new()))) };
    let member = usize::try_from(index).ok().and_then(|index| members.get(index));
    match member {
        Some(member) => Ok(Some(AbiValue::Bytes(Bytes::copy_from_slice(member.key(kind))))),
        None => throw(format!("the index must be between 0 and {}", members.len() as i64 - 1)),
    }
}

/// Hash of the Bitcoin keys of the pending federation; empty bytes when there is none.
fn pending_hash(frame: &mut Frame<'_>) -> Outcome {
    let members = frame.pending_federation()?;
    let hash = members.map(|members| codec::pending_hash(&members));
    Ok(Some(AbiValue::Bytes(hash.map_or_else(Bytes::new, |hash| Bytes::copy_from_slice(hash.as_slice())))))
}

fn pending_size(frame: &mut Frame<'_>) -> Outcome {
    let size = frame.pending_federation()?.map_or(NO_FEDERATION, |members| members.len() as i64);
    Ok(Some(AbiValue::int(size)))
}

fn active_creation_height(frame: &mut Frame<'_>) -> Outcome {
    Ok(Some(AbiValue::int(frame.active_creation_height()?)))
}

fn redeem_script(frame: &mut Frame<'_>) -> Outcome {
    let federation = frame.active_federation()?;
    Ok(Some(AbiValue::Bytes(Bytes::copy_from_slice(federation.redeem_script()?))))
}
