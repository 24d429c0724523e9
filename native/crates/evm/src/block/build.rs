//! Builds a block: candidates run in order on one state, each is assigned to a sublist (RSKIP144), and those that
//! cannot be in the block are left out.

use std::sync::Arc;

use rhizome_primitives::state::StateReader;

use super::activation::activate_precompiles;
use super::lists::{Totals, pay_fees};
use super::outcome::{BlockError, BlockOutcome, ExecutedTransaction};
use super::placement::{Executed, Placement};
use crate::error::{InvalidTransaction, TransactionError};
use crate::frames::Evm;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::trace::NoInspector;
use crate::transaction::{FeePayment, Position, Transaction, TransactionOutcome};

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
    /// The reason.
    pub reason: InvalidTransaction,
    /// True when it would be left out of an empty block as well: who waits behind it waits in vain.
    pub hopeless: bool,
}

/// A block built from candidates.
#[derive(Clone, Debug)]
pub struct BuiltBlock {
    /// Indices of the candidates in the block, in block order: the parallel sublists one after the
    /// other, then the sequential one.
    pub included: Vec<usize>,
    /// The others.
    pub skipped: Vec<Skipped>,
    /// Sublist edges of the header; None where blocks have none (before RSKIP144).
    pub edges: Option<Vec<u16>>,
    /// The outcome of the block; its transactions are those included.
    pub outcome: BlockOutcome,
}

/// Executes candidates and includes those that are valid and fit. A candidate that needs a feature this node does not
/// have is left out as well. Executing the built block gives the same outcome.
///
/// # Errors
/// [`BlockError::Execution`] when the state cannot be read.
pub fn build_block(candidates: &Candidates<'_>, state: Arc<dyn StateReader>) -> Result<BuiltBlock, BlockError> {
    let mut builder = Builder::new(&candidates.context, state)?;
    for (index, transaction) in candidates.transactions.iter().enumerate() {
        builder.try_candidate(index, transaction)?;
    }
    builder.finish()
}

/// A transaction in its sublist.
struct Placed {
    index: usize,
    executed: ExecutedTransaction,
}

struct Builder {
    evm: Evm,
    fees: FeePayment,
    fees_paid: bool,
    placement: Placement,
    lists: Vec<Vec<Placed>>,
    skipped: Vec<Skipped>,
    /// Gas and fees; the transactions are added in block order at the end.
    totals: Totals,
    /// Position before RSKIP191; it has no meaning where there are sublists.
    count: u32,
}

impl Builder {
    fn new(context: &BlockContext, state: Arc<dyn StateReader>) -> Result<Self, BlockError> {
        let mut journal = Journal::new(state);
        activate_precompiles(&mut journal, context)?;
        let placement = Placement::new(context);
        if placement.has_parallel() {
            journal.hold_transactions();
        }
        let postponed = context.rules.parallel_execution();
        Ok(Self {
            evm: Evm::new(context.clone(), journal),
            fees: if postponed { FeePayment::Postponed } else { FeePayment::AtOnce },
            fees_paid: !postponed,
            lists: (0..placement.lists()).map(|_| Vec::new()).collect(),
            placement,
            skipped: Vec::new(),
            totals: Totals::default(),
            count: 0,
        })
    }

    fn try_candidate(&mut self, index: usize, transaction: &Transaction) -> Result<(), BlockError> {
        if transaction.remasc {
            self.pay_fees()?;
        }
        if self.placement.has_parallel() {
            self.evm.journal_mut().record_keys();
        }
        let budget = self.placement.max_budget();
        let position = Position { index: self.count, gas_used: budget.used, gas_limit: budget.limit };
        match self.evm.transact(transaction, position, self.fees, &mut NoInspector) {
            Ok(outcome) => self.place(index, transaction, outcome),
            Err(TransactionError::Invalid(reason)) => {
                let hopeless = self.is_hopeless(&reason);
                self.skipped.push(Skipped { index, reason, hopeless });
            }
            Err(TransactionError::Execution(error)) => return Err(error.into()),
        }
        Ok(())
    }

    /// Puts an executed transaction into its sublist, or undoes it.
    fn place(&mut self, index: usize, transaction: &Transaction, outcome: TransactionOutcome) {
        let keys = self.evm.journal_mut().take_keys().unwrap_or_default();
        let list = self.placement.place(&Executed {
            sender: transaction.sender,
            gas_limit: transaction.gas_limit,
            gas_used: outcome.gas_used,
            keys: &keys,
            banned: transaction.remasc || outcome.banned.is_some(),
        });
        let Some(list) = list else {
            self.evm.journal_mut().take_back_transaction();
            let budget = self.placement.budget(self.placement.sequential());
            let no_gas = InvalidTransaction::NoBlockGas {
                gas_limit: transaction.gas_limit,
                used: budget.used,
                available: budget.limit,
            };
            let hopeless = self.is_hopeless(&no_gas);
            self.skipped.push(Skipped { index, reason: no_gas, hopeless });
            return;
        };
        if self.placement.has_parallel() {
            self.evm.journal_mut().keep_transaction();
        }
        self.count += 1;
        self.totals.gas_used += outcome.gas_used;
        self.totals.paid_fees = self.totals.paid_fees.wrapping_add(outcome.paid_fees);
        let cumulative = self.placement.budget(list).used;
        self.lists[list].push(Placed { index, executed: ExecutedTransaction::new(outcome, cumulative) });
    }

    /// True when the reason has nothing to do with the other candidates and the accounts. What fails during execution is
    /// dropped by the reference, too.
    fn is_hopeless(&self, reason: &InvalidTransaction) -> bool {
        match reason {
            InvalidTransaction::NoBlockGas { gas_limit, .. } => *gas_limit > self.placement.largest_limit(),
            InvalidTransaction::InitcodeTooLong { .. }
            | InvalidTransaction::IntrinsicGas { .. }
            | InvalidTransaction::Signature
            | InvalidTransaction::Internal(_) => true,
            InvalidTransaction::Nonce { .. }
            | InvalidTransaction::Funds { .. }
            | InvalidTransaction::BannedContract(_) => false,
        }
    }

    fn pay_fees(&mut self) -> Result<(), BlockError> {
        if !self.fees_paid {
            pay_fees(&mut self.evm, self.totals.paid_fees)?;
            self.fees_paid = true;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<BuiltBlock, BlockError> {
        self.pay_fees()?;
        let mut included = Vec::with_capacity(self.count as usize);
        for Placed { index, executed } in self.lists.into_iter().flatten() {
            included.push(index);
            self.totals.transactions.push(executed);
        }
        let edges = self.placement.has_parallel().then(|| self.placement.edges());
        let outcome = self.totals.outcome(self.evm.journal().write_set());
        Ok(BuiltBlock { included, skipped: self.skipped, edges, outcome })
    }
}
