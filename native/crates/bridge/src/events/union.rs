//! Events of the union bridge (RSKIP502).

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::{Address, U256};

use super::emit;
use crate::storage::Frame;

/// `union_bridge_locking_cap_increased`; wei.
pub(crate) fn union_locking_cap_increased(frame: &mut Frame<'_>, caller: Address, previous: U256, cap: U256) {
    let signature = "union_bridge_locking_cap_increased(address,uint256,uint256)";
    emit(frame, signature, &[AbiValue::Address(caller)], &[AbiValue::Int(previous), AbiValue::Int(cap)]);
}

/// `union_rbtc_requested`; wei.
pub(crate) fn union_rbtc_requested(frame: &mut Frame<'_>, requester: Address, wei: U256) {
    emit(frame, "union_rbtc_requested(address,uint256)", &[AbiValue::Address(requester)], &[AbiValue::Int(wei)]);
}

/// `union_rbtc_released`; wei.
pub(crate) fn union_rbtc_released(frame: &mut Frame<'_>, receiver: Address, wei: U256) {
    emit(frame, "union_rbtc_released(address,uint256)", &[AbiValue::Address(receiver)], &[AbiValue::Int(wei)]);
}

/// `union_bridge_transfer_permissions_updated`.
pub(crate) fn union_permissions_updated(frame: &mut Frame<'_>, caller: Address, request: bool, release: bool) {
    let signature = "union_bridge_transfer_permissions_updated(address,bool,bool)";
    emit(frame, signature, &[AbiValue::Address(caller)], &[AbiValue::Bool(request), AbiValue::Bool(release)]);
}
