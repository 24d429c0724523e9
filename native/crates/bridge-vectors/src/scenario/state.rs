//! Recorded states and changes as change sets.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, Bytes, U256};
use rhizome_trie::account::decode_account;
use rhizome_trie::keys::{ACCOUNT_KEY, HASH_PREFIX};
use serde_json::Value;

use crate::hex::{address, bytes, quantity};

const STORAGE: u8 = 0x00;
const CODE: u8 = 0x80;

/// The changes that build a state from trie keys and values, `[[key, value], …]`.
pub(super) fn pre_state(pre_trie: &Value) -> Result<WriteSet, String> {
    let mut writes = WriteSet::default();
    for entry in pre_trie.as_array().ok_or("no state")? {
        let (key, value) = (bytes(&entry[0]), bytes(&entry[1]));
        let Some((account, rest)) = key.split_at_checked(ACCOUNT_KEY) else {
            return Err(format!("not a key of an account: {}", entry[0]));
        };
        let account = AccountRef::from(Address::from_slice(&account[1 + HASH_PREFIX..]));
        match rest {
            [] => {
                let decoded = decode_account(&value).map_err(|error| format!("account {}: {error}", entry[0]))?;
                writes.accounts.push((account, decoded));
            }
            [CODE] => writes.code.push((account, value.into())),
            [STORAGE] => writes.markers.push(account),
            [STORAGE, cell @ ..] if cell.len() > HASH_PREFIX => {
                let slot = U256::from_be_slice(&cell[HASH_PREFIX..]);
                writes.storage.push((account, slot, Some(value.into())));
            }
            _ => return Err(format!("not a key of a state: {}", entry[0])),
        }
    }
    Ok(writes)
}

/// The recorded changes of a transaction; `read` returns accounts before it.
pub(super) fn recorded_changes(
    changes: &Value,
    bridge: Address,
    read: impl Fn(&AccountRef) -> rhizome_primitives::account::Account,
) -> WriteSet {
    let mut writes = WriteSet::default();
    for (name, fields) in changes["accounts"].as_object().into_iter().flatten() {
        let Ok(account) = name.parse::<Address>().map(AccountRef::from) else { continue };
        let mut value = read(&account);
        value.balance = quantity(&fields["balance"]).into();
        value.nonce = quantity(&fields["nonce"]);
        writes.accounts.push((account, value));
    }
    for (word, value) in changes["bridgeCells"].as_object().into_iter().flatten() {
        writes.storage.push((bridge.into(), cell_word(word), cell_value(value)));
    }
    for (name, fields) in changes["other"].as_object().into_iter().flatten() {
        let account = AccountRef::from(address(&Value::String(name.clone())));
        for (word, value) in fields.as_object().into_iter().flatten() {
            match word.as_str() {
                "storageRootMarker" => writes.markers.push(account),
                "code" => writes.code.push((account, bytes(value).into())),
                _ => writes.storage.push((account, cell_word(word), cell_value(value))),
            }
        }
    }
    writes
}

pub(super) fn cell_word(word: &str) -> U256 {
    U256::from_be_slice(&bytes(&Value::String(word.to_owned())))
}

pub(super) fn cell_value(value: &Value) -> Option<Bytes> {
    (!value.is_null()).then(|| bytes(value).into())
}
