//! The state store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_answers::proof_text;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, UncleMetadata};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_store::CheckProgress;

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid, state};
use crate::trie::{AccountFields, account_fields};

/// Sizes of caches and of the memory map, in bytes; where absent, the defaults of `rhizome_store`.
#[napi(object)]
pub struct StoreOptions {
    /// Serialised trie nodes in the cache.
    pub node_cache_bytes: Option<i64>,
    /// Code in the cache.
    pub code_cache_bytes: Option<i64>,
    /// Accounts and cells of the head state in the cache.
    pub head_cache_bytes: Option<i64>,
    /// Maximum size of the file; address space is reserved for it.
    pub map_bytes: Option<i64>,
    /// Opens an existing store for reading only, beside the process that writes it.
    pub read_only: Option<bool>,
}

fn store_options(options: &StoreOptions) -> Result<rhizome_store::StoreOptions> {
    let defaults = rhizome_store::StoreOptions::default();
    let pick = |value: Option<i64>, default: usize| match value {
        None => Ok(default),
        Some(value) => usize::try_from(value).map_err(invalid),
    };
    Ok(rhizome_store::StoreOptions {
        node_cache_bytes: pick(options.node_cache_bytes, defaults.node_cache_bytes)?,
        code_cache_bytes: pick(options.code_cache_bytes, defaults.code_cache_bytes)?,
        head_cache_bytes: pick(options.head_cache_bytes, defaults.head_cache_bytes)?,
        map_bytes: pick(options.map_bytes, defaults.map_bytes)?,
        read_only: options.read_only.unwrap_or(defaults.read_only),
        ..defaults
    })
}

/// An account to write.
#[napi(object)]
pub struct AccountWrite {
    /// 20 bytes, or the single zero byte of the REMASC sender.
    pub address: Uint8Array,
    /// Big-endian; if `balance` is absent, too, the account node is unchanged.
    pub nonce: Option<Uint8Array>,
    /// Wei, big-endian.
    pub balance: Option<Uint8Array>,
    /// Code; empty removes it.
    pub code: Option<Uint8Array>,
    /// True when to set the contract marker.
    pub contract: bool,
    /// Cells: slot and value alternate; an empty value removes the cell.
    pub storage: Vec<Uint8Array>,
}

/// The fields of a block that later blocks read (BLOCKHASH, REMASC, the BlockHeader contract). Numbers are big-endian
/// bytes.
#[napi(object)]
pub struct AncestorMetadata {
    /// Block hash.
    pub hash: Uint8Array,
    /// Hash of the parent.
    pub parent_hash: Uint8Array,
    /// Height.
    pub number: i64,
    /// Seconds, below 2^63.
    pub timestamp: BigInt,
    /// Miner: 20 bytes, or none for an empty coinbase.
    pub coinbase: Uint8Array,
    /// Wei.
    pub minimum_gas_price: Uint8Array,
    /// Header bytes as stored.
    pub gas_limit: Uint8Array,
    /// Gas used.
    pub gas_used: i64,
    /// Difficulty.
    pub difficulty: Uint8Array,
    /// Wei.
    pub paid_fees: Uint8Array,
    /// The header's uncle count.
    pub uncle_count: i64,
    /// Total difficulty with this block and its uncles.
    pub total_difficulty: Uint8Array,
    /// Bitcoin header; null when there is none.
    pub bitcoin_header: Option<Uint8Array>,
    /// Compressed coinbase; null when there is none.
    pub bitcoin_coinbase: Option<Uint8Array>,
    /// Uncles in block order.
    pub uncles: Vec<AncestorUncle>,
    /// Unitrie root of the state after it, where it is known.
    pub state_root: Option<Uint8Array>,
}

/// An uncle of an ancestor.
#[napi(object)]
pub struct AncestorUncle {
    /// Block hash.
    pub hash: Uint8Array,
    /// Height.
    pub number: i64,
    /// Miner: 20 bytes, or none for an empty coinbase.
    pub coinbase: Uint8Array,
    /// Difficulty.
    pub difficulty: Uint8Array,
    /// Wei.
    pub paid_fees: Uint8Array,
    /// The header's uncle count.
    pub uncle_count: i64,
}

