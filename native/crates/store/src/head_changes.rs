//! Changes from one state to another, by account, as the table of the head takes them.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::account::encode_account;
use rhizome_trie::keccak256;
use rhizome_trie::keys::Item;

/// Longest value that a row of the table holds itself; a longer one is found by its hash.
pub(crate) const MAX_ROW_VALUE_BYTES: usize = 128;

/// Value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellValue {
    /// Its bytes.
    Here(Bytes),
    /// Hash and length of a long one.
    Apart(B256, u32),
}

impl CellValue {
    /// None for no bytes, which is no cell.
    pub(crate) fn of(value: Option<&Bytes>) -> Option<Self> {
        match value {
            Some(bytes) if bytes.len() > MAX_ROW_VALUE_BYTES => Some(Self::Apart(keccak256(bytes), bytes.len() as u32)),
            // Bytes of its own, not a slice that would hold a whole node in memory.
            Some(bytes) if !bytes.is_empty() => Some(Self::Here(Bytes::copy_from_slice(bytes))),
            _ => None,
        }
    }
}

/// Changes of an account. A member that is None did not change; the one inside says whether there is a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountChange {
    /// True when everything that the account had before is gone; the other members came after.
    pub(crate) reset: bool,
    /// The trie's value of the account.
    pub(crate) account: Option<Option<Bytes>>,
    /// Hash and length of its code.
    pub(crate) code: Option<Option<(B256, u32)>>,
    /// True when it has the contract marker; None where that did not change.
    pub(crate) marker: Option<bool>,
    pub(crate) cells: HashMap<U256, Option<CellValue>, RandomState>,
}

impl AccountChange {
    fn reset() -> Self {
        Self { reset: true, ..Self::default() }
    }

    /// Rows that it concerns, roughly.
    fn rows(&self) -> usize {
        1 + self.cells.len()
    }
}

/// Changes from one state to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadChanges {
    pub(crate) accounts: HashMap<AccountRef, AccountChange, RandomState>,
}

impl HeadChanges {
    /// Changes that a write set makes. `exists` says whether the account that is to be deleted exists: a deletion of
    /// one that does not changes nothing (consensus.md §6.3).
    pub(crate) fn of<E>(changes: &WriteSet, exists: impl Fn(&AccountRef) -> Result<bool, E>) -> Result<Self, E> {
        let mut all = Self::default();
        for account in &changes.deleted {
            if exists(account)? {
                all.accounts.insert(*account, AccountChange::reset());
            }
        }
        for (account, state) in &changes.accounts {
            all.of_account(account).account = Some(Some(encode_account(state).into()));
        }
        for (account, code) in &changes.code {
            let info = (!code.is_empty()).then(|| (keccak256(code), code.len() as u32));
            all.of_account(account).code = Some(info);
        }
        for account in &changes.markers {
            all.of_account(account).marker = Some(true);
        }
        for (account, slot, value) in &changes.storage {
            all.of_account(account).cells.insert(*slot, CellValue::of(value.as_ref()));
        }
        Ok(all)
    }

    /// Adds the value that an item has in the later state.
    pub(crate) fn put(&mut self, account: &AccountRef, item: Item, value: ItemValue) {
        let change = self.of_account(account);
        match (item, value) {
            (Item::Account, ItemValue::Bytes(bytes)) => change.account = Some(bytes),
            (Item::Code, ItemValue::Code(info)) => change.code = Some(info),
            (Item::Marker, ItemValue::Marker(is_set)) => change.marker = Some(is_set),
            (Item::Cell(slot), ItemValue::Cell(value)) => {
                change.cells.insert(slot, value);
            }
            (item, value) => debug_assert!(false, "{item:?} has no {value:?}"),
        }
    }

    /// Rows of the table that it concerns, roughly.
    pub(crate) fn rows(&self) -> usize {
        self.accounts.values().map(AccountChange::rows).sum()
    }

    fn of_account(&mut self, account: &AccountRef) -> &mut AccountChange {
        self.accounts.entry(*account).or_default()
    }
}

/// Value of an item of a state, as [`HeadChanges::put`] takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemValue {
    Bytes(Option<Bytes>),
    Code(Option<(B256, u32)>),
    Marker(bool),
    Cell(Option<CellValue>),
}
