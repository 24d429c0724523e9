//! The block executor (consensus.md §4.5, §4.6, evm.md §3.8): one-off accounts, transactions in
//! their sublists, fees.

mod activation;
mod build;
#[cfg(test)]
mod build_tests;
mod input;
mod lists;
mod outcome;
mod parallel;
mod placement;
#[cfg(test)]
mod tests;
mod watch;

use std::sync::Arc;

use rhizome_primitives::state::StateReader;

pub use activation::precompile_accounts;
pub use build::{BuiltBlock, Candidates, Skipped, build_block};
pub use input::BlockInput;
pub use lists::{SublistLimits, sublist_limits};
pub use outcome::{BlockError, BlockOutcome, ExecutedTransaction};
pub use parallel::worth_threads;
pub use watch::{Unwatched, Watcher};

use crate::journal::Journal;
use lists::{Lists, Totals};

/// Executes a block on the state of its parent.
///
/// # Errors
/// [`BlockError::Execution`] says nothing about the validity of the block; every other error makes it invalid.
pub fn execute_block(input: &BlockInput<'_>, state: Arc<dyn StateReader>) -> Result<BlockOutcome, BlockError> {
    execute_block_watched(input, state, &mut Unwatched)
}

/// Executes a block and lets `watcher` inspect transactions. Parallel sublists of a watched block run
/// one after the other.
///
/// # Errors
/// As [`execute_block`].
pub fn execute_block_watched<W: Watcher>(
    input: &BlockInput<'_>,
    state: Arc<dyn StateReader>,
    watcher: &mut W,
) -> Result<BlockOutcome, BlockError> {
    let lists = Lists::new(input)?;
    let mut journal = Journal::new(state);
    activation::activate_precompiles(&mut journal, &input.context)?;

    let mut totals = Totals::default();
    if lists.parallel.len() > 1 && !W::WATCHES && !input.one_thread {
        parallel::run_on_threads(input, &lists, &mut journal, &mut totals)?;
    } else if !lists.parallel.is_empty() {
        parallel::run_sequentially(input, &lists, &mut journal, &mut totals, watcher)?;
    }

    let mut evm = input.engine(journal);
    lists.run(&mut evm, input, &lists.sequential, &mut totals, watcher)?;
    Ok(totals.outcome(evm.journal().write_set()))
}