fn height(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(invalid)
}

pub(crate) fn ancestor_block(metadata: &AncestorMetadata) -> Result<AncestorBlock> {
    Ok(AncestorBlock {
        hash: bytes::hash("hash", &metadata.hash)?,
        parent_hash: bytes::hash("parentHash", &metadata.parent_hash)?,
        number: height(metadata.number)?,
        timestamp: bytes::unsigned64("timestamp", &metadata.timestamp)?,
        coinbase: miner("coinbase", &metadata.coinbase)?,
        minimum_gas_price: bytes::uint("minimumGasPrice", &metadata.minimum_gas_price)?,
        gas_limit: Bytes::copy_from_slice(&metadata.gas_limit),
        gas_used: height(metadata.gas_used)?,
        difficulty: bytes::uint("difficulty", &metadata.difficulty)?,
        paid_fees: bytes::uint("paidFees", &metadata.paid_fees)?,
        uncle_count: height(metadata.uncle_count)?,
        total_difficulty: bytes::uint("totalDifficulty", &metadata.total_difficulty)?,
        bitcoin_header: metadata.bitcoin_header.as_deref().map(Bytes::copy_from_slice),
        bitcoin_coinbase: metadata.bitcoin_coinbase.as_deref().map(Bytes::copy_from_slice),
        uncles: metadata.uncles.iter().map(uncle_metadata).collect::<Result<_>>()?,
        state_root: metadata.state_root.as_deref().map(|root| bytes::hash("stateRoot", root)).transpose()?,
    })
}

/// Miner of a block: 20 bytes, or none for an empty coinbase.
fn miner(name: &str, bytes: &[u8]) -> Result<AccountRef> {
    match bytes {
        [] => Ok(AccountRef::NoAddress),
        address => Ok(bytes::address(name, address)?.into()),
    }
}

fn uncle_metadata(uncle: &AncestorUncle) -> Result<UncleMetadata> {
    Ok(UncleMetadata {
        hash: bytes::hash("uncle hash", &uncle.hash)?,
        number: height(uncle.number)?,
        coinbase: miner("uncle coinbase", &uncle.coinbase)?,
        difficulty: bytes::uint("uncle difficulty", &uncle.difficulty)?,
        paid_fees: bytes::uint("uncle paidFees", &uncle.paid_fees)?,
        uncle_count: height(uncle.uncle_count)?,
    })
}

/// Hash and length of a code.
#[napi(object)]
pub struct CodeInfo {
    /// Keccak-256.
    pub hash: Buffer,
    /// Bytes.
    pub length: u32,
}

/// A storage cell.
#[napi(object)]
pub struct StorageCell {
    /// Slot, 32 bytes.
    pub slot: Buffer,
    /// Bytes as stored.
    pub value: Buffer,
}

/// Totals of a walk through a state.
#[napi(object)]
pub struct StateReport {
    /// Nodes and long values.
    pub nodes: i64,
    /// Their bytes.
    pub bytes: i64,
}

/// Sizes, for metrics.
#[napi(object)]
pub struct StoreStats {
    /// Nodes that wait for a commit.
    pub pending_nodes: i64,
    /// Bytes in the node cache.
    pub node_cache_bytes: i64,
    /// Bytes in the code cache.
    pub code_cache_bytes: i64,
    /// Bytes in the cache of the head state.
    pub head_cache_bytes: i64,
    /// Reads of the table of the head in which threads that must not wait for the disk waited for it.
    pub head_waits: i64,
    /// Reads of that table that such threads left to others after that.
    pub head_reads_left: i64,
}

/// The format of a state store on disk.
#[napi(object)]
pub struct StateStoreFormat {
    /// Version of its tables.
    pub format: u32,
    /// Version of the program that wrote it last; null if it recorded none.
    pub program: Option<String>,
    /// True when a conversion to this format has begun and not ended.
    pub converting: bool,
    /// The format that this build writes there.
    pub current: u32,
}

