//! Peg-out requests: value that is sent to the Bridge (bridge.md §4.3).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_crypto::{RecoveredKey, hash160, recover_public_key};
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::estimate::fee;
use crate::address::ADDRESS;
use crate::events::pegout::{RejectedRequest, release_request_received, release_request_rejected};
use crate::money::{satoshi, wei};
use crate::storage::Frame;
use crate::storage::requests::ReleaseRequest;
use crate::wallet::size::pegout_size;

/// Inputs and outputs of the peg-out whose fee must be covered (RSKIP219).
const REGULAR_INPUTS: usize = 2;
const REGULAR_OUTPUTS: usize = 2;

/// Queues a payment of the value to the key that signed the transaction, or rejects it. Rejected value is refunded from
/// RSKIP185 on, but not to contracts.
///
/// # Errors
/// [`ContractError::Failed`] for a contract before RSKIP185, and for an unsigned call.
pub(crate) fn release(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), ContractError> {
    if context.from_contract {
        if !frame.active(Rule::Rskip185) {
            return Err(ContractError::Failed("a contract cannot call releaseBtc".into()));
        }
        release_request_rejected(frame, context.sender, context.value, RejectedRequest::CallerContract);
        return Ok(());
    }
    let destination = destination(context)?;
    let amount = satoshi(context.value);
    match rejection(frame, amount)? {
        None => {
            let transaction_hash = frame.active(Rule::Rskip146).then_some(context.transaction_hash);
            frame.requests()?.push(ReleaseRequest { destination, amount, transaction_hash });
            if frame.active(Rule::Rskip185) {
                let version = frame.bridge().bitcoin.address_version;
                let address = BitcoinAddress { version, hash: destination };
                release_request_received(frame, context.sender, address, context.value);
            }
        }
        Some(reason) if frame.active(Rule::Rskip185) => {
            // Refunds are in whole satoshi before RSKIP427.
            let refund = if frame.active(Rule::Rskip427) { context.value } else { wei(amount) };
            frame.state.transfer(ADDRESS, context.sender.into(), refund)?;
            release_request_rejected(frame, context.sender, context.value, reason);
        }
        Some(_) => {}
    }
    Ok(())
}

/// Hash of the signer's compressed public key.
fn destination(context: &ContractContext<'_>) -> Result<[u8; 20], ContractError> {
    let unsigned = || ContractError::Failed("there is no signature to pay to".into());
    let signed = context.signature.filter(|_| !context.local_call).ok_or_else(unsigned)?;
    match recover_public_key(&signed.hash, signed.parity, &signed.r, &signed.s).ok_or_else(unsigned)? {
        RecoveredKey::Point(point) => {
            let mut compressed = [0; 33];
            compressed[0] = 2 + (point[63] & 1);
            compressed[1..].copy_from_slice(&point[..32]);
            Ok(hash160(&compressed))
        }
        RecoveredKey::Infinity => Ok(hash160(&[0])),
    }
}

/// True when the amount is too small. Before RSKIP219 it must exceed the minimum; afterwards it must reach the minimum,
/// and the expected fee plus the required gap.
fn rejection(frame: &mut Frame<'_>, amount: i64) -> Result<Option<RejectedRequest>, ContractError> {
    let spec = frame.bridge();
    if !frame.active(Rule::Rskip219) {
        return Ok((amount <= spec.minimum_pegout.legacy as i64).then_some(RejectedRequest::LowAmount));
    }
    let federation = frame.active_federation()?;
    let size = pegout_size(frame.rules, &federation, REGULAR_INPUTS, REGULAR_OUTPUTS)?;
    let fee = fee(frame.fee_per_kb()?, size)?;
    let gap = fee.checked_mul(spec.pegout_fee_gap_percentage as i64).map(|gap| gap / 100);
    let needed = gap.and_then(|gap| fee.checked_add(gap));
    let needed = needed.ok_or_else(|| ContractError::Failed("the fee overflows".into()))?;
    let minimum = needed.max(spec.minimum_pegout.rskip219 as i64);
    if amount >= minimum {
        return Ok(None);
    }
    Ok(Some(if minimum == needed { RejectedRequest::FeeAboveValue } else { RejectedRequest::LowAmount }))
}
