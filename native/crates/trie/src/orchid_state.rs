//! State root before RSKIP126 (consensus.md §6.9), needed to verify old headers: a trie of accounts
//! with one storage trie per contract, both keyed by full hashes.

use std::ops::ControlFlow;

use rhizome_primitives::account::{Account, AccountRef, EMPTY_CODE_HASH};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256, rlp};

use crate::account::decode_account;
use crate::storage_cells::slot_of;
use crate::trie::Trie;
use crate::{keccak256, keys};

/// An account with what the orchid state root says about it.
#[derive(Clone, Debug)]
pub struct OrchidAccount {
    /// Identity.
    pub account: AccountRef,
    /// Nonce and balance; a negative balance has no orchid encoding.
    pub state: Account,
    /// Keccak-256 of the code, None without code.
    pub code_hash: Option<B256>,
    /// Storage cells with the bytes as stored. The contract marker is not part of it.
    pub cells: Vec<(U256, Bytes)>,
}

/// Orchid state root over all accounts, in any order.
pub fn orchid_state_root(accounts: impl IntoIterator<Item = OrchidAccount>) -> Result<B256, StateError> {
    let mut trie = Trie::in_memory();
    for account in accounts {
        put_account(&mut trie, account)?;
    }
    trie.orchid_root(true)
}

fn put_account(trie: &mut Trie, account: OrchidAccount) -> Result<(), StateError> {
    let mut storage = Trie::in_memory();
    for (slot, value) in account.cells {
        storage.put(keccak256(B256::from(slot).as_slice()).as_slice(), value)?;
    }
    let mut payload = Vec::with_capacity(110);
    rlp::write_uint(&mut payload, account.state.nonce);
    rlp::write_uint(&mut payload, account.state.balance);
    rlp::write_bytes(&mut payload, storage.orchid_root(true)?.as_slice());
    rlp::write_bytes(&mut payload, account.code_hash.unwrap_or(EMPTY_CODE_HASH).as_slice());
    trie.put(keccak256(account.account.as_bytes()).as_slice(), rlp::list(&payload).into())
}

impl Trie {
    /// Orchid root of the state that this Unitrie holds. Reads all of it; in memory are the accounts
    /// and, one contract at a time, its cells.
    pub fn orchid_state_root(&self) -> Result<B256, StateError> {
        let mut accounts = Trie::in_memory();
        let mut current: Option<OrchidAccount> = None;
        self.walk(&mut |path, node| {
            if node.value().is_none() {
                return Ok(ControlFlow::Continue(()));
            }
            let key = path.as_bytes();
            if let Some(account) = account_of(key) {
                if let Some(done) = current.take() {
                    put_account(&mut accounts, done)?;
                }
                let value = node.value().load(&**self.source())?.unwrap_or_default();
                let corrupt = |error| StateError::Corrupt { hash: node.hash(), reason: format!("account: {error}") };
                let state = decode_account(&value).map_err(corrupt)?;
                current = Some(OrchidAccount { account, state, code_hash: None, cells: Vec::new() });
            } else if let Some(owner) = &mut current {
                // Pre-order: an account comes before its marker, cells and code.
                let prefix = keys::storage_prefix_key(&owner.account);
                if key == &keys::code_key(&owner.account)[..] {
                    owner.code_hash = node.value().hash();
                } else if key.len() > prefix.len() && key.starts_with(&prefix) {
                    let corrupt = || StateError::Corrupt { hash: node.hash(), reason: "no storage cell's path".into() };
                    let slot = slot_of(path, prefix.len()).ok_or_else(corrupt)?;
                    owner.cells.extend(node.value().load(&**self.source())?.map(|value| (slot, value)));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if let Some(done) = current {
            put_account(&mut accounts, done)?;
        }
        accounts.orchid_root(true)
    }
}

/// The account whose node sits at a key; None when the key is another item's.
fn account_of(key: &[u8]) -> Option<AccountRef> {
    let account = match key.get(1 + keys::HASH_PREFIX..)? {
        [0] => AccountRef::RemascSender,
        address => AccountRef::Address(Address::try_from(address).ok()?),
    };
    (keys::account_key(&account)[..] == *key).then_some(account)
}
