//! Proofs of accounts and cells, as eth_getProof answers them (consensus.md §6.8).

use rhizome_primitives::account::{Account, AccountRef, EMPTY_CODE_HASH};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::account::decode_account;
use rhizome_trie::bits::Bits;
use rhizome_trie::lookup::{find, find_node};
use rhizome_trie::proof::prove_stored;
use rhizome_trie::{EMPTY_ROOT, Location, NodeSource, keys};

use crate::memory_nodes::MemoryNodes;
use crate::state_store::StateStore;

/// An account with the nodes that prove it. Each proof lists serialised trie nodes from the state
/// root to the last one that leads towards the key; [`rhizome_trie::proof::verify_proof`] checks it.
#[derive(Clone, Debug)]
pub struct AccountProof {
    /// The account; None when the proof shows its absence.
    pub account: Option<Account>,
    /// Keccak-256 of the code; of the empty string without code.
    pub code_hash: B256,
    /// Hash of the node at account key ∥ `00`; the empty root without one.
    pub storage_hash: B256,
    /// Proof of the account key.
    pub proof: Vec<Bytes>,
    /// Cells in the requested order.
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
    pub fn proof(&self, root: B256, account: &AccountRef, slots: &[U256]) -> Result<AccountProof, StateError> {
        prove(self, root, account, slots)
    }

    /// Like [`Self::proof`], from memory alone: missing nodes give [`StateError::MissingNode`]. For threads that must
    /// not wait for the disk.
    pub fn memory_proof(&self, root: B256, account: &AccountRef, slots: &[U256]) -> Result<AccountProof, StateError> {
        prove(&MemoryNodes(self), root, account, slots)
    }
}

fn prove(
    source: &dyn NodeSource,
    root: B256,
    account: &AccountRef,
    slots: &[U256],
) -> Result<AccountProof, StateError> {
    let (value, proof) = prove_stored(source, &root, &keys::account_key(account))?;
    let state = value
        .load(source)?
        .map(|bytes| decode_account(&bytes))
        .transpose()
        .map_err(|error| StateError::Corrupt { hash: root, reason: format!("account {account:?}: {error}") })?;
    let code = keys::code_key(account);
    let code = find(source, &root, Location::UNKNOWN, Bits::of_key(&code))?;
    let cells = slots.iter().map(|slot| {
        let (value, proof) = prove_stored(source, &root, &keys::storage_key(account, slot))?;
        Ok(CellProof { slot: *slot, value: value.load(source)?, proof })
    });
    // The node of the contract marker, below which the cells hang.
    let storage = find_node(source, &root, Bits::of_key(&keys::storage_prefix_key(account)))?;
    Ok(AccountProof {
        account: state,
        code_hash: code.hash().unwrap_or(EMPTY_CODE_HASH),
        storage_hash: storage.unwrap_or(EMPTY_ROOT),
        proof,
        cells: cells.collect::<Result<_, StateError>>()?,
    })
}
