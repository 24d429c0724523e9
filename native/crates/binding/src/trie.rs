//! Tries that are not the state: transaction and receipt tries, genesis, and tools.

use napi_derive::napi;
use rhizome_primitives::account::{Account, Balance};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::account;
use rhizome_trie::{Trie, keys, ordered};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid, state};

/// A node of a trie, as [`Unitrie::nodes`] lists it.
#[napi(object)]
pub struct TrieNode {
    /// Path from the root in bits, one byte (0 or 1) each, implicit bits included.
    pub path: Buffer,
    /// Serialisation.
    pub message: Buffer,
    /// Keccak-256 of the serialisation.
    pub hash: Buffer,
    /// True when its parent embeds the node.
    pub embeddable: bool,
    /// Keccak-256 of the value, if it is stored outside the node.
    pub long_value_hash: Option<Buffer>,
    /// Length of the value, if it is stored outside the node.
    pub long_value_length: Option<u32>,
    /// Bytes below the node.
    pub children_size: i64,
}

/// A Unitrie in memory (RSKIP107).
#[napi]
pub struct Unitrie {
    inner: Trie,
}

#[napi]
impl Unitrie {
    /// An empty trie.
    #[napi(constructor)]
    #[allow(clippy::new_without_default, reason = "only JavaScript constructs it")]
    pub fn new() -> Self {
        Self { inner: Trie::in_memory() }
    }

    /// Sets a value; an empty one deletes.
    #[napi(catch_unwind)]
    pub fn put(&mut self, key: Uint8Array, value: Uint8Array) -> Result<()> {
        self.inner.put(&key, Bytes::copy_from_slice(&value)).map_err(state)
    }

    /// Removes a value, if there is one.
    #[napi(catch_unwind)]
    pub fn delete(&mut self, key: Uint8Array) -> Result<()> {
        self.inner.delete(&key).map_err(state)
    }

    /// Removes the node at the key, if it has a value, with everything below it.
    #[napi(catch_unwind)]
    pub fn delete_recursive(&mut self, key: Uint8Array) -> Result<()> {
        self.inner.delete_recursive(&key).map_err(state)
    }

    /// The value at the key; null when there is none.
    #[napi(catch_unwind)]
    pub fn get(&self, key: Uint8Array) -> Result<Option<Buffer>> {
        Ok(self.inner.get(&key).map_err(state)?.map(|value| value.to_vec().into()))
    }

    /// Root hash, 32 bytes.
    #[napi(catch_unwind)]
    pub fn root(&self) -> Buffer {
        self.inner.root().to_vec().into()
    }

    /// Root hash in the format before RSKIP107. `secure` for states, not for transaction and receipt tries.
    #[napi(catch_unwind)]
    pub fn orchid_root(&self, secure: bool) -> Result<Buffer> {
        Ok(self.inner.orchid_root(secure).map_err(state)?.to_vec().into())
    }

    /// Every node in pre-order.
    #[napi(catch_unwind)]
    pub fn nodes(&self) -> Result<Vec<TrieNode>> {
        let entries = self.inner.nodes().map_err(state)?;
        Ok(entries.into_iter().map(trie_node).collect())
    }

    /// Serialised nodes from the one at exactly the key up to the root; null when no node sits there.
    #[napi(catch_unwind)]
    pub fn nodes_to_root(&self, key: Uint8Array) -> Result<Option<Vec<Buffer>>> {
        let nodes = self.inner.nodes_to_root(&key).map_err(state)?;
        Ok(nodes.map(|nodes| nodes.into_iter().map(|node| node.to_vec().into()).collect()))
    }
}

