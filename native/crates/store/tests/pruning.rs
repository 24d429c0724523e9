//! A log that gives its oldest part up has every state that it says it has, whatever happens: reorganisations, restarts,
//! other depths, processes that are killed.
#![allow(clippy::unwrap_used)]

mod model;

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use model::{Model, SMALL, changes, extend, run_until_killed};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, Proofs, StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;

fn open(path: &Path) -> Arc<StateStore> {
    StateStore::open(path, &SMALL).unwrap()
}

fn is_whole(store: &Arc<StateStore>, root: B256) -> Result<(), StateError> {
    store.check_root(&root, &CheckProgress::default()).map(|_| ())
}

/// Gives up what the chain does not need if it keeps so many blocks.
fn prune(store: &Arc<StateStore>, chain: &[B256], blocks: u64) -> u64 {
    let Some(last) = chain.len().checked_sub(1 + blocks as usize) else { return 0 };
    match store.prunable(&chain[last]).unwrap() {
        Some(end) => store.drop_before(end).unwrap(),
        None => 0,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().unwrap().starts_with("nodes-"))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Commit,
    Seal,
    Prune,
    Restart(Option<Proofs>),
}

fn proofs() -> impl Strategy<Value = Proofs> {
    (3_u64..10, 1_u64..4, 200_u64..4_000, 1_usize..12).prop_map(|(blocks, epoch_blocks, epoch_bytes, nodes)| Proofs {
        blocks,
        epoch_blocks,
        epoch_bytes,
        nodes_at_once: Some(nodes),
    })
}

type Block = (WriteSet, Option<usize>, Vec<Step>);

fn chain() -> impl Strategy<Value = Vec<Block>> {
    let step = prop_oneof![
        4 => Just(Step::Commit),
        3 => Just(Step::Seal),
        6 => Just(Step::Prune),
        1 => prop::option::weighted(0.8, proofs()).prop_map(Step::Restart),
    ];
    let changes = prop_oneof![6 => changes(), 1 => Just(WriteSet::default())];
    // How many blocks a reorganisation replaces.
    let forks = prop::option::weighted(0.15, 1_usize..4);
    prop::collection::vec((changes, forks, prop::collection::vec(step, 0..4)), 20..90)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn states_are_whole_or_gone(first in prop::option::weighted(0.7, proofs()), blocks in chain()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut proofs = first;
        store.set_proofs(proofs);
        let mut chain = vec![EMPTY_ROOT];
        let mut models = vec![Model::default()];
        // Every state that there ever was.
        let mut all = vec![(EMPTY_ROOT, Model::default())];
        // The lowest block that has to be there, with the head at that time.
        let mut lowest = 0;
        for (changes, fork, steps) in &blocks {
            if let Some(depth) = fork.filter(|depth| chain.len() > lowest + depth + 1) {
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
                    Step::Seal => store.settle_epochs().unwrap(),
                    Step::Prune => {
                        store.commit().unwrap();
                        if let Some(proofs) = proofs {
                            lowest = lowest.max(chain.len().saturating_sub(1 + proofs.blocks as usize));
                            prune(&store, &chain, proofs.blocks);
                        }
                    }
                    Step::Restart(next) => {
                        store.commit().unwrap();
                        store.close();
                        store = open(folder.path());
                        proofs = *next;
                        store.set_proofs(proofs);
                        store.set_head(*chain.last().unwrap(), None);
                    }
                }
            }
            for (root, model) in chain.iter().zip(&models).skip(lowest) {
                is_whole(&store, *root).unwrap();
                model.check(&*store.reader(*root).unwrap())?;
            }
        }
        for (root, model) in &all {
            if store.has_root(root).unwrap() {
                is_whole(&store, *root).unwrap();
                model.check(&*store.reader(*root).unwrap())?;
            } else {
                prop_assert_eq!(store.floor(root).unwrap(), None);
                // Its values may be on the line still.
                match store.reader(*root) {
                    Ok(reader) => model.check_rows(&*reader)?,
                    Err(error) => prop_assert!(matches!(error, StateError::MissingNode(_)), "{error}"),
                }
            }
        }
        store.settle_head().unwrap();
        prop_assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
        store.check_line(&CheckProgress::default()).unwrap();
        store.check_log().unwrap();
    }
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