/// The format of the state store in a folder; null where there is no store, or a new one. Nothing is written.
#[napi(catch_unwind)]
pub fn state_store_format(path: String) -> Result<Option<StateStoreFormat>> {
    let found = rhizome_store::StateStore::format(Path::new(&path)).map_err(state)?;
    Ok(found.map(|found| StateStoreFormat {
        current: found.current(),
        format: found.format,
        program: found.program,
        converting: found.converting,
    }))
}

/// States, code and ancestor metadata. All threads of the process that open one folder share it.
#[napi]
pub struct StateStore {
    pub(crate) inner: Arc<rhizome_store::StateStore>,
}

#[napi]
impl StateStore {
    /// Opens the store in a folder, creating it if it is missing.
    #[napi(factory, catch_unwind)]
    pub fn open(path: String, options: StoreOptions) -> Result<Self> {
        let inner = rhizome_store::StateStore::open(Path::new(&path), &store_options(&options)?).map_err(state)?;
        Ok(Self { inner })
    }

    /// Closes the files for all threads of the process. Uncommitted changes are lost; later accesses to the files fail.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.inner.close();
    }

    /// A store in memory.
    #[napi(factory, catch_unwind)]
    pub fn in_memory(options: StoreOptions) -> Result<Self> {
        Ok(Self { inner: rhizome_store::StateStore::in_memory(&store_options(&options)?) })
    }

    /// True when the state under this root is in the store.
    #[napi(catch_unwind)]
    pub fn has_root(&self, root: Uint8Array) -> Result<bool> {
        self.inner.has_root(&bytes::hash("root", &root)?).map_err(state)
    }

    /// Records the Unitrie root after a block whose header has none (before RSKIP126).
    #[napi(catch_unwind)]
    pub fn put_root(&self, block_hash: Uint8Array, root: Uint8Array) -> Result<()> {
        self.inner.put_root(bytes::hash("blockHash", &block_hash)?, bytes::hash("root", &root)?);
        Ok(())
    }

    /// The Unitrie root that was recorded for a block, or null.
    #[napi(catch_unwind)]
    pub fn root_for(&self, block_hash: Uint8Array) -> Result<Option<Buffer>> {
        let root = self.inner.root_for(&bytes::hash("blockHash", &block_hash)?).map_err(state)?;
        Ok(root.map(|root| root.to_vec().into()))
    }

    /// Sets the root of the state after a block that a user edited, for this process alone; null removes it.
    #[napi(catch_unwind)]
    pub fn put_edited_root(&self, block_hash: Uint8Array, root: Option<Uint8Array>) -> Result<()> {
        let root = root.map(|root| bytes::hash("root", &root)).transpose()?;
        self.inner.put_edited_root(bytes::hash("blockHash", &block_hash)?, root);
        Ok(())
    }

    /// Replaces all edited states: block hashes and roots alternate.
    #[napi(catch_unwind)]
    pub fn replace_edited_roots(&self, entries: Vec<Uint8Array>) -> Result<()> {
        let mut roots = HashMap::with_capacity(entries.len() / 2);
        for pair in entries.chunks(2) {
            let [block_hash, root] = pair else { return Err(invalid("entries: a block without a root")) };
            roots.insert(bytes::hash("blockHash", block_hash)?, bytes::hash("root", root)?);
        }
        self.inner.replace_edited_roots(roots);
        Ok(())
    }

    /// The root of the state after a block that a user edited; null where no user did.
    #[napi(catch_unwind)]
    pub fn edited_root(&self, block_hash: Uint8Array) -> Result<Option<Buffer>> {
        let root = self.inner.edited_root(&bytes::hash("blockHash", &block_hash)?);
        Ok(root.map(|root| root.to_vec().into()))
    }

    /// Keeps the metadata of a connected block. Durable with the next commit.
    #[napi(catch_unwind)]
    pub fn put_ancestor(&self, metadata: AncestorMetadata) -> Result<()> {
        self.inner.put_ancestor(ancestor_block(&metadata)?);
        Ok(())
    }

    /// Writes accounts onto the state under a root and keeps the result, for genesis and for edits on development
    /// chains. Returns the new root.
    #[napi(catch_unwind)]
    pub fn write_accounts(&self, root: Uint8Array, accounts: Vec<AccountWrite>) -> Result<Buffer> {
        let root = bytes::hash("root", &root)?;
        let reader = self.reader(root)?;
        let mut writes = WriteSet::default();
        for account in &accounts {
            write_account(&mut writes, account, &*reader)?;
        }
        let applied = self.inner.apply(root, &writes).map_err(state)?;
        let new_root = applied.root();
        self.inner.keep(applied);
        Ok(new_root.to_vec().into())
    }

    /// Makes everything kept so far durable.
    #[napi(catch_unwind)]
    pub fn commit(&self) -> Result<()> {
        self.inner.commit().map_err(state)
    }

    /// Sets the root of the head, whose reads are cached.
    #[napi(catch_unwind)]
    pub fn set_head(&self, root: Uint8Array) -> Result<()> {
        self.inner.set_head(bytes::hash("root", &root)?, None);
        Ok(())
    }

    /// The account under a root; null when there is none.
    #[napi(catch_unwind)]
    pub fn account(&self, root: Uint8Array, address: Uint8Array) -> Result<Option<AccountFields>> {
        let account = self.reader(bytes::hash("root", &root)?)?.account(&bytes::account(&address)?).map_err(state)?;
        Ok(account.as_ref().map(account_fields))
    }

    /// The code of an account under a root; empty when there is none.
    #[napi(catch_unwind)]
    pub fn code(&self, root: Uint8Array, address: Uint8Array) -> Result<Buffer> {
        let code = self.reader(bytes::hash("root", &root)?)?.code(&bytes::account(&address)?).map_err(state)?;
        Ok(code.to_vec().into())
    }

    /// Hash and length of the code of an account; null when there is none.
    #[napi(catch_unwind)]
    pub fn code_info(&self, root: Uint8Array, address: Uint8Array) -> Result<Option<CodeInfo>> {
        let info = self.reader(bytes::hash("root", &root)?)?.code_info(&bytes::account(&address)?).map_err(state)?;
        Ok(info.map(|(hash, length)| CodeInfo { hash: hash.to_vec().into(), length }))
    }

    /// True when the account has a contract marker.
    #[napi(catch_unwind)]
    pub fn is_contract(&self, root: Uint8Array, address: Uint8Array) -> Result<bool> {
        self.reader(bytes::hash("root", &root)?)?.is_contract(&bytes::account(&address)?).map_err(state)
    }

    /// Bytes of a cell as stored; null when it is absent. The slot is big-endian, up to 32 bytes.
    #[napi(catch_unwind)]
    pub fn storage(&self, root: Uint8Array, address: Uint8Array, slot: Uint8Array) -> Result<Option<Buffer>> {
        let reader = self.reader(bytes::hash("root", &root)?)?;
        let value = reader.storage(&bytes::account(&address)?, &bytes::uint("slot", &slot)?).map_err(state)?;
        Ok(value.map(|value| value.to_vec().into()))
    }

    /// At most `limit` cells of an account in trie order, after a slot when one is given.
    #[napi(catch_unwind)]
    pub fn storage_cells(
        &self,
        root: Uint8Array,
        address: Uint8Array,
        after: Option<Uint8Array>,
        limit: u32,
    ) -> Result<Vec<StorageCell>> {
        let after = after.as_deref().map(|after| bytes::uint("after", after)).transpose()?;
        let root = bytes::hash("root", &root)?;
        let cells = self
            .inner
            .storage_cells(root, &bytes::account(&address)?, after.as_ref(), limit as usize)
            .map_err(state)?;
        Ok(cells
            .into_iter()
            .map(|(slot, value)| StorageCell { slot: slot.to_be_bytes_vec().into(), value: value.to_vec().into() })
            .collect())
    }

    /// Proof of an account and some of its cells (consensus.md §6.8) as JSON. `in_memory`: returns null instead of
    /// waiting for the disk.
    #[napi(catch_unwind)]
    pub fn proof(
        &self,
        root: Uint8Array,
        address: Uint8Array,
        slots: Vec<Uint8Array>,
        in_memory: bool,
    ) -> Result<Option<Buffer>> {
        let slots = slots.iter().map(|slot| bytes::uint("slot", slot)).collect::<Result<Vec<_>>>()?;
        let root = bytes::hash("root", &root)?;
        let account = bytes::account(&address)?;
        let proof = if in_memory {
            match self.inner.memory_proof(root, &account, &slots) {
                Err(StateError::MissingNode(_)) => return Ok(None),
                proof => proof,
            }
        } else {
            self.inner.proof(root, &account, &slots)
        };
        Ok(Some(proof_text(&address, &proof.map_err(state)?).into()))
    }

    /// Reads every node of the state under a root; throws at the first that is missing or corrupt.
    #[napi(catch_unwind)]
    pub fn check_root(&self, root: Uint8Array) -> Result<StateReport> {
        let progress = CheckProgress::default();
        let report = self.inner.check_root(&bytes::hash("root", &root)?, &progress).map_err(state)?;
        Ok(StateReport { nodes: report.nodes as i64, bytes: report.bytes as i64 })
    }

    /// Compares the table of the head with the trie of the state that it stands for; throws at the first difference.
    /// Returns the root of that state, and null where the table stands for none at present.
    #[napi(catch_unwind)]
    pub fn check_head(&self) -> Result<Option<Buffer>> {
        let report = self.inner.check_head(&CheckProgress::default()).map_err(state)?;
        Ok(report.map(|report| report.root.to_vec().into()))
    }

    /// Sizes, for metrics.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> StoreStats {
        let stats = self.inner.stats();
        StoreStats {
            pending_nodes: stats.pending_nodes as i64,
            node_cache_bytes: stats.node_cache_bytes as i64,
            code_cache_bytes: stats.code_cache_bytes as i64,
            head_cache_bytes: stats.head_cache_bytes as i64,
            head_waits: stats.head_waits as i64,
            head_reads_left: stats.head_reads_left as i64,
        }
    }
}

