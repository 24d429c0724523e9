//! eth_estimateGas: the least gas limit with which a transaction succeeds when sent, found by executing it. The
//! reference executes once and adds up; its results can be too low.

use std::sync::Arc;

use rhizome_primitives::account::{Account, Balance};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Bytes, U256};
use thiserror::Error;

use super::{AccountOverride, Message};
use crate::error::{ExecutionError, Failure, Halt, InvalidTransaction, TransactionError};
use crate::frames::Evm;
use crate::gas;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::trace::NoInspector;
use crate::transaction::{FeePayment, Position, TransactionOutcome};

/// The result exceeds the least limit by less than one part in this many, for programs that succeed with every higher
/// limit. That is below the promised 2 %, at half the executions of an exact search.
const PRECISION: u64 = 64;

/// Balance of the sender when the caller names none.
const UNNAMED_FUNDS: U256 = U256::from_limbs([0, 0, 0, 1 << 61]);

/// A transaction to estimate.
#[derive(Clone)]
pub struct EstimateInput<'a> {
    /// Network, and the block that the transaction would be in.
    pub context: BlockContext,
    /// The transaction. Funds are checked only when it names its sender.
    pub message: Message,
    /// The largest result: the smallest of the caller's gas, the configured cap and the usable gas of a block.
    pub cap: u64,
    /// Overrides of the state.
    pub overrides: &'a [AccountOverride],
    /// Stops the search soon after it is raised.
    pub interrupt: Option<Interrupt>,
    /// See [`Evm::set_effort`]; the limit applies to all executions together.
    pub effort: Option<u64>,
}

/// Reason why there is no estimate.
#[derive(Clone, Debug, Error)]
pub enum EstimateError {
    /// The sender cannot pay the value, or cannot pay the gas at the given price.
    #[error("insufficient funds for transfer")]
    Funds {
        /// Balance in wei.
        balance: Balance,
        /// Wei needed.
        required: U256,
    },
    /// REVERT, with its data.
    #[error("execution reverted")]
    Revert(Bytes),
    /// It wants more gas than the largest allowed limit. In geth's words, which clients know.
    #[error("gas required exceeds allowance ({allowance})")]
    Allowance {
        /// The largest limit.
        allowance: u64,
        /// Failure; None if the allowance is below the intrinsic gas.
        halt: Option<Halt>,
    },
    /// It fails whatever the limit.
    #[error("{}", .0.message())]
    Halt(Halt),
    /// No gas limit makes it valid.
    #[error(transparent)]
    Invalid(InvalidTransaction),
    /// Execution could not be carried out.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
}

impl From<TransactionError> for EstimateError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::Invalid(reason) => Self::Invalid(reason),
            TransactionError::Execution(error) => Self::Execution(error),
        }
    }
}

/// Estimates the gas limit of a transaction. The result was executed and succeeded.
///
/// # Errors
/// See [`EstimateError`].
pub fn estimate_gas(input: &EstimateInput<'_>, state: Arc<dyn StateReader>) -> Result<u64, EstimateError> {
    let mut search = Search::new(input, state)?;
    let cap = search.cap;
    if cap < search.intrinsic {
        return Err(EstimateError::Allowance { allowance: cap, halt: None });
    }
    let outcome = search.run(cap)?;
    match outcome.failure {
        None => {}
        Some(Failure::Revert(data)) => return Err(EstimateError::Revert(data)),
        Some(failure) => {
            return Err(match failure.into_halt() {
                Some(halt) if !halt.is_want_of_gas() => EstimateError::Halt(halt),
                halt => EstimateError::Allowance { allowance: cap, halt },
            });
        }
    }
    // Most programs need exactly what they used before refunds.
    let used = outcome.gas_used + outcome.refund;
    let (mut enough, mut short) = (cap, search.intrinsic.saturating_sub(1));
    if used < cap {
        if search.succeeds(used)? {
            enough = used;
            let below = used - used / PRECISION - 1;
            if below > short {
                if search.succeeds(below)? {
                    enough = below;
                } else {
                    short = below;
                }
            }
        } else {
            short = short.max(used);
        }
    }
    while enough - short > 1 + enough / PRECISION {
        // The limit is usually near the lower end.
        let middle = (short + (enough - short) / 2).min(short.saturating_mul(2).max(short + 1));
        if search.succeeds(middle)? {
            enough = middle;
        } else {
            short = middle;
        }
    }
    Ok(enough)
}

struct Search<'a> {
    message: &'a Message,
    evm: Evm,
    nonce: U256,
    intrinsic: u64,
    cap: u64,
}

impl<'a> Search<'a> {
    fn new(input: &'a EstimateInput<'a>, state: Arc<dyn StateReader>) -> Result<Self, EstimateError> {
        let message = &input.message;
        let mut journal = Journal::new(state);
        for account in input.overrides {
            account.apply(&mut journal).map_err(ExecutionError::from)?;
        }
        let account = journal.account(message.sender()).map_err(ExecutionError::from)?.unwrap_or_default();
        let transaction = message.transaction(account.nonce, 0, true);
        let context = &input.context;
        let intrinsic = gas::basic_cost(&context.spec, context.block.number, &transaction);
        let mut cap = input.cap.min(i64::MAX as u64 - 1);
        if message.from.is_some() {
            let balance = account.balance;
            let refused = |required: U256| EstimateError::Funds { balance, required };
            if !balance.covers(message.value) {
                return Err(refused(message.value));
            }
            let spare = balance.word() - message.value;
            if intrinsic > 0
                && let Some(affordable) = spare.checked_div(message.gas_price)
            {
                cap = cap.min(affordable.saturating_to());
                if cap < intrinsic && input.cap >= intrinsic {
                    let gas = message.gas_price.saturating_mul(U256::from(intrinsic));
                    return Err(refused(gas.saturating_add(message.value)));
                }
            }
        }
        if message.from.is_none() {
            journal
                .set_account(message.sender(), Account { balance: UNNAMED_FUNDS.into(), ..account })
                .map_err(ExecutionError::from)?;
        }
        // Every execution is undone; the values that it read stay for the next one.
        journal.hold_transactions();
        journal.keep_transaction();
        let mut evm = Evm::new(context.clone(), journal);
        if let Some(flag) = &input.interrupt {
            evm.set_interrupt(flag.clone());
        }
        if let Some(effort) = input.effort {
            evm.set_effort(effort);
        }
        Ok(Self { message, evm, nonce: account.nonce, intrinsic, cap })
    }

    /// Executes the transaction as if it were sent.
    fn run(&mut self, gas_limit: u64) -> Result<TransactionOutcome, TransactionError> {
        let transaction = self.message.transaction(self.nonce, gas_limit, true);
        let position = Position { index: 0, gas_used: 0, gas_limit: i64::MAX as u64 - 1 };
        let outcome = self.evm.transact(&transaction, position, FeePayment::Postponed, &mut NoInspector);
        self.evm.journal_mut().take_back_transaction();
        outcome
    }

    fn succeeds(&mut self, gas_limit: u64) -> Result<bool, EstimateError> {
        match self.run(gas_limit) {
            Ok(outcome) => Ok(outcome.failure.is_none()),
            Err(TransactionError::Invalid(
                InvalidTransaction::IntrinsicGas { .. } | InvalidTransaction::Internal(_),
            )) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
