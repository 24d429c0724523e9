//! State root before RSKIP126 (consensus.md §6.9), needed to verify old headers: a trie of accounts
//! with one storage trie per contract, both keyed by full hashes.

use std::ops::ControlFlow;

use rhizome_primitives::account::{Account, AccountRef, EMPTY_CODE_HASH};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256, rlp};

use crate::account::decode_account;
use crate::orchid::OrchidValue;
use crate::orchid_stream::OrchidStream;
use crate::storage_cells::slot_of;
use crate::trie::Trie;
use crate::{Value, keccak256, keys};

/// An account with the fields that enter the orchid state root.
#[derive(Clone, Debug)]
pub struct OrchidAccount {
    /// Identity.
    pub account: AccountRef,
    /// Nonce and balance; a negative balance has no orchid encoding.
    pub state: Account,
    /// Keccak-256 of the code, None without code.
    pub code_hash: Option<B256>,
    /// Storage cells with the bytes as stored, without the contract marker.
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
        storage.put(cell_key(slot).as_slice(), value)?;
    }
    let value = account_value(&account.state, storage.orchid_root(true)?, account.code_hash);
    trie.put(keccak256(account.account.as_bytes()).as_slice(), value)
}

fn cell_key(slot: U256) -> B256 {
    keccak256(B256::from(slot).as_slice())
}

fn account_value(state: &Account, storage_root: B256, code_hash: Option<B256>) -> Bytes {
    let mut payload = Vec::with_capacity(110);
    rlp::write_uint(&mut payload, state.nonce);
    rlp::write_uint(&mut payload, state.balance.word());
    rlp::write_bytes(&mut payload, storage_root.as_slice());
    rlp::write_bytes(&mut payload, code_hash.unwrap_or(EMPTY_CODE_HASH).as_slice());
    rlp::list(&payload).into()
}

/// An account whose cells and code are being read.
struct Reading {
    account: AccountRef,
    state: Account,
    code_hash: Option<B256>,
    storage: OrchidStream,
}

fn add_account(accounts: &mut OrchidStream, read: Option<Reading>) -> Result<(), StateError> {
    let Some(read) = read else { return Ok(()) };
    let value = account_value(&read.state, read.storage.root()?, read.code_hash);
    accounts.add(keccak256(read.account.as_bytes()), OrchidValue::of(&Value::new(value)?))
}

impl Trie {
    /// Orchid root of the state in this Unitrie; None when it was interrupted. Reads every node, but of the values
    /// longer than 32 bytes only accounts. Memory holds the nodes between the root and the current node, in both
    /// formats: some 100 KiB at any size of state.
    pub fn orchid_state_root(&self, interrupt: &Interrupt) -> Result<Option<B256>, StateError> {
        let mut accounts = OrchidStream::default();
        let mut current: Option<Reading> = None;
        let mut interrupted = false;
        self.walk(&mut |path, node| {
            if interrupt.raised() {
                interrupted = true;
                return Ok(ControlFlow::Break(()));
            }
            if node.value().is_none() {
                return Ok(ControlFlow::Continue(()));
            }
            let key = path.as_bytes();
            if let Some(account) = account_of(key) {
                add_account(&mut accounts, current.take())?;
                let value = node.value().load(&**self.source())?.unwrap_or_default();
                let corrupt = |error| StateError::Corrupt { hash: node.hash(), reason: format!("account: {error}") };
                let state = decode_account(&value).map_err(corrupt)?;
                current = Some(Reading { account, state, code_hash: None, storage: OrchidStream::default() });
            } else if let Some(owner) = &mut current {
                // Pre-order: an account comes before its marker, cells and code.
                let prefix = keys::storage_prefix_key(&owner.account);
                if key == &keys::code_key(&owner.account)[..] {
                    owner.code_hash = node.value().hash();
                } else if key.len() > prefix.len() && key.starts_with(&prefix) {
                    let corrupt = || StateError::Corrupt { hash: node.hash(), reason: "no storage cell's path".into() };
                    let slot = slot_of(path, prefix.len()).ok_or_else(corrupt)?;
                    owner.storage.add(cell_key(slot), OrchidValue::of(node.value()))?;
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if interrupted {
            return Ok(None);
        }
        add_account(&mut accounts, current)?;
        accounts.root().map(Some)
    }
}

/// The account whose node sits at a key; None when the key is another item's.
fn account_of(key: &[u8]) -> Option<AccountRef> {
    let account = match key.get(1 + keys::HASH_PREFIX..)? {
        [] => AccountRef::NoAddress,
        [0] => AccountRef::RemascSender,
        address => AccountRef::Address(Address::try_from(address).ok()?),
    };
    (keys::account_key(&account)[..] == *key).then_some(account)
}
