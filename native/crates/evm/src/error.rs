//! What can go wrong, from a halting frame to an unreadable state.

use rhizome_primitives::account::Balance;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};
use thiserror::Error;

/// Execution could not be carried out. This says nothing about the validity of the block, and no part of the result may
/// become state.
#[derive(Clone, Debug, Error)]
pub enum ExecutionError {
    /// The state could not be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// A thread of the executor panicked.
    #[error("execution panicked")]
    Panicked,
    /// The caller raised the interrupt flag.
    #[error("execution was interrupted")]
    Interrupted,
    /// It takes more work than the caller allows ([`crate::Evm::set_effort`]).
    #[error("execution takes longer than allowed")]
    TooLong,
}

/// Reason why a transaction must not be in a block (evm.md §3.3): nothing is charged, nothing changes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidTransaction {
    /// RSKIP438.
    #[error("initcode of {length} bytes exceeds the limit of {limit}: max initcode size exceeded")]
    InitcodeTooLong {
        /// Bytes of data.
        length: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The block, or the sublist under RSKIP144, has not enough gas left for the gas limit.
    #[error("gas limit {gas_limit} does not fit: {used} of {available} are used")]
    NoBlockGas {
        /// Gas limit of the transaction.
        gas_limit: u64,
        /// Gas used before it.
        used: u64,
        /// Gas limit of the block or sublist.
        available: u64,
    },
    /// Less gas than the transaction costs before anything runs.
    #[error("gas limit {gas_limit} is below the intrinsic gas {intrinsic}")]
    IntrinsicGas {
        /// Gas limit of the transaction.
        gas_limit: u64,
        /// Gas needed.
        intrinsic: u64,
    },
    /// The nonce is not the account's.
    #[error("nonce {found} instead of {expected}")]
    Nonce {
        /// Nonce of the account.
        expected: U256,
        /// Nonce of the transaction.
        found: U256,
    },
    /// The sender cannot pay value and gas.
    #[error("balance {balance} does not cover {required}")]
    Funds {
        /// Balance of the sender in wei.
        balance: Balance,
        /// Wei needed, capped at 2^256-1.
        required: U256,
    },
    /// Signature components or chain id.
    #[error("signature is not accepted")]
    Signature,
    /// A transaction of a parallel sublist called the Bridge or REMASC (RSKIP144).
    #[error("{0} must not be called in a parallel sublist")]
    BannedContract(Address),
    /// The reference fails during execution.
    #[error("execution fails: {0}")]
    Internal(String),
}

/// Reason why a transaction is refused or could not be executed.
#[derive(Clone, Debug, Error)]
pub enum TransactionError {
    /// The transaction is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidTransaction),
    /// Execution could not be carried out.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
}

impl From<StateError> for TransactionError {
    fn from(error: StateError) -> Self {
        Self::Execution(error.into())
    }
}

/// Kind of an exceptional halt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HaltKind {
    /// Not enough gas.
    OutOfGas,
    /// Not enough gas left to store the code of the new contract.
    CodeDeposit,
    /// No such opcode at this height.
    InvalidOpcode(u8),
    /// The target is no JUMPDEST.
    BadJump,
    /// Too few words on the stack.
    StackUnderflow,
    /// More than 1024 words on the stack.
    StackOverflow,
    /// A write inside STATICCALL (RSKIP91).
    StaticViolation,
    /// The address of the new contract is taken (RSKIP125).
    AddressCollision,
    /// Code longer than 24,576 bytes.
    CodeTooLong,
    /// Initcode longer than 49,152 bytes (RSKIP438).
    InitcodeTooLong,
    /// Code that starts with 0xEF (RSKIP544).
    CodePrefix,
    /// RETURNDATACOPY beyond the return data.
    ReturnDataOutOfBounds,
    /// The code header points beyond the code (evm.md §2.5).
    HeaderBeyondCode,
    /// A storage cell that is not a word was read as one.
    CellIsNoWord,
    /// An operand that the reference refuses (DUPN, SWAPN).
    BadOperand,
    /// A precompiled contract failed where that halts the caller.
    Precompile,
    /// A contract called the Bridge before RSKIP88.
    BridgeBeforeRskip88,
    /// STATICCALL between RSKIP91 and RSKIP103 found six words where it takes seven.
    MissingValue,
}

impl HaltKind {
    /// True when the reference's error has no message. The reference cannot write a receipt with such an error, so a
    /// transaction whose own frame ends with it is in no block (evm.md §8 row 5).
    pub(crate) fn has_no_message(&self) -> bool {
        matches!(self, Self::BridgeBeforeRskip88 | Self::MissingValue)
    }
}

/// An exceptional halt: all gas of the frame is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// Kind of the fault.
    pub kind: HaltKind,
    /// The reference's message (evm.md §6.4), without its class.
    pub text: String,
}

/// Reason why an executed transaction did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// REVERT, with its data.
    Revert(Bytes),
    /// Exceptional halt of the top frame.
    Halt(Halt),
    /// The gas limit does not cover the price of the precompiled contract called.
    PrecompileGas {
        /// Contract.
        address: Address,
        /// Price without intrinsic gas.
        required: u64,
    },
    /// The precompiled contract called throws. The receipt says success (evm.md §3.3).
    Precompile(String),
}
