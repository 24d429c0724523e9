//! Events of peg-ins.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::{Address, B256};

use super::emit;
use crate::storage::Frame;

/// Reason why a peg-in was rejected (bridge.md §1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RejectedPegin {
    CapSurpassed = 1,
    LegacyMultisigSender = 2,
    LegacyUndeterminedSender = 3,
    InvalidPayload = 4,
    InvalidAmount = 5,
}

/// Reason why a rejected peg-in was not sent back (bridge.md §1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnrefundablePegin {
    LegacyUndeterminedSender = 1,
    NoRefundAddress = 2,
    InvalidAmount = 3,
    DifferentFederationTypes = 4,
}

/// `lock_btc`, from RSKIP146 to RSKIP170; sender in Base58, amount in satoshi.
pub(crate) fn lock_btc(frame: &mut Frame<'_>, receiver: Address, transaction: B256, sender: &str, satoshi: i64) {
    let data = [AbiValue::Bytes32(transaction), AbiValue::String(sender.to_owned()), AbiValue::int(satoshi)];
    emit(frame, "lock_btc(address,bytes32,string,int256)", &[AbiValue::Address(receiver)], &data);
}

/// `pegin_btc` (RSKIP170); `version` is that of the peg-in instructions.
pub(crate) fn pegin_btc(frame: &mut Frame<'_>, receiver: Address, transaction: B256, satoshi: i64, version: i32) {
    let indexed = [AbiValue::Address(receiver), AbiValue::Bytes32(transaction)];
    let data = [AbiValue::int(satoshi), AbiValue::int(i64::from(version))];
    emit(frame, "pegin_btc(address,bytes32,int256,int256)", &indexed, &data);
}

/// `rejected_pegin` (RSKIP181).
pub(crate) fn rejected_pegin(frame: &mut Frame<'_>, transaction: B256, reason: RejectedPegin) {
    let data = [AbiValue::int(reason as i64)];
    emit(frame, "rejected_pegin(bytes32,int256)", &[AbiValue::Bytes32(transaction)], &data);
}

/// `unrefundable_pegin` (RSKIP181).
pub(crate) fn unrefundable_pegin(frame: &mut Frame<'_>, transaction: B256, reason: UnrefundablePegin) {
    let data = [AbiValue::int(reason as i64)];
    emit(frame, "unrefundable_pegin(bytes32,int256)", &[AbiValue::Bytes32(transaction)], &data);
}
