//! A line that gives its earliest states up has every state that it says it has, whatever happens: reorganisations,
//! destruction and recreation, restarts, other depths, processes that are killed.
#![allow(clippy::unwrap_used)]

mod model;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model::{Model, SMALL, changes, extend, run_until_killed};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, LineReport, Proofs, StateStore};
use rhizome_trie::EMPTY_ROOT;

/// Tries go after a few blocks, so that values are read on the line alone.
const PROOFS: Proofs = Proofs { blocks: 3, epoch_blocks: 2, epoch_bytes: 1 << 30, nodes_at_once: Some(50) };

fn open(path: &Path) -> Arc<StateStore> {
    let store = StateStore::open(path, &SMALL).unwrap();
    store.set_proofs(Some(PROOFS));
    store
}

/// Announces the states of a chain that the line does not have, as the chain thread does at its start.
fn follow(store: &Arc<StateStore>, chain: &[B256]) {
    let known = chain.iter().rposition(|root| store.has_on_line(root).unwrap()).unwrap_or(0);
    for root in &chain[known..] {
        store.set_head(*root, None);
    }
}

fn give_up(store: &Arc<StateStore>, chain: &[B256], blocks: usize) {
    let Some(oldest) = chain.len().checked_sub(1 + blocks) else { return };
    store.drop_history_before(&chain[oldest]).unwrap();
    if let Some(oldest) = chain.len().checked_sub(1 + PROOFS.blocks as usize)
        && let Some(end) = store.prunable(&chain[oldest]).unwrap()
    {
        store.drop_before(end).unwrap();
    }
}

fn check_line(store: &Arc<StateStore>) -> LineReport {
    store.check_line(&CheckProgress::default()).unwrap().unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Commit,
    Settle,
    GiveUp,
    Restart(Option<usize>),
}

type Block = (WriteSet, Option<usize>, Vec<Step>);

