//! States from before the line of the table are converted: readers of each of them read that state, whatever happens to
//! head and table meanwhile, and a conversion that is cut short goes on.
#![allow(clippy::unwrap_used)]

mod model;
mod older_chain;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use model::changes;
use older_chain::{Chain, change, lose_table, open};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateReader as _, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, OlderReport, StateStore};

fn check_older(store: &Arc<StateStore>) -> Option<OlderReport> {
    store.check_older(&CheckProgress::default()).unwrap()
}

#[derive(Clone, Debug)]
enum Event {
    Block(WriteSet),
    Empty,
    /// So many blocks leave, and others join.
    Reorganisation(usize, Vec<WriteSet>),
    Settle,
    Restart,
    Convert {
        commits: usize,
        bytes: usize,
    },
    /// The table is lost, so that the line begins anew.
    Anew,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => changes().prop_map(Event::Block),
        1 => Just(Event::Empty),
        1 => (1..6_usize, prop::collection::vec(changes(), 1..6)).prop_map(|(left, joined)| Event::Reorganisation(left, joined)),
        1 => Just(Event::Settle),
        1 => Just(Event::Restart),
        4 => (1..4_usize, 1..900_usize).prop_map(|(commits, bytes)| Event::Convert { commits, bytes }),
        1 => Just(Event::Anew),
    ]
}

