//! The interface between the EVM and the precompiled contracts that live beside it.

use thiserror::Error;

use crate::account::AccountRef;
use crate::block::{Ancestry, BlockEnv};
use crate::rules::RuleSet;
use crate::spec::ChainSpec;
use crate::state::StateError;
use crate::{Address, B256, Bytes, U256};

/// Type of the call of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallType {
    /// CALL, or directly by the transaction.
    Call,
    /// CALLCODE.
    CallCode,
    /// DELEGATECALL.
    DelegateCall,
    /// STATICCALL.
    StaticCall,
}

/// A log that is being emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Emitting contract.
    pub address: Address,
    /// At most four topics.
    pub topics: Vec<B256>,
    /// Unindexed data.
    pub data: Bytes,
}

/// A hash and the signature over it: the key of a transaction's signer can be recovered from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedHash {
    /// Hash that was signed.
    pub hash: B256,
    /// Parity of the ordinate of the signature's point.
    pub parity: u8,
    /// First component.
    pub r: B256,
    /// Second component.
    pub s: B256,
}

/// Facts that a precompiled contract knows about the call.
pub struct ContractContext<'a> {
    /// Network.
    pub spec: &'a ChainSpec,
    /// Rules of the executing block.
    pub rules: RuleSet,
    /// Executing block.
    pub block: &'a BlockEnv,
    /// The branch below it.
    pub ancestry: &'a dyn Ancestry,
    /// Hash of the (possibly internal, evm.md §3.9) transaction that the contract sees.
    pub transaction_hash: B256,
    /// Hash of the outer transaction.
    pub origin_hash: B256,
    /// Sender of the (possibly internal) transaction: the calling contract, or the signer.
    pub sender: Address,
    /// Signer of the outer transaction.
    pub origin: Address,
    /// Signature of the (possibly internal) transaction; None for internal and for unsigned ones.
    pub signature: Option<SignedHash>,
    /// True when the contract was called by another contract and not by the transaction.
    pub from_contract: bool,
    /// Type of the call.
    pub call_type: CallType,
    /// True when a frame above forbids writing (inherited STATICCALL).
    pub is_static: bool,
    /// Wei sent along.
    pub value: U256,
    /// Depth of the calling frame plus one; 1 when called by the transaction directly.
    pub call_depth: u32,
    /// True when the outer transaction is a local call (eth_call, estimate).
    pub local_call: bool,
    /// True when the outer transaction is the REMASC transaction, the last of its block.
    pub remasc_transaction: bool,
    /// True when the outer transaction is a free transaction to the Bridge (consensus.md §5.4).
    pub free_transaction: bool,
}

/// Changes that a precompiled contract may make to the state. Everything lands in the journal of the calling
/// frame and is undone with it; logs are the exception (evm.md §4.1 step 5).
pub trait ContractState {
    /// True when the account exists.
    fn exists(&mut self, address: Address) -> Result<bool, StateError>;
    /// Balance in wei, zero when there is no account.
    fn balance(&mut self, address: Address) -> Result<U256, StateError>;
    /// Moves wei; a zero amount creates the receiver. The sender's balance is not checked.
    fn transfer(&mut self, from: Address, to: AccountRef, amount: U256) -> Result<(), StateError>;
    /// Code of a contract; empty when none.
    fn code(&mut self, address: Address) -> Result<Bytes, StateError>;
    /// Bytes of a cell as stored; None when absent.
    fn storage(&mut self, contract: Address, key: U256) -> Result<Option<Bytes>, StateError>;
    /// Writes a cell as bytes, as they are; empty deletes. A missing account is created with its marker.
    fn set_storage(&mut self, contract: Address, key: U256, value: Bytes) -> Result<(), StateError>;
    /// Writes a cell as a word: leading zeros are stripped, zero deletes.
    fn set_storage_word(&mut self, contract: Address, key: U256, value: U256) -> Result<(), StateError> {
        self.set_storage(contract, key, Bytes::from(value.to_be_bytes_trimmed_vec()))
    }
    /// Appends a log to the frame's list.
    fn log(&mut self, log: Log);
    /// Records a transfer as a trace sub-call (REMASC payments, Bridge refunds).
    fn trace_transfer(&mut self, from: Address, to: Address, amount: U256);
    /// True when the call can be interrupted while it runs. Always false while a block is executed or built.
    fn is_interruptible(&self) -> bool {
        false
    }
    /// True when the call was interrupted because nobody waits for its result any more. Always false while a block is
    /// executed or built.
    fn is_interrupted(&self) -> bool {
        false
    }
    /// Checkpoint that contracts which may run for milliseconds call at intervals.
    ///
    /// # Errors
    /// [`ContractError::Interrupted`], which the contract must return at once.
    fn go_on(&self) -> Result<(), ContractError> {
        if self.is_interrupted() { Err(ContractError::Interrupted) } else { Ok(()) }
    }
}

/// Reason why a precompiled contract did not succeed.
#[derive(Clone, Debug, Error)]
pub enum ContractError {
    /// The contract threw. The consequence for the caller is ruled by evm.md §4.1 and §3.3.
    #[error("{0}")]
    Failed(String),
    /// The state could not be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// Nobody waits for the result any more ([`ContractState::go_on`]). Ends the local call.
    #[error("execution was interrupted")]
    Interrupted,
}
