//! State root before RSKIP126 (consensus.md §6.9), needed to verify old headers: a trie of accounts
//! with one storage trie per contract, both keyed by full hashes.

use rhizome_primitives::account::{Account, AccountRef, EMPTY_CODE_HASH};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256, rlp};

use crate::keccak256;
use crate::trie::Trie;

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
        let mut storage = Trie::in_memory();
        for (slot, value) in account.cells {
            storage.put(keccak256(B256::from(slot).as_slice()).as_slice(), value)?;
        }
        let mut payload = Vec::with_capacity(110);
        rlp::write_uint(&mut payload, account.state.nonce);
        rlp::write_uint(&mut payload, account.state.balance);
        rlp::write_bytes(&mut payload, storage.orchid_root(true)?.as_slice());
        rlp::write_bytes(&mut payload, account.code_hash.unwrap_or(EMPTY_CODE_HASH).as_slice());
        trie.put(keccak256(account.account.as_bytes()).as_slice(), rlp::list(&payload).into())?;
    }
    trie.orchid_root(true)
}
