//! Building a block: candidates run in order, and what cannot be in the block is left out. All of
//! them run in the sequential sublist.

use std::sync::Arc;

use rhizome_primitives::state::StateReader;

use super::activation::activate_precompiles;
use super::lists::{Totals, pay_fees, sublist_limits};
use super::outcome::{BlockError, BlockOutcome, ExecutedTransaction};
use crate::error::{ExecutionError, TransactionError};
use crate::frames::Evm;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::trace::NoInspector;
use crate::transaction::{FeePayment, Position, Transaction};

/// Candidates for a block.
#[derive(Clone)]
pub struct Candidates<'a> {
    /// Network, block and its ancestors.
    pub context: BlockContext,
    /// Transactions in the order of preference; the REMASC transaction last.
    pub transactions: &'a [Transaction],
}

/// A candidate that was left out.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// Index among the candidates.
    pub index: usize,
    /// Why.
    pub reason: TransactionError,
}

/// A block built from candidates.
#[derive(Clone, Debug)]
pub struct BuiltBlock {
    /// Indices of the candidates in the block, in order.
    pub included: Vec<usize>,
    /// The others.
    pub skipped: Vec<Skipped>,
    /// What came of the block; its transactions are those included.
    pub outcome: BlockOutcome,
}

/// Executes candidates and keeps those that are valid and fit. A candidate that needs a feature this
/// node does not have is left out as well.
///
/// # Errors
/// [`BlockError::Execution`] when the state cannot be read.
pub fn build_block(candidates: &Candidates<'_>, state: Arc<dyn StateReader>) -> Result<BuiltBlock, BlockError> {
    let context = &candidates.context;
    let mut journal = Journal::new(state);
    activate_precompiles(&mut journal, context)?;
    let (gas_limit, fees) = if context.rules.parallel_execution() {
        let limits = sublist_limits(context.block.gas_limit, context.spec.minimum_sequential_gas);
        (limits.sequential, FeePayment::Postponed)
    } else {
        (context.block.gas_limit, FeePayment::AtOnce)
    };
    let mut evm = Evm::new(context.clone(), journal);
    let mut totals = Totals::default();
    let (mut included, mut skipped) = (Vec::new(), Vec::new());
    let mut paid = fees == FeePayment::AtOnce;
    for (index, transaction) in candidates.transactions.iter().enumerate() {
        if transaction.remasc && !paid {
            pay_fees(&mut evm, totals.paid_fees)?;
            paid = true;
        }
        let position = Position { index: included.len() as u32, gas_used: totals.gas_used, gas_limit };
        match evm.transact(transaction, position, fees, &mut NoInspector) {
            Ok(outcome) => {
                included.push(index);
                totals.gas_used += outcome.gas_used;
                totals.paid_fees = totals.paid_fees.wrapping_add(outcome.paid_fees);
                let cumulative = totals.gas_used;
                totals.transactions.push(ExecutedTransaction::new(outcome, cumulative));
            }
            Err(
                reason @ (TransactionError::Invalid(_) | TransactionError::Execution(ExecutionError::Unsupported(_))),
            ) => skipped.push(Skipped { index, reason }),
            Err(TransactionError::Execution(error)) => return Err(error.into()),
        }
    }
    if !paid {
        pay_fees(&mut evm, totals.paid_fees)?;
    }
    Ok(BuiltBlock { included, skipped, outcome: totals.outcome(evm.journal().write_set()) })
}
