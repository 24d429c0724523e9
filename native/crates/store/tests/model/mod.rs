//! A naive state to compare with, and random changes to it.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef, Balance};
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::keccak256;

pub(crate) const ACCOUNTS: u8 = 4;
pub(crate) const SLOTS: u64 = 5;

/// So small that nearly every node is read from the log.
pub(crate) const SMALL: StoreOptions = StoreOptions {
    node_cache_bytes: 64 * 300,
    code_cache_bytes: 1 << 20,
    head_cache_bytes: 64 * 300,
    parsed_log_bytes: 2 << 10,
    map_bytes: 1 << 28,
    read_only: false,
};

/// Runs the test `crashing_writer` in a process of its own, with the folder in the variable that is named and the roots
/// of the chain as its input. It is killed so long after it wrote `blocks` more, which are added to the chain.
pub(crate) fn run_until_killed(variable: &str, folder: &Path, chain: &mut Vec<B256>, blocks: usize, pause: Duration) {
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crashing_writer", "--nocapture"])
        .env(variable, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    {
        let mut known = writer.stdin.take().unwrap();
        for root in &*chain {
            writeln!(known, "{root}").unwrap();
        }
    }
    let end = chain.len() + blocks;
    for line in BufReader::new(writer.stdout.take().unwrap()).lines() {
        if let Some(root) = line.unwrap().strip_prefix("committed ") {
            chain.push(root.parse().unwrap());
        }
        if chain.len() == end {
            // Anywhere between two commits.
            std::thread::sleep(pause);
            writer.kill().unwrap();
        }
    }
    writer.wait().unwrap();
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) accounts: BTreeMap<AccountRef, Account>,
    pub(crate) code: BTreeMap<AccountRef, Bytes>,
    pub(crate) markers: BTreeSet<AccountRef>,
    pub(crate) cells: BTreeMap<(AccountRef, U256), Bytes>,
}

pub(crate) fn account(index: u8) -> AccountRef {
    if index == 0 { AccountRef::RemascSender } else { AccountRef::Address(Address::with_last_byte(index)) }
}

/// Adds changes to a state and makes it the head.
pub(crate) fn extend(store: &Arc<StateStore>, parent: B256, changes: &WriteSet) -> B256 {
    let applied = store.apply(parent, changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.set_head(root, Some((&parent, changes)));
    root
}

impl Model {
    pub(crate) fn apply(&mut self, changes: &WriteSet) {
        for account in &changes.deleted {
            if self.accounts.remove(account).is_some() {
                self.code.remove(account);
                self.markers.remove(account);
                self.cells.retain(|(owner, _), _| owner != account);
            }
        }
        self.accounts.extend(changes.accounts.iter().copied());
        for (account, code) in &changes.code {
            if code.is_empty() {
                self.code.remove(account)
            } else {
                self.code.insert(*account, code.clone())
            };
        }
        self.markers.extend(&changes.markers);
        for (account, slot, value) in &changes.storage {
            match value.as_ref().filter(|value| !value.is_empty()) {
                Some(value) => self.cells.insert((*account, *slot), value.clone()),
                None => self.cells.remove(&(*account, *slot)),
            };
        }
    }

    /// Checks that everything the reader returns is what the model holds.
    pub(crate) fn check(&self, reader: &dyn StateReader) -> Result<(), TestCaseError> {
        for index in 0..ACCOUNTS {
            let account = account(index);
            let code = self.code.get(&account).cloned().unwrap_or_default();
            prop_assert_eq!(reader.code(&account).unwrap(), code);
        }
        self.check_rows(reader)
    }

    /// The same without code, which a thread that must not wait for the disk may not get.
    pub(crate) fn check_rows(&self, reader: &dyn StateReader) -> Result<(), TestCaseError> {
        for index in 0..ACCOUNTS {
            let account = account(index);
            prop_assert_eq!(reader.account(&account).unwrap(), self.accounts.get(&account).copied());
            let code = self.code.get(&account).cloned().unwrap_or_default();
            let info = (!code.is_empty()).then(|| (keccak256(&code), code.len() as u32));
            prop_assert_eq!(reader.code_info(&account).unwrap(), info);
            prop_assert_eq!(reader.is_contract(&account).unwrap(), self.markers.contains(&account));
            for slot in (0..SLOTS).map(U256::from) {
                prop_assert_eq!(reader.storage(&account, &slot).unwrap(), self.cells.get(&(account, slot)).cloned());
            }
        }
        Ok(())
    }
}

pub(crate) fn changes() -> impl Strategy<Value = WriteSet> {
    let who = 0..ACCOUNTS;
    let bytes = || prop_oneof![prop::collection::vec(any::<u8>(), 0..4), prop::collection::vec(any::<u8>(), 30..80)];
    (
        prop::collection::btree_set(who.clone(), 0..2),
        prop::collection::btree_map(who.clone(), (any::<u64>(), any::<i64>()), 0..4),
        prop::collection::btree_map(who.clone(), bytes(), 0..2),
        prop::collection::btree_set(who.clone(), 0..2),
        prop::collection::btree_map((who, 0..SLOTS), prop::option::of(bytes()), 0..6),
    )
        .prop_map(|(deleted, accounts, code, markers, storage)| WriteSet {
            deleted: deleted.into_iter().map(account).collect(),
            accounts: accounts
                .into_iter()
                .map(|(index, (nonce, balance))| (account(index), state(nonce, balance)))
                .collect(),
            code: code.into_iter().map(|(index, code)| (account(index), code.into())).collect(),
            markers: markers.into_iter().map(account).collect(),
            storage: storage
                .into_iter()
                .map(|((index, slot), value)| (account(index), U256::from(slot), value.map(Bytes::from)))
                .collect(),
        })
}

fn state(nonce: u64, balance: i64) -> Account {
    let balance = Balance::from_magnitude(balance < 0, U256::from(balance.unsigned_abs()));
    Account { nonce: U256::from(nonce), balance, flags: 0 }
}
