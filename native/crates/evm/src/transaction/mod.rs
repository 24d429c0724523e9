//! The transaction executor (evm.md §3.3).

mod input;
mod outcome;
mod run;
#[cfg(test)]
mod tests;
mod validate;

use rhizome_primitives::{Address, U256};

pub use input::{FeePayment, Position, Transaction};
pub use outcome::TransactionOutcome;

use crate::error::{InvalidTransaction, TransactionError};
use crate::frames::Evm;
use crate::gas;
use crate::host::TransactionEnv;
use crate::trace::Inspector;
use run::Run;

/// Gas refunded for each account deleted.
const DELETION_REFUND: u64 = 24_000;

/// REMASC, which receives the fees.
pub const REMASC_ADDRESS: Address = rhizome_primitives::address!("0000000000000000000000000000000001000008");

/// The kind of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// In a block, or as if it were sent.
    Sent(FeePayment),
    /// eth_call: nothing is checked, bought or refunded (evm.md §3.3).
    Local,
}

impl Evm {
    /// Executes a transaction of a block. After an error of either kind, the journal is unchanged.
    ///
    /// # Errors
    /// [`TransactionError::Invalid`] makes the block invalid; [`TransactionError::Execution`] says nothing about it.
    pub fn transact<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        position: Position,
        fees: FeePayment,
        inspector: &mut I,
    ) -> Result<TransactionOutcome, TransactionError> {
        self.execute(transaction, position, Mode::Sent(fees), inspector)
    }

    pub(crate) fn execute<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        position: Position,
        mode: Mode,
        inspector: &mut I,
    ) -> Result<TransactionOutcome, TransactionError> {
        let start = self.host.journal.checkpoint();
        let result = self.attempt(transaction, position, mode, inspector);
        if result.is_err() {
            self.host.journal.revert(start);
        }
        result
    }

    fn attempt<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        position: Position,
        mode: Mode,
        inspector: &mut I,
    ) -> Result<TransactionOutcome, TransactionError> {
        let free = gas::is_free(&self.host.context.spec, &self.host.rules, transaction);
        let intrinsic = gas::intrinsic(&self.host.rules, transaction, free);
        self.host.banned = None;
        self.host.transaction = TransactionEnv {
            origin: transaction.sender.address(),
            signature: transaction.signature,
            gas_price: transaction.gas_price,
            index: position.index,
            local_call: mode == Mode::Local,
            remasc: transaction.remasc,
            free,
        };
        if mode != Mode::Local {
            self.validate(transaction, position, intrinsic)?;
            self.host.journal.increase_nonce(transaction.sender)?;
            let purchase = transaction.gas_price.wrapping_mul(U256::from(transaction.gas_limit));
            self.host.journal.subtract_balance(transaction.sender, purchase)?;
        }
        let run = match transaction.to {
            None => self.run_creation(transaction, intrinsic, inspector)?,
            Some(to) => self.run_call(transaction, to, intrinsic, inspector)?,
        };
        self.settle(transaction, run, mode)
    }

    /// Refunds, fees, deletions.
    fn settle(
        &mut self,
        transaction: &Transaction,
        run: Run,
        mode: Mode,
    ) -> Result<TransactionOutcome, TransactionError> {
        let journal = &mut self.host.journal;
        let deletions = journal.scheduled().len() as u64;
        let refund = if run.failure.is_some() {
            0
        } else {
            (run.refund.max(0) as u64 + DELETION_REFUND * deletions).min(run.spent / 2)
        };
        let left = run.leftover + refund as i64;
        let price = transaction.gas_price;
        let spent = if run.threw { transaction.gas_limit } else { (transaction.gas_limit as i64 - left) as u64 };
        let paid = price.wrapping_mul(U256::from(spent));
        if let Mode::Sent(fees) = mode {
            let returned = price.wrapping_mul(U256::from(if run.threw { 0 } else { left.unsigned_abs() }));
            if left < 0 {
                journal.subtract_balance(transaction.sender, returned)?;
            } else {
                journal.add_balance(transaction.sender, returned)?;
            }
            if fees == FeePayment::AtOnce {
                journal.add_balance(REMASC_ADDRESS.into(), paid)?;
            }
        }
        let (logs, deleted) = journal.finish_transaction();
        Ok(TransactionOutcome {
            succeeded: run.failure.as_ref().is_none_or(|failure| !failure.fails_receipt()),
            gas_used: (transaction.gas_limit as i64 - left) as u64,
            paid_fees: paid,
            refund,
            output: run.output,
            logs,
            contract_address: run.created,
            deleted,
            failure: run.failure,
            banned: self.host.banned,
        })
    }

    /// The reference fails during execution: the transaction is invalid.
    pub(crate) fn internal(text: impl Into<String>) -> TransactionError {
        InvalidTransaction::Internal(text.into()).into()
    }
}
