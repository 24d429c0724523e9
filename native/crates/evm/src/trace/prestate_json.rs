//! The JSON of touched accounts.

use std::collections::BTreeMap;

use rhizome_primitives::{Address, Bytes, U256};

use super::json::JsonWriter;
use super::prestate_accounts::{AccountChange, AccountState};

/// The fields of an account that are written.
pub(crate) trait AccountFields {
    /// Balance, nonce, code; None is left out.
    fn fields(&self) -> (Option<U256>, Option<U256>, Option<&Bytes>);
    fn storage(&self) -> &BTreeMap<U256, U256>;
}

impl AccountFields for AccountState {
    fn fields(&self) -> (Option<U256>, Option<U256>, Option<&Bytes>) {
        let nonce = (!self.nonce.is_zero()).then_some(self.nonce);
        (Some(self.balance), nonce, (!self.code.is_empty()).then_some(&self.code))
    }

    fn storage(&self) -> &BTreeMap<U256, U256> {
        &self.storage
    }
}

impl AccountFields for AccountChange {
    fn fields(&self) -> (Option<U256>, Option<U256>, Option<&Bytes>) {
        (self.balance, self.nonce, self.code.as_ref())
    }

    fn storage(&self) -> &BTreeMap<U256, U256> {
        &self.storage
    }
}

/// Writes accounts as an object by address.
pub(crate) fn write_accounts<T: AccountFields>(json: &mut JsonWriter, accounts: &BTreeMap<Address, T>) {
    json.raw("{");
    let mut first_account = true;
    for (address, account) in accounts {
        json.separate(&mut first_account);
        json.address(address);
        json.raw(":{");
        let mut first = true;
        let (balance, nonce, code) = account.fields();
        if let Some(balance) = balance {
            json.separate(&mut first);
            json.raw("\"balance\":");
            json.quantity(balance);
        }
        if let Some(nonce) = nonce {
            json.separate(&mut first);
            json.raw("\"nonce\":");
            json.number(nonce.saturating_to());
        }
        if let Some(code) = code {
            json.separate(&mut first);
            json.raw("\"code\":");
            json.data(code);
        }
        if !account.storage().is_empty() {
            json.separate(&mut first);
            json.raw("\"storage\":{");
            let mut first_cell = true;
            for (slot, word) in account.storage() {
                json.separate(&mut first_cell);
                json.data(&slot.to_be_bytes::<32>());
                json.raw(":");
                json.data(&word.to_be_bytes::<32>());
            }
            json.raw("}");
        }
        json.raw("}");
    }
    json.raw("}");
}
