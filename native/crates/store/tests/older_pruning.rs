//! A line that gives its earliest states up, above states that were converted: those are there as long as the line has the
//! state at which both meet, and go as a whole with it.
#![allow(clippy::unwrap_used)]

mod model;
mod older_chain;

use std::path::Path;
use std::sync::Arc;

use model::changes;
use older_chain::{Chain, change, lose_table, open};
use proptest::prelude::*;
use rhizome_primitives::U256;
use rhizome_primitives::account::Account;
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_store::{CheckProgress, Proofs, StateStore};

/// Tries go after a few blocks, so that values are read without them.
const PROOFS: Proofs = Proofs { blocks: 3, epoch_blocks: 2, epoch_bytes: 1 << 30, nodes_at_once: Some(50) };

#[derive(Clone, Debug)]
enum Event {
    Block(WriteSet),
    /// So many blocks leave, and others join.
    Reorganisation(usize, Vec<WriteSet>),
    Commit,
    Settle,
    GiveUp,
    Restart(Option<usize>),
    Convert(usize, usize),
}

fn event() -> impl Strategy<Value = Event> {
    let joined = prop::collection::vec(changes(), 1..4);
    prop_oneof![
        8 => changes().prop_map(Event::Block),
        1 => (1..4_usize, joined).prop_map(|(left, joined)| Event::Reorganisation(left, joined)),
        2 => Just(Event::Commit),
        2 => Just(Event::Settle),
        4 => Just(Event::GiveUp),
        1 => prop::option::weighted(0.8, 3_usize..12).prop_map(Event::Restart),
        1 => (1..4_usize, 1..900_usize).prop_map(|(commits, bytes)| Event::Convert(commits, bytes)),
    ]
}

/// A store whose line begins with the last of these blocks.
fn open_above(path: &Path, old: Vec<WriteSet>) -> (Arc<StateStore>, Chain) {
    let store = open(path);
    let mut chain = Chain::new(&store);
    for changes in old {
        chain.extend(&store, changes, false);
    }
    store.commit().unwrap();
    store.close();
    let store = open(path);
    store.set_head(chain.head().root, None);
    store.settle_head().unwrap();
    (store, chain)
}

/// Announces the states that the line does not have, as the chain thread does at its start.
fn follow(store: &Arc<StateStore>, chain: &Chain) {
    let known = chain.blocks.iter().rposition(|block| store.has_on_line(&block.root).unwrap()).unwrap();
    for block in &chain.blocks[known..] {
        store.set_head(block.root, None);
    }
}

fn give_up(store: &Arc<StateStore>, chain: &Chain, blocks: usize) {
    let root_below = |blocks: usize| chain.blocks.len().checked_sub(1 + blocks).map(|number| chain.blocks[number].root);
    store.commit().unwrap();
    if let Some(root) = root_below(blocks) {
        store.drop_history_before(&root).unwrap();
        store.settle_history().unwrap();
    }
    if let Some(root) = root_below(PROOFS.blocks as usize)
        && let Some(end) = store.prunable(&root).unwrap()
    {
        store.settle_epochs().unwrap();
        store.drop_before(end).unwrap();
    }
}

fn check_all(store: &Arc<StateStore>) {
    let progress = CheckProgress::default();
    store.check_line(&progress).unwrap().unwrap();
    store.check_head(&progress).unwrap().unwrap();
    store.check_older(&progress).unwrap();
}

/// Each state is right or gone, and those from a block on are there.
fn check_values(store: &Arc<StateStore>, chain: &Chain, lowest: u64) -> Result<(), TestCaseError> {
    store.drop_caches();
    for block in &chain.blocks {
        if store.has_values(&block.root).unwrap() {
            block.model.check_rows(&store.table_reader(block.root))?;
        } else {
            prop_assert!(block.number < lowest, "block {} of {}", block.number, chain.head().number);
        }
        match store.reader(block.root) {
            Ok(reader) => block.model.check_rows(&*reader)?,
            Err(error) => prop_assert!(matches!(error, StateError::MissingNode(_)), "{error}"),
        }
    }
    Ok(())
}

/// Entries of the tables of states from before the line; the store must be closed.
fn older_entries(path: &Path) -> u64 {
    let mut count = 0;
    change(path, |transaction, table| {
        count = ["older", "older_states"].map(|name| table(transaction, name).len(transaction).unwrap()).iter().sum();
    });
    count
}

