//! Methods of federation members and voters.

use rhizome_bitcoin::{PublicKey, Signature};
use rhizome_primitives::abi::{AbiValue, exact_i64};
use rhizome_primitives::contract::ContractContext;
use rhizome_primitives::{Address, B256};

use super::arguments::Arguments;
use crate::method::{self, Method};
use crate::outcome::{Outcome, Stop, throw};
use crate::pegout;
use crate::pegout::signatures::SignaturesOfKey;
use crate::storage::Frame;
use crate::votes::{FederationChange, GENERIC_ERROR, vote_federation_change, vote_fee_per_kb};

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::CreateFederation => change(context, frame, FederationChange::Create),
        Method::AddFederatorPublicKey => change(context, frame, FederationChange::Add([arguments.bytes(0)])),
        Method::AddFederatorPublicKeyMultikey => {
            let keys = [arguments.bytes(0), arguments.bytes(1), arguments.bytes(2)];
            change(context, frame, FederationChange::AddMulti(keys))
        }
        Method::CommitFederation => change(context, frame, FederationChange::Commit([arguments.bytes(0)])),
        Method::RollbackFederation => change(context, frame, FederationChange::Rollback),
        Method::VoteFeePerKbChange => match exact_i64(arguments.int(0)) {
            Some(fee) => vote_fee_per_kb(context, frame, fee).map_err(Stop::from).and_then(code),
            None => code(GENERIC_ERROR),
        },
        Method::AddSignature => {
            members_only(method, frame, context.sender).and_then(|()| add_signature(frame, arguments))
        }
        _ => return None,
    })
}

fn change(context: &ContractContext<'_>, frame: &mut Frame<'_>, change: FederationChange<'_>) -> Outcome {
    code(vote_federation_change(context, frame, change)?)
}

fn code(code: i64) -> Outcome {
    Ok(Some(AbiValue::int(code)))
}

fn add_signature(frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let key = PublicKey::parse(arguments.bytes(0)).map_err(|_| Stop::IllegalArgument("the key does not parse"))?;
    let signatures = signatures(arguments.list(1))?;
    let hash = B256::try_from(arguments.bytes(2)).map_err(|_| Stop::IllegalArgument("the hash has not 32 bytes"))?;
    pegout::signatures::add_signature(frame, SignaturesOfKey { key: &key, signatures: &signatures }, hash)?;
    Ok(None)
}

fn signatures(list: &[AbiValue]) -> Result<Vec<Signature>, Stop> {
    if list.is_empty() {
        return Err(Stop::IllegalArgument("no signatures"));
    }
    let parse = |value: &AbiValue| match value {
        AbiValue::Bytes(der) => Signature::parse(der).ok(),
        _ => None,
    };
    list.iter().map(|value| parse(value).ok_or(Stop::IllegalArgument("a signature does not parse"))).collect()
}

/// Fails unless the sender is a member of the active, the retiring or the proposed federation.
fn members_only(method: Method, frame: &mut Frame<'_>, sender: Address) -> Result<(), Stop> {
    let live = frame.is_live_member(sender)?;
    let proposed = frame.proposed_federation()?.is_some_and(|federation| federation.has_member(sender));
    if live || proposed {
        return Ok(());
    }
    throw(format!("only federation members may call {}", method::definition(method).name))
}
