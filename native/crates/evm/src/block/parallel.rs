//! Parallel sublists: each runs on the state before the block's transactions; then they are checked for collisions and
//! merged in order (RSKIP144).

use super::input::BlockInput;
use super::lists::{List, Lists, Totals};
use super::outcome::BlockError;
use super::watch::{Unwatched, Watcher};
use crate::error::ExecutionError;
use crate::journal::{Journal, KeySets};
use crate::transaction::Transaction;

/// A list that was executed.
struct Done {
    journal: Journal,
    keys: KeySets,
    totals: Totals,
}

/// Gas above which a sublist is worth a thread. Starting a thread takes as long as executing a few hundred thousand
/// gas.
const THREAD_GAS: u64 = 2_000_000;

/// True when running the parallel sublists on threads is faster than one after the other: at least two of them must be
/// able to use much gas.
pub fn worth_threads(transactions: &[Transaction], edges: &[u16]) -> bool {
    let mut start = 0;
    let large = edges.iter().filter(|edge| {
        let end = usize::from(**edge);
        let list = transactions.get(start..end).unwrap_or_default();
        start = end;
        list.iter().fold(0, |gas: u64, transaction| gas.saturating_add(transaction.gas_limit)) >= THREAD_GAS
    });
    large.count() > 1
}

/// Runs every list on a thread of its own; the first one runs on the calling thread.
pub(super) fn run_on_threads(
    input: &BlockInput<'_>,
    lists: &Lists,
    journal: &mut Journal,
    totals: &mut Totals,
) -> Result<(), BlockError> {
    let Some((first, others)) = lists.parallel.split_first() else { return Ok(()) };
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = others
            .iter()
            .map(|list| {
                let fork = journal.fork();
                scope.spawn(move || run(input, lists, list, fork, &mut Unwatched))
            })
            .collect();
        let mut results = vec![run(input, lists, first, journal.fork(), &mut Unwatched)];
        results.extend(
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(ExecutionError::Panicked.into()))),
        );
        results
    });
    // In list order, so that the first violation reported does not depend on timing.
    merge(results.into_iter().collect::<Result<_, _>>()?, journal, totals)
}

/// Runs the lists one after the other on this thread, with the same result.
pub(super) fn run_sequentially<W: Watcher>(
    input: &BlockInput<'_>,
    lists: &Lists,
    journal: &mut Journal,
    totals: &mut Totals,
    watcher: &mut W,
) -> Result<(), BlockError> {
    let mut results = Vec::with_capacity(lists.parallel.len());
    for list in &lists.parallel {
        results.push(run(input, lists, list, journal.fork(), watcher)?);
    }
    merge(results, journal, totals)
}

fn run<W: Watcher>(
    input: &BlockInput<'_>,
    lists: &Lists,
    list: &List,
    mut journal: Journal,
    watcher: &mut W,
) -> Result<Done, BlockError> {
    // A single list has nothing to collide with.
    if lists.parallel.len() > 1 {
        journal.record_keys();
    }
    let mut evm = input.engine(journal);
    let mut totals = Totals::default();
    lists.run(&mut evm, input, list, &mut totals, watcher)?;
    let mut journal = evm.into_journal();
    let keys = journal.take_keys().unwrap_or_default();
    Ok(Done { journal, keys, totals })
}

fn merge(done: Vec<Done>, journal: &mut Journal, totals: &mut Totals) -> Result<(), BlockError> {
    for (second, later) in done.iter().enumerate() {
        if let Some(first) = done[..second].iter().position(|earlier| earlier.keys.collides(&later.keys)) {
            return Err(BlockError::Collision { first, second });
        }
    }
    for list in done {
        journal.merge(list.journal);
        totals.add(list.totals);
    }
    Ok(())
}
