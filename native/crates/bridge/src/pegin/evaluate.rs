//! Peg-ins from RSKIP379 on: accepted, refunded, or neither (bridge.md §4.2.1).

use rhizome_bitcoin::{Script, ScriptError, Transaction};
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::information::Information;
use super::minimum::minimum;
use super::outputs::outputs_to;
use super::sender::SenderKind;
use super::settled::{mark, refund};
use super::{classify, instructions, lock};
use crate::events::pegin::{self as events, RejectedPegin, UnrefundablePegin};
use crate::federation::live::LiveFederations;
use crate::outcome::thrown;
use crate::storage::Frame;

enum Verdict {
    Keep,
    SendBack(RejectedPegin),
    Reject(RejectedPegin, UnrefundablePegin),
}

pub(super) fn register(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    transaction: &Transaction,
) -> Result<(), ContractError> {
    let amount = lock::amount(frame, transaction)?;
    let federations = frame.live_federations()?;
    let information = match has_valid_amounts(frame, &federations, transaction)? {
        true => Some(Information::read(frame, transaction).map_err(thrown)?),
        false => None,
    };
    let txid = transaction.txid();
    match (verdict(&federations, transaction, information.as_ref())?, information) {
        (Verdict::Keep, Some(information)) => lock::lock(frame, transaction, &information, amount),
        (Verdict::SendBack(reason), Some(Information { refund: Some(address), .. })) => {
            events::rejected_pegin(frame, txid, reason);
            refund(context, frame, transaction, address, amount)
        }
        (Verdict::Reject(reason, why), _) => {
            events::rejected_pegin(frame, txid, reason);
            events::unrefundable_pegin(frame, txid, why);
            if frame.active(Rule::Rskip459) && !frame.active(Rule::Rskip551) {
                mark(frame, txid)?;
            }
            Ok(())
        }
        _ => Err(thrown("a peg-in without an address to go back to")),
    }
}

/// True when there is an output to a federation, and each such output reaches the minimum.
fn has_valid_amounts(
    frame: &Frame<'_>,
    federations: &LiveFederations,
    transaction: &Transaction,
) -> Result<bool, ContractError> {
    let outputs = outputs_to(transaction, &classify::output_scripts(federations)?).map_err(thrown)?;
    let minimum = minimum(frame);
    Ok(!outputs.is_empty() && outputs.iter().all(|output| output.value >= minimum))
}

fn verdict(
    federations: &LiveFederations,
    transaction: &Transaction,
    information: Option<&Information>,
) -> Result<Verdict, ContractError> {
    let Some(information) = information else {
        return Ok(Verdict::Reject(RejectedPegin::InvalidAmount, UnrefundablePegin::InvalidAmount));
    };
    if !information.valid {
        let reason = RejectedPegin::InvalidPayload;
        return Ok(match information.refund {
            Some(_) => Verdict::SendBack(reason),
            None => Verdict::Reject(reason, UnrefundablePegin::LegacyUndeterminedSender),
        });
    }
    if information.version == instructions::VERSION {
        return Ok(Verdict::Keep);
    }
    Ok(match information.sender.map(|sender| sender.kind) {
        Some(SenderKind::PublicKeyHash | SenderKind::ScriptOfWitnessKeyHash) => Verdict::Keep,
        Some(SenderKind::MultisigScript | SenderKind::WitnessMultisigScript) => {
            let reason = RejectedPegin::LegacyMultisigSender;
            if pays_to_different_formats(federations, transaction)? {
                Verdict::Reject(reason, UnrefundablePegin::DifferentFederationTypes)
            } else {
                Verdict::SendBack(reason)
            }
        }
        None => Verdict::Reject(RejectedPegin::LegacyUndeterminedSender, UnrefundablePegin::LegacyUndeterminedSender),
    })
}

/// True when outputs go to two federations of different formats. An output that pays to neither the hash of a key nor
/// that of a script ends the call.
fn pays_to_different_formats(federations: &LiveFederations, transaction: &Transaction) -> Result<bool, ContractError> {
    let mut formats = Vec::new();
    for output in &transaction.outputs {
        let hash = hash_paid_to(&output.script).map_err(thrown)?;
        for federation in federations.iter() {
            if federation.script_hash()? == hash {
                formats.push(federation.format);
                break;
            }
        }
    }
    Ok(formats.iter().any(|format| Some(format) != formats.first()))
}

fn hash_paid_to(script: &[u8]) -> Result<[u8; 20], ScriptError> {
    let script = Script::parse(script)?;
    let key_hash = script.public_key_hash()?;
    key_hash.or_else(|| script.script_hash()).ok_or(ScriptError::Script("the script pays to no hash"))
}
