//! Inputs of all executions: blocks, transactions, and their conversion.

use std::sync::Arc;

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_evm::{BelowOverridden, BlockContext, ExecutionError, Transaction, TransactionError};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{Ancestry, BlockEnv};
use rhizome_primitives::contract::SignedHash;
use rhizome_primitives::{B256, Bytes, U256};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Code, Result, error, invalid, state};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// The executing block as programs see it. Numbers as bytes are big-endian.
#[napi(object)]
pub struct BlockEnvironment {
    /// Height.
    pub number: i64,
    /// Seconds, below 2^63.
    pub timestamp: BigInt,
    /// Difficulty.
    pub difficulty: Uint8Array,
    /// Gas limit, below 2^64.
    pub gas_limit: BigInt,
    /// Bytes of the gas limit in the header; absent for a usual width.
    pub gas_limit_width: Option<u32>,
    /// Miner, 20 bytes; zero for an empty coinbase.
    pub coinbase: Uint8Array,
    /// Wei.
    pub minimum_gas_price: Uint8Array,
    /// Hash of the parent, whose metadata must be in the store for programs that read ancestors.
    pub parent_hash: Uint8Array,
    /// Number of overridden blocks between that parent and this block; their hashes read as zero. Absent means none.
    pub overridden_below: Option<u32>,
}

/// A decoded transaction with its sender. Numbers as bytes are big-endian.
#[napi(object)]
pub struct ExecutableTransaction {
    /// Transaction hash.
    pub hash: Uint8Array,
    /// 20 bytes; the single byte zero for the reward transaction.
    pub sender: Uint8Array,
    /// Nonce.
    pub nonce: Uint8Array,
    /// Wei.
    pub gas_price: Uint8Array,
    /// Gas limit, below 2^63.
    pub gas_limit: BigInt,
    /// 20 bytes; empty creates a contract.
    pub to: Uint8Array,
    /// Wei.
    pub value: Uint8Array,
    /// Call data or creation code.
    pub data: Uint8Array,
    /// True when signature and chain id are accepted (consensus.md §5.2).
    pub signature_accepted: bool,
    /// Hash that was signed 32 ∥ parity 1 ∥ r 32 ∥ s 32, for transactions to a contract that needs the signer's key. If
    /// it is absent, the contract treats the transaction as unsigned.
    pub signature: Option<Uint8Array>,
    /// True when it is the reward transaction.
    pub remasc: bool,
}

/// A height.
pub fn count(name: &str, value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| invalid(format!("{name}: expected a number from 0, got {value}")))
}

fn sender(address: &[u8]) -> Result<AccountRef> {
    match address {
        [0] => Ok(AccountRef::RemascSender),
        address => Ok(bytes::address("sender", address)?.into()),
    }
}

fn signed_hash(record: &[u8]) -> Result<SignedHash> {
    let wrong = || invalid(format!("signature: expected 97 bytes, got {}", record.len()));
    let (hash, rest) = record.split_first_chunk::<32>().ok_or_else(wrong)?;
    let (parity, rest) = rest.split_first().ok_or_else(wrong)?;
    let (r, rest) = rest.split_first_chunk::<32>().ok_or_else(wrong)?;
    let s = rest.try_into().map_err(|_| wrong())?;
    Ok(SignedHash { hash: B256::new(*hash), parity: *parity, r: B256::new(*r), s: B256::new(s) })
}

impl BlockEnvironment {
    /// Converts the block to the executor's type.
    pub fn to_env(&self) -> Result<BlockEnv> {
        Ok(BlockEnv {
            number: count("number", self.number)?,
            timestamp: bytes::unsigned64("timestamp", &self.timestamp)?,
            difficulty: bytes::uint("difficulty", &self.difficulty)?,
            gas_limit: bytes::unsigned64("gasLimit", &self.gas_limit)?,
            gas_limit_width: self.gas_limit_width.unwrap_or_default() as usize,
            coinbase: bytes::address("coinbase", &self.coinbase)?,
            minimum_gas_price: bytes::uint("minimumGasPrice", &self.minimum_gas_price)?,
            parent_hash: bytes::hash("parentHash", &self.parent_hash)?,
        })
    }

    /// The block on its network, with its ancestors from the store.
    pub fn context(&self, spec: &ChainSpec, store: &StateStore) -> Result<BlockContext> {
        self.context_of(&spec.inner, &store.inner)
    }

    /// Like [`Self::context`], with the inner values.
    pub fn context_of(
        &self,
        spec: &Arc<rhizome_primitives::spec::ChainSpec>,
        store: &Arc<rhizome_store::StateStore>,
    ) -> Result<BlockContext> {
        let env = self.to_env()?;
        let below = store.ancestry(env.parent_hash);
        let ancestry: Arc<dyn Ancestry> = match self.overridden_below {
            None | Some(0) => below,
            Some(above) => Arc::new(BelowOverridden { below, above: u64::from(above) }),
        };
        Ok(BlockContext::new(Arc::clone(spec), env, ancestry))
    }
}

impl ExecutableTransaction {
    /// Converts the transaction to the executor's type.
    pub fn to_transaction(&self) -> Result<Transaction> {
        let to = match self.to.as_ref() {
            [] => None,
            to => Some(bytes::address("to", to)?),
        };
        Ok(Transaction {
            hash: bytes::hash("hash", &self.hash)?,
            sender: sender(&self.sender)?,
            nonce: bytes::uint("nonce", &self.nonce)?,
            gas_price: bytes::uint("gasPrice", &self.gas_price)?,
            gas_limit: bytes::unsigned64("gasLimit", &self.gas_limit)?,
            to,
            value: bytes::uint("value", &self.value)?,
            data: Bytes::copy_from_slice(&self.data),
            signature_accepted: self.signature_accepted,
            signature: self.signature.as_deref().map(signed_hash).transpose()?,
            remasc: self.remasc,
        })
    }
}

/// The error of a failure that says nothing about the block.
pub fn execution_error(failure: ExecutionError) -> napi::Error<Code> {
    match failure {
        ExecutionError::State(failure) => state(failure),
        ExecutionError::Interrupted => error(Code::Interrupted, failure),
        ExecutionError::Panicked => error(Code::Panic, failure),
        // Only callers that set a limit get this error, and they handle it.
        ExecutionError::TooLong => error(Code::Interrupted, failure),
    }
}

/// The error of a transaction that is invalid or could not be executed.
pub fn transaction_error(failure: TransactionError) -> napi::Error<Code> {
    match failure {
        TransactionError::Invalid(reason) => error(Code::InvalidBlock, reason),
        TransactionError::Execution(failure) => execution_error(failure),
    }
}

/// Minimal big-endian bytes.
pub fn minimal(value: U256) -> Buffer {
    value.to_be_bytes_trimmed_vec().into()
}