fn trie_node(entry: rhizome_trie::iterate::NodeEntry) -> TrieNode {
    let bits = entry.key.bits();
    let path: Vec<u8> = (0..bits.len()).map(|index| u8::from(bits.bit(index))).collect();
    TrieNode {
        path: path.into(),
        message: entry.message.to_vec().into(),
        hash: entry.hash.to_vec().into(),
        embeddable: entry.embeddable,
        long_value_hash: entry.long_value.map(|(hash, _)| hash.to_vec().into()),
        long_value_length: entry.long_value.map(|(_, length)| length),
        children_size: i64::try_from(entry.children_size).unwrap_or(i64::MAX),
    }
}

/// Root of the trie that maps RLP `int(i)` to the i-th value. `orchid` for blocks before RSKIP126.
#[napi(catch_unwind)]
pub fn ordered_trie_root(values: Vec<Uint8Array>, orchid: bool) -> Result<Buffer> {
    let root: B256 = ordered::ordered_root(&owned(&values), orchid).map_err(state)?;
    Ok(root.to_vec().into())
}

/// Serialised nodes of that trie, from the one of value `index` up to the root; null past the last value.
#[napi(catch_unwind)]
pub fn ordered_trie_nodes(values: Vec<Uint8Array>, index: u32) -> Result<Option<Vec<Buffer>>> {
    let trie = ordered::ordered_trie(&owned(&values)).map_err(state)?;
    let nodes = trie.nodes_to_root(&ordered::ordered_key(index as usize)).map_err(state)?;
    Ok(nodes.map(|nodes| nodes.into_iter().map(|node| node.to_vec().into()).collect()))
}

fn owned(values: &[Uint8Array]) -> Vec<Bytes> {
    values.iter().map(|value| Bytes::copy_from_slice(value)).collect()
}

/// Trie keys of an account and one of its cells (consensus.md §6.4).
#[napi(object)]
pub struct TrieKeys {
    /// Key of the account.
    pub account: Buffer,
    /// Key of its code.
    pub code: Buffer,
    /// Key of its contract marker, prefix of its cells.
    pub storage_prefix: Buffer,
    /// Key of the cell.
    pub storage: Buffer,
}

/// Trie keys of an account (20 bytes, the single zero byte of the REMASC sender, or no bytes) and a cell (up to 32
/// bytes).
#[napi(catch_unwind)]
pub fn trie_keys(address: Uint8Array, slot: Uint8Array) -> Result<TrieKeys> {
    let account = bytes::account(&address)?;
    let slot = bytes::uint("slot", &slot)?;
    Ok(TrieKeys {
        account: keys::account_key(&account).to_vec().into(),
        code: keys::code_key(&account).to_vec().into(),
        storage_prefix: keys::storage_prefix_key(&account).to_vec().into(),
        storage: keys::storage_key(&account, &slot).to_vec().into(),
    })
}

/// The fields of an account value in the trie (consensus.md §6.5).
#[napi(object)]
pub struct AccountFields {
    /// Big-endian, minimal.
    pub nonce: Buffer,
    /// Absolute value of the balance in wei, big-endian, minimal.
    pub balance: Buffer,
    /// True when the balance is below zero.
    pub negative: bool,
    /// Bit 0: hibernated.
    pub flags: u32,
}

/// Reads an account value.
#[napi(catch_unwind)]
pub fn decode_account(value: Uint8Array) -> Result<AccountFields> {
    Ok(account_fields(&account::decode_account(&value).map_err(invalid)?))
}

/// Writes an account value.
#[napi(catch_unwind)]
pub fn encode_account(account: AccountFields) -> Result<Buffer> {
    let balance = Balance::from_magnitude(account.negative, bytes::uint("balance", &account.balance)?);
    let nonce = bytes::uint("nonce", &account.nonce)?;
    Ok(account::encode_account(&Account { nonce, balance, flags: account.flags }).into())
}

pub(crate) fn account_fields(account: &Account) -> AccountFields {
    AccountFields {
        nonce: minimal(account.nonce),
        balance: minimal(account.balance.magnitude()),
        negative: account.balance.is_negative(),
        flags: account.flags,
    }
}

fn minimal(value: U256) -> Buffer {
    value.to_be_bytes_trimmed_vec().into()
}
