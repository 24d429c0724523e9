//! Chooses the sublist of each transaction while a block is built (RSKIP144, evm.md §3.8), with the reference's greedy
//! algorithm.

use rhizome_primitives::account::AccountRef;

use super::lists::{PARALLEL_LISTS, sublist_limits};
use crate::host::BlockContext;
use crate::journal::{KeySets, StateKey};
use crate::maps::HashMap;

/// Most transactions in parallel sublists: edges are signed 16-bit numbers.
const MAX_PARALLEL: usize = i16::MAX as usize;

/// Gas available in a sublist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GasBudget {
    /// Gas limit of the sublist.
    pub(super) limit: u64,
    /// Gas used in it so far.
    pub(super) used: u64,
}

impl GasBudget {
    fn left(self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// An executed transaction that needs a sublist.
pub(super) struct Executed<'a> {
    pub(super) sender: AccountRef,
    pub(super) gas_limit: u64,
    pub(super) gas_used: u64,
    /// Keys that it read and wrote.
    pub(super) keys: &'a KeySets,
    /// True when it called a contract that parallel sublists ban.
    pub(super) banned: bool,
}

/// Sublists that are being built: the parallel ones, then the sequential one. Without RSKIP144 the sequential one is
/// the whole block.
pub(super) struct Placement {
    budgets: Vec<GasBudget>,
    counts: Vec<usize>,
    of_sender: HashMap<AccountRef, usize>,
    written_in: HashMap<StateKey, usize>,
    /// Bit set of the lists that read a key.
    read_in: HashMap<StateKey, u8>,
}

impl Placement {
    pub(super) fn new(context: &BlockContext) -> Self {
        let block_limit = context.block.usable_gas();
        let limits = if context.rules.parallel_execution() {
            let limits = sublist_limits(block_limit, context.spec.minimum_sequential_gas);
            let mut all = vec![limits.parallel; PARALLEL_LISTS as usize];
            all.push(limits.sequential);
            all
        } else {
            vec![block_limit]
        };
        Self {
            counts: vec![0; limits.len()],
            budgets: limits.into_iter().map(|limit| GasBudget { limit, used: 0 }).collect(),
            of_sender: HashMap::default(),
            written_in: HashMap::default(),
            read_in: HashMap::default(),
        }
    }

    /// True when there are parallel sublists to choose from; the keys that transactions touch must then be recorded.
    pub(super) fn has_parallel(&self) -> bool {
        self.sequential() > 0
    }

    /// Number of sublists.
    pub(super) fn lists(&self) -> usize {
        self.budgets.len()
    }

    /// The largest gas budget that a transaction could get.
    pub(super) fn max_budget(&self) -> GasBudget {
        self.budgets.iter().copied().max_by_key(|budget| budget.left()).unwrap_or(GasBudget { limit: 0, used: 0 })
    }

    /// Most gas that a transaction of an empty block could ask for.
    pub(super) fn largest_limit(&self) -> u64 {
        self.budgets.iter().map(|budget| budget.limit).max().unwrap_or_default()
    }

    /// Gas budget of a sublist.
    pub(super) fn budget(&self, list: usize) -> GasBudget {
        self.budgets[list]
    }

    /// Index of the sequential sublist, the last one.
    pub(super) fn sequential(&self) -> usize {
        self.budgets.len() - 1
    }

    /// Exclusive ends of the parallel sublists that are not empty.
    pub(super) fn edges(&self) -> Vec<u16> {
        let mut end = 0;
        let parallel = self.counts[..self.sequential()].iter().filter(|count| **count > 0);
        parallel
            .map(|count| {
                end += count;
                end as u16
            })
            .collect()
    }

    /// Puts a transaction into its sublist and returns the sublist's index; None when its gas fits in none.
    pub(super) fn place(&mut self, transaction: &Executed<'_>) -> Option<usize> {
        let mut list = if transaction.banned { self.sequential() } else { self.choose(transaction) };
        if self.budgets[list].left() < transaction.gas_limit {
            list = self.sequential();
        }
        if self.budgets[list].left() < transaction.gas_limit {
            return None;
        }
        self.budgets[list].used += transaction.gas_used;
        self.counts[list] += 1;
        self.record(transaction, list);
        Some(list)
    }

    fn choose(&self, transaction: &Executed<'_>) -> usize {
        let conflicts = self.conflicts(transaction);
        match conflicts.count_ones() {
            0 => self.least_used(transaction.gas_limit),
            1 => conflicts.trailing_zeros() as usize,
            _ => self.sequential(),
        }
    }

    /// Bit set of the lists with which the transaction conflicts.
    fn conflicts(&self, transaction: &Executed<'_>) -> u8 {
        let writer = |key: &StateKey| self.written_in.get(key).map_or(0, |list| 1 << list);
        let mut lists = self.of_sender.get(&transaction.sender).map_or(0, |list| 1u8 << list);
        for key in &transaction.keys.read {
            lists |= writer(key);
        }
        for key in &transaction.keys.written {
            lists |= writer(key) | self.read_in.get(key).copied().unwrap_or_default();
        }
        lists
    }

    /// The parallel list with the least gas used among those where it fits, the first one of several; the sequential list
    /// when it fits in none.
    fn least_used(&self, gas_limit: u64) -> usize {
        if self.counts[..self.sequential()].iter().sum::<usize>() >= MAX_PARALLEL {
            return self.sequential();
        }
        let parallel = 0..self.sequential();
        parallel
            .filter(|list| self.budgets[*list].left() >= gas_limit)
            .min_by_key(|list| self.budgets[*list].used)
            .unwrap_or(self.sequential())
    }

    /// Records sender and keys. A sender, or a written key, that reaches the sequential list stays there.
    fn record(&mut self, transaction: &Executed<'_>, list: usize) {
        self.of_sender.insert(transaction.sender, list);
        for key in &transaction.keys.read {
            *self.read_in.entry(*key).or_default() |= 1 << list;
        }
        for key in &transaction.keys.written {
            self.written_in.insert(*key, list);
        }
    }
}