/// Some cells that every block changes, and one that no other block does.
fn block(number: u64) -> WriteSet {
    let cell = |slot: u64, value: u64| {
        (contract(), U256::from(slot), Some(Bytes::copy_from_slice(&(value + 1).to_be_bytes()[2..])))
    };
    WriteSet {
        accounts: vec![(contract(), Account { nonce: U256::from(number + 1), ..Account::default() })],
        storage: (0..20).map(|slot| cell(slot, number)).chain([cell(1_000 + number % 200, number)]).collect(),
        ..WriteSet::default()
    }
}

const KEPT: u64 = 20;
const PROOFS: Proofs = Proofs { blocks: KEPT, epoch_blocks: 5, epoch_bytes: 1 << 30, nodes_at_once: None };

fn grow(store: &Arc<StateStore>, chain: &mut Vec<B256>, blocks: u64, kept: Option<u64>) {
    for _ in 0..blocks {
        let root = extend(store, *chain.last().unwrap(), &block(chain.len() as u64));
        chain.push(root);
        store.commit().unwrap();
        store.settle_epochs().unwrap();
        if let Some(kept) = kept {
            prune(store, chain, kept);
        }
    }
}

/// The states of a chain that are there: all from some block on.
fn first_state(store: &Arc<StateStore>, chain: &[B256]) -> usize {
    let first = chain.iter().skip(1).position(|root| store.has_root(root).unwrap()).unwrap() + 1;
    for root in &chain[first..] {
        is_whole(store, *root).unwrap();
    }
    first
}

#[test]
fn the_log_does_not_grow_with_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_proofs(Some(PROOFS));
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 400, Some(KEPT));
    let stats = store.log_stats().unwrap();
    assert!(stats.dropped_bytes > 8 * stats.log_bytes, "{stats:?}");
    assert_eq!(stats.files, files(folder.path()).len());
    let first = first_state(&store, &chain);
    assert!((chain.len() - 60..=chain.len() - 1 - KEPT as usize).contains(&first), "{first}");
    // Values of the states that are gone can be read; proofs of them cannot be made.
    let is_on_line = |(_, root): &(usize, &B256)| store.has_on_line(root).unwrap();
    let given_up: Vec<_> = chain.iter().enumerate().take(first).skip(1).filter(is_on_line).collect();
    assert!(given_up.len() > first / 2, "{} of {first}", given_up.len());
    for (number, root) in given_up {
        let reader = store.reader(*root).unwrap();
        assert_eq!(reader.account(&contract()).unwrap().unwrap().nonce, U256::from(number + 1));
        let cells = reader.storage_cells(&contract(), None, 10);
        assert!(matches!(cells, Err(StateError::MissingNode(_))), "{cells:?}");
    }
    // The table of nodes has the open epoch alone, and its pages are used again: what grows are the values.
    grow(&store, &mut chain, 400, Some(KEPT));
    let later = store.log_stats().unwrap();
    assert!(later.log_bytes <= stats.log_bytes + stats.log_bytes / 2, "{later:?}");
    let table = std::fs::metadata(folder.path().join("data.mdb")).unwrap().len();
    assert!(table < later.dropped_bytes / 2, "{table} {later:?}");
    store.check_log().unwrap();
}

#[test]
fn an_archive_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_proofs(None);
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 50, Some(KEPT));
    assert_eq!(first_state(&store, &chain), 1);
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
    assert_eq!(store.log_stats().unwrap().dropped_bytes, 0);
    assert_eq!(StateStore::format(folder.path()).unwrap().unwrap().format, 2);
}

