//! Recorded pre-states as change sets.

use rhizome_primitives::account::{Account, AccountRef, Balance};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, U256};
use serde_json::Value;

use crate::support::{address, bytes, quantity};

/// The changes that build the `pre` map, optionally with the accounts of active precompiled contracts.
pub(crate) fn pre_state(pre: &Value, precompiles: Option<&[Value]>) -> WriteSet {
    let mut writes = WriteSet::default();
    let pre = pre.as_object().expect("accounts");
    let given: Vec<Address> = pre.keys().map(|key| key.parse().expect("an address")).collect();
    for precompile in precompiles.into_iter().flatten().map(address) {
        writes.markers.push(precompile.into());
        if !given.contains(&precompile) {
            writes.accounts.push((precompile.into(), Account::default()));
        }
    }
    for (id, account) in given.into_iter().map(AccountRef::from).zip(pre.values()) {
        let (nonce, balance) = (quantity(&account["nonce"]), signed(&account["balance"]));
        writes.accounts.push((id, Account { nonce, balance, flags: 0 }));
        if account["contract"] == true && !writes.markers.contains(&id) {
            writes.markers.push(id);
        }
        if !account["code"].is_null() {
            writes.code.push((id, bytes(&account["code"])));
        }
        for (key, value) in account["storage"].as_object().into_iter().flatten() {
            let key = U256::from_be_slice(&rhizome_primitives::hex::decode(key).expect("a slot"));
            writes.storage.push((id, key, Some(bytes(value))));
        }
    }
    writes
}

/// A quantity that may be negative.
fn signed(value: &Value) -> Balance {
    match value.as_str().and_then(|text| text.strip_prefix('-')) {
        Some(magnitude) => Balance::from_magnitude(true, magnitude.parse().expect("a number")),
        None => quantity(value).into(),
    }
}