fn chain() -> impl Strategy<Value = Vec<Block>> {
    let step = prop_oneof![
        4 => Just(Step::Commit),
        2 => Just(Step::Settle),
        5 => Just(Step::GiveUp),
        1 => prop::option::weighted(0.8, 3_usize..12).prop_map(Step::Restart),
    ];
    let changes = prop_oneof![6 => changes(), 1 => Just(WriteSet::default())];
    let forks = prop::option::weighted(0.25, 1_usize..12);
    prop::collection::vec((changes, forks, prop::collection::vec(step, 0..4)), 20..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn states_are_right_or_gone(first in prop::option::weighted(0.8, 3_usize..12), blocks in chain()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut history = first;
        let mut chain = vec![EMPTY_ROOT];
        let mut models = vec![Model::default()];
        let mut all = vec![(EMPTY_ROOT, Model::default())];
        // The lowest block that has to be there, and the lowest one with a trie.
        let (mut lowest, mut tries) = (0, 0);
        for (changes, fork, steps) in &blocks {
            // No deeper than tries are kept, as a node does: values may be kept further back, since the last restart or
            // because the chain was longer when tries were given up.
            if let Some(depth) = fork.filter(|depth| chain.len() > lowest.max(tries) + depth) {
                chain.truncate(chain.len() - depth);
                models.truncate(models.len() - depth);
                store.set_head(*chain.last().unwrap(), None);
            }
            let root = extend(&store, *chain.last().unwrap(), changes);
            let mut model = models.last().unwrap().clone();
            model.apply(changes);
            chain.push(root);
            models.push(model.clone());
            all.push((root, model));
            for step in steps {
                match step {
                    Step::Commit => store.commit().unwrap(),
                    Step::Settle => {
                        store.settle_head().unwrap();
                        store.settle_epochs().unwrap();
                        store.settle_history().unwrap();
                        check_line(&store);
                        prop_assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
                    }
                    Step::GiveUp => {
                        store.commit().unwrap();
                        if let Some(blocks) = history {
                            lowest = lowest.max(chain.len().saturating_sub(1 + blocks));
                            tries = tries.max(chain.len().saturating_sub(1 + PROOFS.blocks as usize));
                            give_up(&store, &chain, blocks);
                            store.settle_history().unwrap();
                        }
                    }
                    Step::Restart(next) => {
                        store.commit().unwrap();
                        store.close();
                        store = open(folder.path());
                        history = *next;
                        follow(&store, &chain);
                    }
                }
            }
            for (root, model) in chain.iter().zip(&models).skip(lowest) {
                prop_assert!(store.has_on_line(root).unwrap());
                model.check_rows(&*store.reader(*root).unwrap())?;
            }
            for root in &chain[tries..] {
                prop_assert!(store.has_root(root).unwrap());
            }
        }
        store.settle_head().unwrap();
        store.settle_history().unwrap();
        for (root, model) in &all {
            match store.reader(*root) {
                Ok(reader) => model.check_rows(&*reader)?,
                Err(error) => prop_assert!(matches!(error, StateError::MissingNode(_)), "{error}"),
            }
        }
        check_line(&store);
        prop_assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
    }
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

fn cell(slot: u64, value: u64) -> (AccountRef, U256, Option<Bytes>) {
    (contract(), U256::from(slot), Some(Bytes::copy_from_slice(&value.to_be_bytes())))
}

/// Cells that every block changes, one that no other does, and one that every second block removes.
fn block(number: u64) -> WriteSet {
    let removed = (contract(), U256::from(500), (number.is_multiple_of(2)).then(|| Bytes::from_static(&[1])));
    let storage = (0..10).map(|slot| cell(slot, number)).chain([cell(1_000 + number, number), removed]).collect();
    WriteSet {
        accounts: vec![(contract(), Account { nonce: U256::from(number), ..Account::default() })],
        storage,
        ..WriteSet::default()
    }
}

/// The first block whose state is there; all above it have what they had.
fn first_values(store: &Arc<StateStore>, chain: &[B256]) -> usize {
    let first = chain.iter().position(|root| store.has_on_line(root).unwrap()).unwrap();
    for (number, root) in chain.iter().enumerate().skip(first.max(1)) {
        let reader = store.reader(*root).unwrap();
        let value = |slot: u64| reader.storage(&contract(), &U256::from(slot)).unwrap();
        let expected = |number: usize| Some(Bytes::copy_from_slice(&(number as u64).to_be_bytes()));
        assert_eq!(reader.account(&contract()).unwrap().unwrap().nonce, U256::from(number));
        assert_eq!((value(3), value(1_000 + number as u64)), (expected(number), expected(number)));
        assert_eq!((value(1_001 + number as u64), value(500).is_some()), (None, number % 2 == 0));
    }
    first
}

fn grow(store: &Arc<StateStore>, chain: &mut Vec<B256>, blocks: u64, kept: Option<usize>) {
    for _ in 0..blocks {
        let root = extend(store, *chain.last().unwrap(), &block(chain.len() as u64));
        chain.push(root);
        store.commit().unwrap();
        if let Some(kept) = kept {
            give_up(store, chain, kept);
        }
    }
}

#[test]
fn what_the_line_takes_does_not_grow_with_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut chain = vec![EMPTY_ROOT];
    let kept = 300;
    grow(&store, &mut chain, 1_500, Some(kept));
    store.settle_head().unwrap();
    // The thread of the store does it in lots of 256 steps, as blocks come: what is left is less than two of them.
    let first = first_values(&store, &chain);
    assert!((chain.len() - 1 - kept - 512..=chain.len() - 1 - kept).contains(&first), "{first}");
    store.settle_history().unwrap();
    assert_eq!(first_values(&store, &chain), chain.len() - 1 - kept);
    let stats = store.history_stats().unwrap();
    assert_eq!(stats.steps, kept as u64);
    grow(&store, &mut chain, 1_500, Some(kept));
    store.settle_head().unwrap();
    store.settle_history().unwrap();
    let later = store.history_stats().unwrap();
    assert!(later.bytes <= stats.bytes + stats.bytes / 5, "{stats:?} {later:?}");
    let report = check_line(&store);
    assert_eq!((report.steps, report.changes), (kept as u64, kept as u64 * 13));
    // An archive from now on, and then with twice the depth.
    store.keep_history();
    grow(&store, &mut chain, 300, None);
    store.settle_history().unwrap();
    assert_eq!(first_values(&store, &chain), chain.len() - 1 - kept - 300);
    grow(&store, &mut chain, 300, Some(2 * kept));
    store.settle_head().unwrap();
    store.settle_history().unwrap();
    assert_eq!(first_values(&store, &chain), chain.len() - 1 - 2 * kept);
    check_line(&store);
}

#[test]
fn a_line_that_came_back_to_the_empty_state_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 4, None);
    store.settle_head().unwrap();
    store.set_head(EMPTY_ROOT, None);
    chain.truncate(1);
    // Fewer blocks than a commit moves to the table, of which many are given up.
    for number in 100..112 {
        let root = extend(&store, *chain.last().unwrap(), &block(number));
        chain.push(root);
        store.commit().unwrap();
        store.settle_epochs().unwrap();
        give_up(&store, &chain, 8);
    }
    store.close();
    let store = open(folder.path());
    follow(&store, &chain);
    store.settle_head().unwrap();
    for (number, root) in (99_u64..).zip(&chain).skip(1) {
        assert!(store.has_on_line(root).unwrap(), "{number}");
        let reader = store.reader(*root).unwrap();
        assert_eq!(reader.account(&contract()).unwrap().unwrap().nonce, U256::from(number));
    }
    check_line(&store);
}

const CRASH_FOLDER: &str = "RHIZOME_TEST_HISTORY_CRASH_FOLDER";
const KEPT: usize = 20;

/// Run as another process by the test below: blocks, of which the oldest are given up, until it is killed. Prints the root
/// of each committed block.
#[test]
fn crashing_writer() {
    let Some(folder) = std::env::var_os(CRASH_FOLDER) else { return };
    let store = open(Path::new(&folder));
    let mut chain = Vec::new();
    for line in std::io::stdin().lines() {
        chain.push(line.unwrap().parse::<B256>().unwrap());
    }
    follow(&store, &chain);
    loop {
        grow(&store, &mut chain, 1, Some(KEPT));
        println!("\ncommitted {}", chain.last().unwrap());
        store.settle_history().unwrap();
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut chain = vec![EMPTY_ROOT];
    let rounds: usize = std::env::var("RHIZOME_TEST_KILLS").map_or(10, |rounds| rounds.parse().unwrap());
    let mut lowest = 0;
    for round in 0..rounds {
        let pause = Duration::from_micros((round as u64 * 977) % 9_000);
        run_until_killed(CRASH_FOLDER, folder.path(), &mut chain, 25 + round % 13, pause);
        let store = open(folder.path());
        follow(&store, &chain);
        let first = first_values(&store, &chain);
        assert!(first >= lowest && first + KEPT < chain.len() + 1, "{first} of {}", chain.len());
        assert!(round < 2 || first > 0);
        lowest = first;
        store.settle_head().unwrap();
        check_line(&store);
        assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
        store.close();
    }
}