#[test]
fn an_archive_becomes_a_pruned_store_and_that_one_an_archive() {
    // The log of the archive becomes a file, or stays in the table because it is too large.
    for epoch_bytes in [1 << 30, 2_000] {
        let folder = tempfile::tempdir().unwrap();
        let mut chain = vec![EMPTY_ROOT];
        let reopened = |proofs, root| {
            let store = open(folder.path());
            store.set_proofs(proofs);
            store.set_head(root, None);
            store
        };
        let store = reopened(None, EMPTY_ROOT);
        grow(&store, &mut chain, 100, None);
        store.close();
        let store = reopened(Some(Proofs { epoch_bytes, ..PROOFS }), chain[100]);
        grow(&store, &mut chain, 100, Some(KEPT));
        let pruned = first_state(&store, &chain);
        assert!(pruned > 101, "{pruned}");
        assert_eq!(StateStore::format(folder.path()).unwrap().unwrap().format, 3);
        store.close();
        // What is left stays from now on.
        let store = reopened(None, chain[200]);
        assert_eq!(first_state(&store, &chain), pruned);
        grow(&store, &mut chain, 100, Some(KEPT));
        assert_eq!(first_state(&store, &chain), pruned);
        store.close();
        let store = reopened(Some(Proofs { blocks: 2 * KEPT, epoch_bytes, ..PROOFS }), chain[300]);
        grow(&store, &mut chain, 150, Some(2 * KEPT));
        let first = first_state(&store, &chain);
        assert!((301..=450 - 2 * KEPT as usize).contains(&first), "{first}");
        store.settle_head().unwrap();
        assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
        store.close();
    }
}

#[test]
fn a_state_keeps_the_nodes_of_a_branch_that_comes_late() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_proofs(Some(PROOFS));
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 80, Some(KEPT));
    for round in 0..10_u64 {
        // As deep as is kept.
        let fork = chain.len() - 1 - KEPT as usize;
        let mut branch = chain[..=fork].to_vec();
        for number in 0..KEPT + 2 {
            let root = extend(&store, *branch.last().unwrap(), &block(5_000 * (round + 1) + number));
            branch.push(root);
            store.commit().unwrap();
            store.settle_epochs().unwrap();
        }
        prune(&store, &branch, KEPT);
        for root in &branch[branch.len() - 1 - KEPT as usize..] {
            is_whole(&store, *root).unwrap();
        }
        chain = branch;
        grow(&store, &mut chain, 15, Some(KEPT));
        first_state(&store, &chain);
    }
    assert!(store.log_stats().unwrap().dropped_bytes > 0);
}

#[test]
fn what_a_killed_process_left_over_is_removed_and_damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_proofs(Some(PROOFS));
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 60, Some(KEPT));
    let known = files(folder.path());
    assert!(known.len() > 2);
    store.close();
    // Killed before the list names a file, and while one is written; one that the list no longer names.
    for name in ["nodes-0000000fffff", "nodes-0000000fffff.part", "nodes-000000000001"] {
        std::fs::write(folder.path().join(name), b"left over").unwrap();
    }
    let store = open(folder.path());
    assert_eq!(files(folder.path()), known);
    first_state(&store, &chain);
    store.close();
    let damage = |change: &dyn Fn(&Path)| {
        let path = &known[1];
        let whole = std::fs::read(path).unwrap();
        change(path);
        let found = StateStore::open(folder.path(), &SMALL).and_then(|store| {
            let found = store.check_log();
            store.close();
            found
        });
        std::fs::write(path, whole).unwrap();
        found.unwrap_err().to_string()
    };
    let cut = damage(&|path| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(500).unwrap());
    assert!(cut.contains("the log of nodes is not whole") && cut.contains("has 500 bytes"), "{cut}");
    let missing = damage(&|path| std::fs::remove_file(path).unwrap());
    assert!(missing.contains("is missing"), "{missing}");
    let changed = damage(&|path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[24 + 3] = 0xff;
        std::fs::write(path, bytes).unwrap();
    });
    assert!(changed.contains("is damaged"), "{changed}");
    let exchanged = damage(&|path| std::fs::copy(&known[2], path).map(|_| ()).unwrap());
    assert!(exchanged.contains("the log of nodes is not whole"), "{exchanged}");
    first_state(&open(folder.path()), &chain);
}

#[test]
fn all_files_together_have_the_largest_size() {
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions { map_bytes: 1 << 20, ..SMALL }).unwrap();
    store.set_proofs(Some(Proofs { blocks: 1_000, epoch_bytes: 100_000, ..PROOFS }));
    let mut root = EMPTY_ROOT;
    let failure = (0..10_000).find_map(|number| {
        root = extend(&store, root, &block(number));
        let failure = store.commit().err();
        store.settle_epochs().ok();
        failure
    });
    assert!(failure.unwrap().to_string().contains("MDB_MAP_FULL"));
    let bytes: u64 = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name() != "lock.mdb")
        .map(|entry| entry.metadata().unwrap().len())
        .sum();
    assert!(bytes <= (1 << 20) + (1 << 17), "{bytes}");
    is_whole(&store, root).unwrap();
}