fn nonce(number: u64) -> WriteSet {
    let account = Account { nonce: U256::from(number), ..Account::default() };
    WriteSet { accounts: vec![(model::account(2), account)], ..WriteSet::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn converted_states_are_right_or_gone(
        old in prop::collection::vec(changes(), 1..20),
        conversion in prop::option::weighted(0.3, (1..6_usize, 1..900_usize)),
        first in prop::option::weighted(0.8, 3_usize..12),
        events in prop::collection::vec(event(), 5..50),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, mut chain) = open_above(folder.path(), old);
        store.convert(chain.head().hash, conversion).unwrap();
        let low = store.older_progress().unwrap().map(|progress| progress.low);
        let mut lowest = low.unwrap_or(chain.head().number);
        let begin = chain.head().number;
        let mut tries = 0;
        store.set_proofs(Some(PROOFS));
        let mut history = first;
        for event in events {
            match event {
                Event::Block(changes) => chain.extend(&store, changes, true),
                Event::Reorganisation(left, joined) => {
                    // No deeper than tries are kept, as a node does.
                    if chain.head().number >= begin.max(tries) + left as u64 {
                        chain.blocks.truncate(chain.blocks.len() - left);
                        store.set_head(chain.head().root, None);
                        for changes in joined {
                            chain.extend(&store, changes, true);
                        }
                    }
                }
                Event::Commit => store.commit().unwrap(),
                Event::Settle => {
                    store.settle_head().unwrap();
                    store.settle_epochs().unwrap();
                    check_all(&store);
                }
                Event::GiveUp => {
                    if let Some(blocks) = history {
                        lowest = lowest.max(chain.head().number.saturating_sub(blocks as u64));
                        tries = tries.max(chain.head().number.saturating_sub(PROOFS.blocks));
                        give_up(&store, &chain, blocks);
                    }
                }
                Event::Restart(next) => {
                    store.commit().unwrap();
                    store.close();
                    store = open(folder.path());
                    store.set_proofs(Some(PROOFS));
                    history = next;
                    follow(&store, &chain);
                }
                Event::Convert(commits, bytes) => {
                    store.commit().unwrap();
                    store.convert(chain.head().hash, Some((commits, bytes))).unwrap();
                }
            }
            check_values(&store, &chain, lowest)?;
        }
        // In the end the line is longer than what is kept, so that nothing is left from before it.
        for _ in 0..12 {
            let number = chain.made + 1;
            chain.extend(&store, nonce(number), true);
            store.settle_head().unwrap();
            give_up(&store, &chain, 5);
        }
        check_all(&store);
        let head = chain.head().number;
        check_values(&store, &chain, head - 5)?;
        let has_values: Vec<_> = chain.blocks.iter().map(|block| store.has_values(&block.root).unwrap()).collect();
        prop_assert_eq!(has_values.iter().position(|has_values| *has_values), Some(head as usize - 5));
        prop_assert_eq!(store.older_progress().unwrap(), None);
        store.close();
        prop_assert_eq!(older_entries(folder.path()), 0);
    }
}

fn grow(store: &Arc<StateStore>, chain: &mut Chain, blocks: u64) {
    for _ in 0..blocks {
        chain.extend(store, nonce(chain.made + 1), true);
    }
    store.settle_head().unwrap();
}

/// Gives up the values of all but the newest blocks; the tries stay.
fn forget(store: &Arc<StateStore>, chain: &Chain, kept: usize) {
    store.drop_history_before(&chain.blocks[chain.blocks.len() - 1 - kept].root).unwrap();
    store.settle_history().unwrap();
}

fn first_values(store: &Arc<StateStore>, chain: &Chain) -> usize {
    chain.blocks.iter().position(|block| store.has_values(&block.root).unwrap()).unwrap()
}

#[test]
fn converted_states_go_with_the_state_where_they_meet_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let (store, mut chain) = open_above(folder.path(), (1..=30).map(nonce).collect());
    store.convert(chain.head().hash, None).unwrap();
    grow(&store, &mut chain, 10);
    let archive = store.history_stats().unwrap();
    // The oldest block that is kept is a converted one, and then the one where the line begins.
    for kept in [15, 10] {
        forget(&store, &chain, kept);
        assert_eq!(first_values(&store, &chain), 0);
    }
    forget(&store, &chain, 9);
    assert_eq!(first_values(&store, &chain), 31);
    check_values(&store, &chain, 31).unwrap();
    check_all(&store);
    let stats = store.history_stats().unwrap();
    assert_eq!((archive.steps, stats.steps), (10, 9));
    assert!(stats.bytes < archive.bytes, "{archive:?} {stats:?}");
    store.close();
    assert_eq!(older_entries(folder.path()), 0);
    // An archive of tries has them converted again, once the rest of what a killed process cleared is gone.
    change(folder.path(), |transaction, table| {
        table(transaction, "older").put(transaction, &[1, 5, 0, 0, 0, 0, 3], &[]).unwrap()
    });
    let store = open(folder.path());
    store.set_head(chain.head().root, None);
    store.convert(chain.head().hash, None).unwrap();
    assert_eq!(first_values(&store, &chain), 0);
    check_values(&store, &chain, 0).unwrap();
    let report = store.check_older(&CheckProgress::default()).unwrap().unwrap();
    assert_eq!(report.blocks, 31);
}

#[test]
fn converted_states_of_a_line_that_is_lost_go_with_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let (store, mut chain) = open_above(folder.path(), (1..=30).map(nonce).collect());
    store.convert(chain.head().hash, None).unwrap();
    grow(&store, &mut chain, 10);
    store.close();
    lose_table(folder.path());
    let store = open(folder.path());
    store.set_head(chain.head().root, None);
    store.settle_head().unwrap();
    assert_eq!(first_values(&store, &chain), 40);
    grow(&store, &mut chain, 10);
    forget(&store, &chain, 5);
    assert_eq!(first_values(&store, &chain), 45);
    check_all(&store);
    store.close();
    assert_eq!(older_entries(folder.path()), 0);
}
