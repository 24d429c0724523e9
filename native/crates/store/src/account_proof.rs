//! Proofs of accounts and cells, as eth_getProof answers them (consensus.md §6.8).

use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef, EMPTY_CODE_HASH};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::account::decode_account;
use rhizome_trie::keys;

use crate::state_store::StateStore;

/// An account with the nodes that prove it. Each proof lists serialised trie nodes from the state
/// root to the last one that leads towards the key; [`rhizome_trie::proof::verify_proof`] checks it.
#[derive(Clone, Debug)]
pub struct AccountProof {
    /// The account; None when the proof shows its absence.
    pub account: Option<Account>,
    /// Keccak-256 of the code; of no bytes without code.
    pub code_hash: B256,
    /// Hash of the node at account key ∥ `00`; the empty root without one.
    pub storage_hash: B256,
    /// Proof of the account key.
    pub proof: Vec<Bytes>,
    /// Cells in the order asked for.
    pub cells: Vec<CellProof>,
}

/// A storage cell with the nodes, from the state root on, that prove it.
#[derive(Clone, Debug)]
pub struct CellProof {
    /// Slot.
    pub slot: U256,
    /// Bytes as stored; None when the proof shows its absence.
    pub value: Option<Bytes>,
    /// Proof of the cell key.
    pub proof: Vec<Bytes>,
}

impl StateStore {
    /// Proves an account and some of its cells under a root.
    pub fn proof(
        self: &Arc<Self>,
        root: B256,
        account: &AccountRef,
        slots: &[U256],
    ) -> Result<AccountProof, StateError> {
        let trie = self.trie(root);
        let key = keys::account_key(account);
        let state = trie
            .get(&key)?
            .map(|bytes| decode_account(&bytes))
            .transpose()
            .map_err(|error| StateError::Corrupt { hash: root, reason: format!("account {account:?}: {error}") })?;
        let cells = slots.iter().map(|slot| {
            let key = keys::storage_key(account, slot);
            Ok(CellProof { slot: *slot, value: trie.get(&key)?, proof: trie.prove(&key)? })
        });
        Ok(AccountProof {
            account: state,
            code_hash: trie.value_info(&keys::code_key(account))?.map_or(EMPTY_CODE_HASH, |(hash, _)| hash),
            storage_hash: trie.storage_hash(account)?,
            proof: trie.prove(&key)?,
            cells: cells.collect::<Result<_, StateError>>()?,
        })
    }
}
