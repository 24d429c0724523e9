//! Sublists: their ranges, gas limits, and running one of them.

use std::ops::Range;

use rhizome_primitives::U256;
use rhizome_primitives::state::WriteSet;

use super::input::BlockInput;
use super::outcome::{BlockError, BlockOutcome, ExecutedTransaction};
use super::watch::Watcher;
use crate::error::{ExecutionError, InvalidTransaction};
use crate::frames::Evm;
use crate::receipt::merge;
use crate::trace::NoInspector;
use crate::transaction::{FeePayment, Position, REMASC_ADDRESS};

/// Threads that run parallel sublists (RSKIP144).
pub(super) const PARALLEL_LISTS: u64 = 2;

/// Gas limits of the sublists of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SublistLimits {
    /// Limit of each parallel sublist.
    pub parallel: u64,
    /// Limit of the sequential one.
    pub sequential: u64,
}

/// Splits the block gas limit (consensus.md §4.6). `minimum` is the network's reserve for the
/// sequential sublist.
pub fn sublist_limits(block_limit: u64, minimum: u64) -> SublistLimits {
    let equal = block_limit / (PARALLEL_LISTS + 1);
    let parallel = if equal >= minimum { equal } else { block_limit.saturating_sub(minimum) / PARALLEL_LISTS };
    SublistLimits { parallel, sequential: block_limit - PARALLEL_LISTS * parallel }
}

/// One sublist.
pub(super) struct List {
    pub(super) range: Range<usize>,
    /// Gas that its transactions may use together.
    pub(super) gas_limit: u64,
    /// True when the Bridge and REMASC are banned.
    pub(super) parallel: bool,
}

/// The sublists of a block.
pub(super) struct Lists {
    pub(super) parallel: Vec<List>,
    pub(super) sequential: List,
    pub(super) fees: FeePayment,
}

/// Sums over the lists that ran so far. Transactions are in block order because lists are merged in order.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) transactions: Vec<ExecutedTransaction>,
    pub(super) gas_used: u64,
    pub(super) paid_fees: U256,
}

impl Totals {
    pub(super) fn add(&mut self, list: Self) {
        self.transactions.extend(list.transactions);
        self.gas_used += list.gas_used;
        self.paid_fees = self.paid_fees.wrapping_add(list.paid_fees);
    }

    pub(super) fn outcome(self, write_set: WriteSet) -> BlockOutcome {
        let mut logs_bloom = Box::new([0; 256]);
        for transaction in &self.transactions {
            merge(&mut logs_bloom, &transaction.receipt.bloom);
        }
        BlockOutcome {
            transactions: self.transactions,
            gas_used: self.gas_used,
            paid_fees: self.paid_fees,
            logs_bloom,
            write_set,
        }
    }
}

impl Lists {
    pub(super) fn new(input: &BlockInput<'_>) -> Result<Self, BlockError> {
        let block_limit = input.context.block.usable_gas();
        let count = input.transactions.len();
        if !input.context.rules.parallel_execution() {
            let sequential = List { range: 0..count, gas_limit: block_limit, parallel: false };
            return Ok(Self { parallel: Vec::new(), sequential, fees: FeePayment::AtOnce });
        }
        let limits = sublist_limits(block_limit, input.context.spec.minimum_sequential_gas);
        let edges = input.edges.unwrap_or_default();
        let refused = || BlockError::Edges { edges: edges.to_vec(), transactions: count };
        if edges.len() as u64 > PARALLEL_LISTS {
            return Err(refused());
        }
        let mut start = 0;
        let mut parallel = Vec::with_capacity(edges.len());
        for &edge in edges {
            let end = usize::from(edge);
            // That the last edge is below the count is a rule of the header. Chains without REMASC transaction break
            // it.
            if end <= start || end > count {
                return Err(refused());
            }
            parallel.push(List { range: start..end, gas_limit: limits.parallel, parallel: true });
            start = end;
        }
        let sequential = List { range: start..count, gas_limit: limits.sequential, parallel: false };
        Ok(Self { parallel, sequential, fees: FeePayment::Postponed })
    }

    /// Runs a list; adds to `totals`. The sequential list must come last: it pays postponed fees.
    pub(super) fn run<W: Watcher>(
        &self,
        evm: &mut Evm,
        input: &BlockInput<'_>,
        list: &List,
        totals: &mut Totals,
        watcher: &mut W,
    ) -> Result<(), BlockError> {
        let last = input.transactions.len().checked_sub(1);
        let mut gas_used = 0;
        for index in list.range.clone() {
            let transaction = &input.transactions[index];
            let pays = self.fees == FeePayment::Postponed && Some(index) == last;
            if pays && transaction.remasc {
                pay_fees(evm, totals.paid_fees)?;
            }
            let position = Position { index: index as u32, gas_used, gas_limit: list.gas_limit };
            let result = match watcher.inspector(index, evm.journal_mut())? {
                Some(inspector) => evm.transact(transaction, position, self.fees, inspector),
                None => evm.transact(transaction, position, self.fees, &mut NoInspector),
            };
            let outcome = result.map_err(|error| BlockError::at(index, error))?;
            if let (true, Some(address)) = (list.parallel && !input.system_contracts_in_parallel, outcome.banned) {
                return Err(BlockError::Transaction { index, reason: InvalidTransaction::BannedContract(address) });
            }
            watcher.finished(index, &outcome, evm.journal_mut())?;
            if watcher.is_done() {
                return Err(ExecutionError::Interrupted.into());
            }
            gas_used += outcome.gas_used;
            totals.gas_used += outcome.gas_used;
            totals.paid_fees = totals.paid_fees.wrapping_add(outcome.paid_fees);
            totals.transactions.push(ExecutedTransaction::new(outcome, gas_used));
            if pays && !transaction.remasc {
                pay_fees(evm, totals.paid_fees)?;
            }
        }
        Ok(())
    }
}

/// Pays postponed fees to REMASC. Zero fees make no payment, because it would create the account.
pub(super) fn pay_fees(evm: &mut Evm, fees: U256) -> Result<(), BlockError> {
    if !fees.is_zero() {
        evm.journal_mut().add_balance(REMASC_ADDRESS.into(), fees)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_follow_the_three_cases() {
        let limits = |block, minimum| {
            let SublistLimits { parallel, sequential } = sublist_limits(block, minimum);
            (parallel, sequential)
        };
        assert_eq!(limits(30_000_001, 10_000_000), (10_000_000, 10_000_001));
        assert_eq!(limits(6_800_000, 6_800_000), (0, 6_800_000));
        assert_eq!(limits(5_000_000, 10_000_000), (0, 5_000_000));
        assert_eq!(limits(12_000_001, 10_000_000), (1_000_000, 10_000_001));
    }
}