/// Each state that can be read without its trie is the right one.
fn check_values(store: &Arc<StateStore>, chain: &Chain, all: bool) -> Result<(), TestCaseError> {
    for block in &chain.blocks {
        let has_values = store.has_values(&block.root).unwrap();
        prop_assert!(has_values || !all, "block {} of {}", block.number, chain.head().number);
        if has_values {
            block.model.check_rows(&store.table_reader(block.root))?;
        }
        block.model.check(&*store.reader(block.root).unwrap())?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_state_of_a_chain_from_before_the_line_is_read_without_its_trie(
        old in prop::collection::vec(changes(), 1..25),
        events in prop::collection::vec(event(), 1..30),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut chain = Chain::new(&store);
        for changes in old {
            chain.extend(&store, changes, false);
        }
        store.commit().unwrap();
        store.close();
        store = open(folder.path());
        store.set_head(chain.head().root, None);
        store.settle_head().unwrap();
        for event in events {
            match event {
                Event::Block(changes) => chain.extend(&store, changes, true),
                Event::Empty => chain.extend(&store, WriteSet::default(), true),
                Event::Reorganisation(left, joined) => {
                    chain.blocks.truncate(chain.blocks.len().saturating_sub(left).max(1));
                    store.set_head(chain.head().root, None);
                    for changes in joined {
                        chain.extend(&store, changes, true);
                    }
                }
                Event::Settle => store.settle_head().unwrap(),
                Event::Restart | Event::Anew => {
                    store.settle_head().unwrap();
                    store.close();
                    if matches!(event, Event::Anew) {
                        lose_table(folder.path());
                    }
                    store = open(folder.path());
                    store.set_head(chain.head().root, None);
                    store.settle_head().unwrap();
                }
                Event::Convert { commits, bytes } => {
                    store.commit().unwrap();
                    store.convert(chain.head().hash, Some((commits, bytes))).unwrap();
                    check_older(&store);
                    store.drop_caches();
                    check_values(&store, &chain, false)?;
                }
            }
        }
        store.settle_head().unwrap();
        store.convert(chain.head().hash, None).unwrap();
        store.drop_caches();
        check_values(&store, &chain, true)?;
        check_older(&store);
        store.check_line(&CheckProgress::default()).unwrap();
    }
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

fn cells(range: std::ops::Range<u64>, value: u8) -> WriteSet {
    WriteSet {
        accounts: vec![(contract(), Account { nonce: U256::from(value), ..Account::default() })],
        storage: range
            .map(|slot| (contract(), U256::from(slot), Some(vec![value; 1 + (slot % 150) as usize].into())))
            .collect(),
        ..WriteSet::default()
    }
}

const CELLS: u64 = 3_000;
const BLOCKS: u64 = 40;

/// Changes of a block of the chain below. One destroys many cells, so that one block takes several commits.
fn old_block(number: u64) -> WriteSet {
    match number {
        1 | 30 => cells(0..CELLS, number as u8),
        20 => WriteSet { deleted: vec![contract()], ..WriteSet::default() },
        number => cells(number..number + 5, number as u8),
    }
}

/// Value of a cell after a block.
fn expected(number: u64, slot: u64) -> Option<Bytes> {
    let last = (1..=number).rev().take_while(|number| *number != 20).find(|number| match number {
        1 | 30 => slot < CELLS,
        number => (*number..*number + 5).contains(&slot),
    });
    last.map(|number| vec![number as u8; 1 + (slot % 150) as usize].into())
}

fn check_cells(store: &Arc<StateStore>, chain: &Chain) {
    for block in &chain.blocks[1..] {
        assert!(store.has_values(&block.root).unwrap(), "{}", block.number);
        for slot in [0, 7, 24, 33, CELLS - 50] {
            let found = store.table_reader(block.root).storage(&contract(), &U256::from(slot)).unwrap();
            assert_eq!(found, expected(block.number, slot), "{slot} after {}", block.number);
        }
        // A long value, which is not in memory.
        let found = store.reader(block.root).unwrap().storage(&contract(), &U256::from(149)).unwrap();
        assert_eq!(found, expected(block.number, 149), "after {}", block.number);
    }
}

fn old_chain(store: &Arc<StateStore>) -> Chain {
    let mut chain = Chain::new(store);
    for number in 1..=BLOCKS {
        chain.extend(store, old_block(number), false);
    }
    store.commit().unwrap();
    chain
}

#[test]
fn a_damaged_or_missing_value_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let chain = old_chain(&open(folder.path()));
    let store = open(folder.path());
    assert_eq!(check_older(&store), None);
    store.set_head(chain.head().root, None);
    store.settle_head().unwrap();
    store.convert(chain.head().hash, None).unwrap();
    check_cells(&store, &chain);
    let report = check_older(&store).unwrap();
    assert_eq!(report.blocks, BLOCKS);
    let progress = store.older_progress().unwrap().unwrap();
    assert_eq!((progress.top, progress.low), (BLOCKS, 0));
    store.close();
    for damage in 0..3 {
        let kept = change_last_entry(folder.path(), damage, None);
        let store = open(folder.path());
        assert!(store.check_older(&CheckProgress::default()).is_err(), "{damage}");
        store.close();
        change_last_entry(folder.path(), 3, Some(kept));
    }
    assert_eq!(check_older(&open(folder.path())), Some(report));
}

#[test]
fn a_thread_converts_while_the_chain_grows() {
    let folder = tempfile::tempdir().unwrap();
    let mut chain = old_chain(&open(folder.path()));
    let store = open(folder.path());
    // The table is made meanwhile, which the thread waits for.
    store.start_conversion(chain.head().hash);
    store.set_head(chain.head().root, None);
    let begun = std::time::Instant::now();
    for number in BLOCKS + 1.. {
        chain.extend(&store, old_block(number), true);
        store.commit().unwrap();
        store.settle_head().unwrap();
        if store.older_progress().unwrap().is_some_and(|progress| progress.low == 0 && !progress.is_under_way) {
            break;
        }
        assert!(begun.elapsed().as_secs() < 120);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    check_cells(&store, &chain);
    check_older(&store).unwrap();
}

const CRASH_FOLDER: &str = "RHIZOME_TEST_OLDER_CRASH_FOLDER";

/// Run as another process by the test below: conversion in small commits beside blocks, until it is killed.
#[test]
fn crashing_converter() {
    let Some(folder) = std::env::var_os(CRASH_FOLDER) else { return };
    let store = open(Path::new(&folder));
    let head = store.root_for(&B256::repeat_byte(1)).unwrap().unwrap();
    let root = store.root_for(&head).unwrap().unwrap();
    store.set_head(root, None);
    store.settle_head().unwrap();
    println!("\nbegun");
    loop {
        store.convert(head, Some((1, 20_000))).unwrap();
        println!("\ncommitted");
        let progress = store.older_progress().unwrap().unwrap();
        if progress.low == 0 {
            println!("\nended");
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
    }
}

#[test]
fn a_killed_conversion_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let chain = old_chain(&store);
    let head = chain.head();
    store.put_root(B256::repeat_byte(1), head.hash);
    store.put_root(head.hash, head.root);
    store.commit().unwrap();
    store.close();
    let mut is_ended = false;
    for round in 0..60 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crashing_converter", "--nocapture"])
            .env(CRASH_FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut commits = 0;
        for line in BufReader::new(writer.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            commits += u32::from(line == "committed" || line == "begun");
            is_ended |= line == "ended";
            if is_ended || commits > round % 4 {
                writer.kill().unwrap();
            }
        }
        writer.wait().unwrap();
        let store = open(folder.path());
        check_older(&store);
        store.close();
        if is_ended {
            assert!(round > 5, "{round}");
            break;
        }
    }
    assert!(is_ended);
    let store = open(folder.path());
    assert_eq!(check_older(&store).unwrap().blocks, BLOCKS);
    check_cells(&store, &chain);
}

type Kept = (Vec<u8>, Vec<u8>);

/// Damages the last entry: another value, none, one more. Or puts back what was kept.
fn change_last_entry(path: &Path, how: u8, kept: Option<Kept>) -> Kept {
    let mut first = Kept::default();
    change(path, |transaction, table| {
        let older = table(transaction, "older");
        let found = older.last(transaction).unwrap().map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap();
        let other = |key: &[u8]| [&key[..key.len() - 1], &[key[key.len() - 1] ^ 3]].concat();
        match how {
            0 => older.put(transaction, &found.0, &[&found.1[..], &[1]].concat()).unwrap(),
            1 => assert!(older.delete(transaction, &found.0).unwrap()),
            2 => older.put(transaction, &other(&found.0), &[]).unwrap(),
            _ => {
                let (key, value) = kept.clone().unwrap();
                older.delete(transaction, &other(&key)).unwrap();
                older.put(transaction, &key, &value).unwrap();
            }
        }
        first = found;
    });
    first
}