impl StateStore {
    pub(crate) fn shared(&self) -> Arc<rhizome_store::StateStore> {
        self.inner.clone()
    }

    pub(crate) fn reader(&self, root: B256) -> Result<Arc<dyn StateReader>> {
        self.inner.reader(root).map_err(state)
    }
}

fn write_account(writes: &mut WriteSet, write: &AccountWrite, reader: &dyn StateReader) -> Result<()> {
    let account = bytes::account(&write.address)?;
    if write.nonce.is_some() || write.balance.is_some() {
        let mut fields = reader.account(&account).map_err(state)?.unwrap_or_default();
        if let Some(nonce) = &write.nonce {
            fields.nonce = bytes::uint("nonce", nonce)?;
        }
        if let Some(balance) = &write.balance {
            fields.balance = bytes::uint("balance", balance)?.into();
        }
        writes.accounts.push((account, fields));
    }
    if let Some(code) = &write.code {
        writes.code.push((account, Bytes::copy_from_slice(code)));
    }
    if write.contract {
        writes.markers.push(account);
    }
    for pair in write.storage.chunks(2) {
        let [slot, value] = pair else { return Err(invalid("storage: a slot without a value")) };
        let value = (!value.is_empty()).then(|| Bytes::copy_from_slice(value));
        writes.storage.push((account, slot_number(slot)?, value));
    }
    Ok(())
}

fn slot_number(slot: &[u8]) -> Result<U256> {
    bytes::uint("slot", slot)
}