const READER_FOLDER: &str = "RHIZOME_TEST_PRUNING_READER_FOLDER";

/// Run as another process by the test below: says of each state that it is named whether it can be read.
#[test]
fn reading_process() {
    let Some(folder) = std::env::var_os(READER_FOLDER) else { return };
    let store = StateStore::open(Path::new(&folder), &StoreOptions { read_only: true, ..SMALL }).unwrap();
    println!("\nanswer open");
    for line in std::io::stdin().lines() {
        let root: B256 = line.unwrap().parse().unwrap();
        let answer = match is_whole(&store, root) {
            Ok(()) => "whole",
            Err(StateError::MissingNode(_)) => "gone",
            Err(_) => "damaged",
        };
        println!("\nanswer {answer}");
    }
}

#[test]
fn another_process_finds_new_epochs_and_misses_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut chain = vec![EMPTY_ROOT];
    grow(&store, &mut chain, 10, None);
    let mut reader = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reading_process", "--nocapture"])
        .env(READER_FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = reader.stdin.take().unwrap();
    let mut lines = BufReader::new(reader.stdout.take().unwrap()).lines();
    let mut answer = || lines.find_map(|line| line.unwrap().strip_prefix("answer ").map(str::to_owned)).unwrap();
    assert_eq!(answer(), "open");
    let mut ask = |root: B256| {
        writeln!(questions, "{root}").unwrap();
        answer()
    };
    assert_eq!(ask(chain[5]), "whole");
    // It opened an archive.
    store.set_proofs(Some(PROOFS));
    grow(&store, &mut chain, 30, None);
    assert_eq!(ask(chain[20]), "whole");
    assert_eq!(ask(chain[40]), "whole");
    grow(&store, &mut chain, 200, Some(KEPT));
    assert_eq!(ask(chain[100]), "gone");
    assert_eq!(ask(chain[chain.len() - 1 - KEPT as usize]), "whole");
    assert_eq!(ask(*chain.last().unwrap()), "whole");
    drop(questions);
    reader.wait().unwrap();
}

const CRASH_FOLDER: &str = "RHIZOME_TEST_PRUNING_CRASH_FOLDER";
const CRASH_PROOFS: Proofs = Proofs { blocks: KEPT, epoch_blocks: 2, epoch_bytes: 6_000, nodes_at_once: Some(30) };

/// Run as another process by the test below: blocks, with the thread of the store that seals and removes, until it is
/// killed. Prints the root of each committed block.
#[test]
fn crashing_writer() {
    let Some(folder) = std::env::var_os(CRASH_FOLDER) else { return };
    let store = open(Path::new(&folder));
    store.set_proofs(Some(CRASH_PROOFS));
    let mut chain = Vec::new();
    for line in std::io::stdin().lines() {
        chain.push(line.unwrap().parse::<B256>().unwrap());
    }
    store.set_head(*chain.last().unwrap(), None);
    loop {
        let root = extend(&store, *chain.last().unwrap(), &block(chain.len() as u64));
        chain.push(root);
        store.commit().unwrap();
        println!("\ncommitted {root}");
        prune(&store, &chain, KEPT);
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut chain = vec![EMPTY_ROOT];
    let rounds: usize = std::env::var("RHIZOME_TEST_KILLS").map_or(12, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let pause = Duration::from_micros((round as u64 * 977) % 5_000);
        run_until_killed(CRASH_FOLDER, folder.path(), &mut chain, 15 + round % 13, pause);
        let store = open(folder.path());
        for root in chain.iter().rev().take(KEPT as usize + 1) {
            is_whole(&store, *root).unwrap();
        }
        first_state(&store, &chain);
        store.check_log().unwrap();
        let stats = store.log_stats().unwrap();
        assert_eq!(files(folder.path()).len(), stats.files);
        assert!(round < 6 || stats.dropped_bytes > 0, "{round} {stats:?}");
        store.close();
    }
}
