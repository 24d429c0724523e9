//! The outcome of a block.

use rhizome_primitives::contract::Log;
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_primitives::{Address, Bytes, U256};
use thiserror::Error;

use crate::error::{ExecutionError, Failure, InvalidTransaction, TransactionError};
use crate::receipt::{Bloom, Receipt};
use crate::transaction::TransactionOutcome;

/// An executed transaction of a block.
#[derive(Clone, Debug)]
pub struct ExecutedTransaction {
    /// Receipt, with the logs.
    pub receipt: Receipt,
    /// Fee in wei.
    pub paid_fees: U256,
    /// Address of the new contract; also when the creation failed.
    pub contract_address: Option<Address>,
    /// RETURN or REVERT data, or the code of the new contract.
    pub output: Bytes,
    /// Reason why it did not succeed.
    pub failure: Option<Failure>,
}

impl ExecutedTransaction {
    pub(super) fn new(outcome: TransactionOutcome, cumulative_gas: u64) -> Self {
        Self {
            receipt: Receipt::new(outcome.succeeded, outcome.gas_used, cumulative_gas, outcome.logs),
            paid_fees: outcome.paid_fees,
            contract_address: outcome.contract_address,
            output: outcome.output,
            failure: outcome.failure,
        }
    }

    /// Its logs in order.
    pub fn logs(&self) -> &[Log] {
        &self.receipt.logs
    }
}

/// An executed block.
#[derive(Clone, Debug)]
pub struct BlockOutcome {
    /// Transactions in block order. Log indices count over all of them.
    pub transactions: Vec<ExecutedTransaction>,
    /// Sum of gas used.
    pub gas_used: u64,
    /// Sum of fees in wei.
    pub paid_fees: U256,
    /// Bloom over all logs.
    pub logs_bloom: Box<Bloom>,
    /// Changes to the parent's state.
    pub write_set: WriteSet,
}

/// Reason why a block is invalid or could not be executed.
#[derive(Clone, Debug, Error)]
pub enum BlockError {
    /// A transaction must not be in the block.
    #[error("transaction {index}: {reason}")]
    Transaction {
        /// Index in the block.
        index: usize,
        /// The reason.
        reason: InvalidTransaction,
    },
    /// The sublist edges break their rule (consensus.md §4.6).
    #[error("sublist edges {edges:?} do not fit {transactions} transactions")]
    Edges {
        /// Edges of the header.
        edges: Vec<u16>,
        /// Transactions of the block.
        transactions: usize,
    },
    /// Two parallel sublists touch a key that one of them writes (RSKIP144).
    #[error("parallel sublists {first} and {second} collide")]
    Collision {
        /// Index of a sublist.
        first: usize,
        /// Index of a later one.
        second: usize,
    },
    /// Execution could not be carried out.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
}

impl BlockError {
    pub(super) fn at(index: usize, error: TransactionError) -> Self {
        match error {
            TransactionError::Invalid(reason) => Self::Transaction { index, reason },
            TransactionError::Execution(error) => Self::Execution(error),
        }
    }
}

impl From<StateError> for BlockError {
    fn from(error: StateError) -> Self {
        Self::Execution(error.into())
    }
}
