//! Peg-ins before RSKIP379: whitelist and locking cap (bridge.md §4.2.1).

use rhizome_bitcoin::Transaction;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::information::Information;
use super::sender::{Sender, SenderKind};
use super::settled::{mark, refund};
use super::{instructions, lock};
use crate::events::pegin::{self as events, RejectedPegin, UnrefundablePegin};
use crate::outcome::thrown;
use crate::storage::Frame;

pub(super) fn register(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    transaction: &Transaction,
    height: i32,
) -> Result<(), ContractError> {
    let amount = lock::amount(frame, transaction)?;
    let information = Information::read(frame, transaction).map_err(thrown)?;
    if !information.valid {
        if frame.active(Rule::Rskip170) {
            reject(frame, transaction, RejectedPegin::InvalidPayload);
            send_back(context, frame, transaction, &information, amount)?;
        }
        return Ok(());
    }
    if information.version == instructions::VERSION {
        if lock::is_under_cap(frame, amount)? {
            return lock::lock(frame, transaction, &information, amount);
        }
        reject(frame, transaction, RejectedPegin::CapSurpassed);
        return send_back(context, frame, transaction, &information, amount);
    }
    let Some(sender) = information.sender.filter(|sender| is_processable(frame, sender)) else {
        reject(frame, transaction, RejectedPegin::LegacyUndeterminedSender);
        return Ok(());
    };
    if is_lockable(frame, &sender)
        && takes_from_whitelist(frame, &sender, amount, height)?
        && lock::is_under_cap(frame, amount)?
    {
        return lock::lock(frame, transaction, &information, amount);
    }
    if frame.active(Rule::Rskip181) {
        if !is_lockable(frame, &sender) {
            reject(frame, transaction, RejectedPegin::LegacyMultisigSender);
        } else if !lock::is_under_cap(frame, amount)? {
            reject(frame, transaction, RejectedPegin::CapSurpassed);
        }
    }
    refund(context, frame, transaction, sender.address, amount)
}

fn reject(frame: &mut Frame<'_>, transaction: &Transaction, reason: RejectedPegin) {
    if frame.active(Rule::Rskip181) {
        events::rejected_pegin(frame, transaction.txid(), reason);
    }
}

/// Refunds if there is a refund address; the transaction is marked as processed in either case.
fn send_back(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    transaction: &Transaction,
    information: &Information,
    amount: i64,
) -> Result<(), ContractError> {
    if let Some(address) = information.refund {
        return refund(context, frame, transaction, address, amount);
    }
    if frame.active(Rule::Rskip181) {
        let reason = match information.version {
            instructions::VERSION => UnrefundablePegin::NoRefundAddress,
            _ => UnrefundablePegin::LegacyUndeterminedSender,
        };
        events::unrefundable_pegin(frame, transaction.txid(), reason);
    }
    mark(frame, transaction.txid())
}

/// True when a peg-in of this sender without instructions is processed.
fn is_processable(frame: &Frame<'_>, sender: &Sender) -> bool {
    sender.kind == SenderKind::PublicKeyHash || frame.active(Rule::Rskip143)
}

/// True when the receiver can be derived from the sender's key.
fn is_lockable(frame: &Frame<'_>, sender: &Sender) -> bool {
    match sender.kind {
        SenderKind::PublicKeyHash => true,
        SenderKind::ScriptOfWitnessKeyHash => frame.active(Rule::Rskip143),
        SenderKind::MultisigScript | SenderKind::WitnessMultisigScript => false,
    }
}

/// True when the whitelist lets the sender lock the amount; a one-off entry is consumed.
fn takes_from_whitelist(
    frame: &mut Frame<'_>,
    sender: &Sender,
    amount: i64,
    height: i32,
) -> Result<bool, ContractError> {
    let whitelist = frame.whitelist()?;
    let allowed = whitelist.allows(&sender.address.hash, amount, height);
    if allowed {
        whitelist.consume(&sender.address.hash);
    }
    Ok(allowed)
}
