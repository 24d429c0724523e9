//! The table of the head is the state that it stands for, its line has the states for which it stood, and readers of any
//! state read that state, whatever happens to the head: blocks, reorganisations, destruction and recreation, restarts,
//! moves that are cut short.
#![allow(clippy::unwrap_used)]

mod model;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use model::{Model, changes, extend};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateReader as _, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, HeadReport, LineReport, StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::keys::storage_key;
use rhizome_trie::proof::verify_proof;

const SMALL: StoreOptions = StoreOptions {
    node_cache_bytes: 1 << 20,
    code_cache_bytes: 1 << 20,
    // So small that nearly every read passes it.
    head_cache_bytes: 64 * 300,
    parsed_log_bytes: 2 << 10,
    map_bytes: 1 << 30,
    read_only: false,
};

fn open(path: &Path) -> Arc<StateStore> {
    StateStore::open(path, &SMALL).unwrap()
}

fn check(store: &Arc<StateStore>) -> Option<HeadReport> {
    store.check_head(&CheckProgress::default()).unwrap()
}

fn check_line(store: &Arc<StateStore>) -> LineReport {
    store.check_line(&CheckProgress::default()).unwrap().unwrap()
}

#[derive(Clone, Copy, Debug)]
enum After {
    Nothing,
    Commit,
    Settle,
    Restart,
}

#[derive(Clone, Debug)]
struct Block {
    changes: WriteSet,
    /// Builds on another state than the last one.
    forks: Option<prop::sample::Index>,
    /// The head goes to a state that is there already.
    goes_back: Option<prop::sample::Index>,
    names_its_change: bool,
    after: After,
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let after = prop_oneof![
        4 => Just(After::Nothing), 4 => Just(After::Commit), 2 => Just(After::Settle), 1 => Just(After::Restart),
    ];
    let index = || prop::option::weighted(0.15, any::<prop::sample::Index>());
    let block = (changes(), index(), index(), prop::bool::weighted(0.8), after).prop_map(
        |(changes, forks, goes_back, names_its_change, after)| Block {
            changes,
            forks,
            goes_back,
            names_its_change,
            after,
        },
    );
    prop::collection::vec(block, 1..50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_table_is_the_trie(blocks in blocks()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut states = vec![(EMPTY_ROOT, Model::default())];
        let mut head = EMPTY_ROOT;
        // States for which the table stood, wholly.
        let mut lined = Vec::new();
        for block in &blocks {
            let parent = block.forks.map_or(states.len() - 1, |index| index.index(states.len()));
            let (parent_root, mut model) = states[parent].clone();
            let applied = store.apply(parent_root, &block.changes).unwrap();
            head = applied.root();
            store.keep(applied);
            model.apply(&block.changes);
            states.push((head, model));
            let before = store.reader(parent_root).unwrap();
            store.set_head(head, block.names_its_change.then_some((&parent_root, &block.changes)));
            states[parent].1.check(&*before)?;
            if let Some(index) = block.goes_back {
                head = states[index.index(states.len())].0;
                store.set_head(head, None);
            }
            let earlier = store.reader(head).unwrap();
            match block.after {
                After::Nothing => {}
                After::Commit => store.commit().unwrap(),
                After::Settle => {
                    store.settle_head().unwrap();
                    prop_assert_eq!(check(&store).map(|report| report.root), Some(head));
                    check_line(&store);
                    lined.push(head);
                    // Without a node in memory the trie answers nothing.
                    store.drop_caches();
                    for (root, model) in &states {
                        if store.has_on_line(root).unwrap() {
                            model.check_rows(&store.table_reader(*root))?;
                        }
                    }
                    for root in &lined {
                        prop_assert!(store.has_on_line(root).unwrap());
                    }
                }
                After::Restart => {
                    store.commit().unwrap();
                    // The old readers keep the old store open otherwise.
                    store.close();
                    store = open(folder.path());
                    store.set_head(head, None);
                }
            }
            if !matches!(block.after, After::Restart) {
                let (_, model) = states.iter().find(|(root, _)| *root == head).unwrap();
                model.check(&*earlier)?;
            }
            if let Some(report) = check(&store) {
                prop_assert!(states.iter().any(|(root, _)| *root == report.root));
            }
            for (root, model) in &states {
                model.check(&*store.reader(*root).unwrap())?;
            }
        }
        store.settle_head().unwrap();
        prop_assert_eq!(check(&store).map(|report| report.root), Some(head));
        check_line(&store);
    }

    #[test]
    fn each_state_of_a_chain_is_on_the_line(blocks in prop::collection::vec((changes(), 0..40_usize, any::<bool>()), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut chain = vec![(EMPTY_ROOT, Model::default())];
        let mut left = Vec::new();
        for (changes, how, settles) in &blocks {
            if *how < 4 && chain.len() > how + 1 {
                // A reorganisation, also of blocks that the table has.
                left.extend(chain.split_off(chain.len() - how));
                store.set_head(chain.last().unwrap().0, None);
            }
            let (parent, mut model) = chain.last().unwrap().clone();
            let root = extend(&store, parent, changes);
            model.apply(changes);
            chain.push((root, model));
            if *settles {
                store.settle_head().unwrap();
            } else {
                store.commit().unwrap();
            }
            if *how == 30 {
                store.settle_head().unwrap();
                store.close();
                store = open(folder.path());
                store.set_head(root, None);
            }
        }
        store.settle_head().unwrap();
        store.drop_caches();
        let mut on_line = 0;
        for (index, (root, model)) in chain.iter().chain(&left).enumerate() {
            let is_on_line = store.has_on_line(root).unwrap();
            prop_assert!(is_on_line || index >= chain.len(), "{index} of {}", chain.len());
            if is_on_line {
                model.check_rows(&store.table_reader(*root))?;
                on_line += 1;
            }
        }
        let report = check_line(&store);
        prop_assert!(report.steps + 1 >= on_line.min(chain.len()) as u64 / 2, "{report:?}");
        // Back to each state, and forth.
        for (root, model) in chain.iter().step_by(7).chain(chain.last()) {
            store.set_head(*root, None);
            model.check(&*store.reader(*root).unwrap())?;
            store.settle_head().unwrap();
            prop_assert_eq!(check(&store).map(|report| report.root), Some(*root));
        }
        let again = check_line(&store);
        prop_assert!(again.steps >= report.steps);
        store.drop_caches();
        for (root, model) in &chain {
            prop_assert!(store.has_on_line(root).unwrap());
            model.check_rows(&store.table_reader(*root))?;
        }
    }
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

fn cells(count: u64, value: u8) -> WriteSet {
    WriteSet {
        accounts: vec![(contract(), Account { nonce: U256::from(1), ..Account::default() })],
        markers: vec![contract()],
        code: vec![(contract(), Bytes::from(vec![value; 40]))],
        storage: (0..count)
            .map(|slot| (contract(), U256::from(slot), Some(vec![value; 1 + (slot % 150) as usize].into())))
            .collect(),
        ..WriteSet::default()
    }
}

fn cell(store: &Arc<StateStore>, root: B256, slot: u64) -> Option<u8> {
    let value = store.reader(root).unwrap().storage(&contract(), &U256::from(slot)).unwrap();
    value.map(|value| value[0])
}

/// More than one commit of a move takes.
const MANY: u64 = 105_000;
/// Dead cells of several commits.
const DESTROYED: u64 = 12_000;

/// A store as a version without the table left it.
fn without_table(path: &Path) -> B256 {
    let store = open(path);
    let applied = store.apply(EMPTY_ROOT, &cells(MANY, 7)).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.commit().unwrap();
    assert_eq!(check(&store), None);
    root
}

#[test]
fn a_store_without_the_table_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = without_table(folder.path());
    let store = open(folder.path());
    store.set_head(root, None);
    assert_eq!(cell(&store, root, MANY - 1), Some(7));
    store.settle_head().unwrap();
    assert_eq!(check(&store), Some(HeadReport { root, items: MANY + 3, dead_cells: 0 }));
    assert_eq!(cell(&store, root, MANY - 1), Some(7));
}

#[test]
fn a_move_that_is_cut_short_goes_on_while_the_head_moves() {
    let folder = tempfile::tempdir().unwrap();
    let mut root = without_table(folder.path());
    let mut starts = 0;
    // The thread that moves the table ends after the commit in which it finds that the store is gone.
    loop {
        starts += 1;
        let store = open(folder.path());
        store.set_head(root, None);
        root = extend(&store, root, &cells(3, starts as u8));
        store.commit().unwrap();
        for slot in [0, 2, 3, MANY - 1] {
            assert_eq!(cell(&store, root, slot), Some(if slot < 3 { starts as u8 } else { 7 }));
        }
        if let Some(report) = check(&store)
            && report.root == root
        {
            break;
        }
        if starts > 5 {
            store.settle_head().unwrap();
            assert_eq!(check(&store), Some(HeadReport { root, items: MANY + 3, dead_cells: 0 }));
            break;
        }
    }
}

#[test]
fn destruction_writes_the_account_alone_and_a_reorganisation_takes_it_back_by_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let full = extend(&store, EMPTY_ROOT, &cells(DESTROYED, 1));
    store.settle_head().unwrap();
    let destruction = WriteSet { deleted: vec![contract()], ..WriteSet::default() };
    let destroyed = extend(&store, full, &destruction);
    store.settle_head().unwrap();
    let dead = check(&store).unwrap();
    assert_eq!((dead.root, dead.items), (destroyed, 0));
    assert_eq!((dead.dead_cells, check_line(&store).changes), (DESTROYED, DESTROYED + 2));
    // What comes back has none of the cells that were there before.
    let back = extend(&store, destroyed, &cells(2, 2));
    store.settle_head().unwrap();
    let root = check(&store).unwrap();
    assert_eq!((root.root, root.items), (back, 5));
    assert_eq!((root.dead_cells, check_line(&store).changes), (DESTROYED, DESTROYED + 5));
    for root in [full, destroyed, back] {
        let expected = |slot: u64| match slot {
            _ if root == full => Some(1),
            0 | 1 if root == back => Some(2),
            _ => None,
        };
        for slot in [0, 1, 2, DESTROYED - 1] {
            assert_eq!(cell(&store, root, slot), expected(slot), "{slot}");
        }
    }
    // A reorganisation takes it back.
    store.set_head(full, None);
    store.settle_head().unwrap();
    let again = check(&store).unwrap();
    assert_eq!((again.root, again.items), (full, DESTROYED + 3));
    assert_eq!(cell(&store, full, DESTROYED - 1), Some(1));
    // The account, and the two cells that came back with it.
    assert_eq!((again.dead_cells, check_line(&store).changes), (0, DESTROYED + 8));
    // And the other way round; then it is destroyed and comes back another time.
    for (root, items) in [(back, 5), (full, DESTROYED + 3), (destroyed, 0)] {
        store.set_head(root, None);
        store.settle_head().unwrap();
        assert_eq!(check(&store).map(|report| (report.root, report.items)), Some((root, items)));
    }
    let other = extend(&store, destroyed, &cells(1, 3));
    store.settle_head().unwrap();
    assert_eq!(check(&store).map(|report| (report.root, report.items)), Some((other, 4)));
    assert_eq!((cell(&store, other, 0), cell(&store, other, 1), cell(&store, back, 1)), (Some(3), None, Some(2)));
    check_line(&store);
}

#[test]
fn a_deletion_of_what_does_not_exist_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    // A cell without an account: a recursive deletion needs a node with a value (consensus.md §6.3).
    let alone =
        WriteSet { storage: vec![(contract(), U256::from(1), Some(Bytes::from_static(&[9])))], ..WriteSet::default() };
    let root = extend(&store, EMPTY_ROOT, &alone);
    let root = extend(&store, root, &WriteSet { deleted: vec![contract()], ..WriteSet::default() });
    assert_eq!(cell(&store, root, 1), Some(9));
    store.settle_head().unwrap();
    assert_eq!(check(&store), Some(HeadReport { root, items: 1, dead_cells: 0 }));
    assert_eq!(cell(&store, root, 1), Some(9));
}

#[test]
fn a_thread_that_must_not_wait_reads_the_table_and_the_layers() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let below = extend(&store, EMPTY_ROOT, &cells(100, 1));
    store.settle_head().unwrap();
    store.close();
    // Nothing is in a cache.
    let store = open(folder.path());
    let cold = store.memory_reader(below);
    assert!(cold.account(&contract()).unwrap().is_some() && cold.is_contract(&contract()).unwrap());
    assert_eq!(cold.storage(&contract(), &U256::from(9)).unwrap(), Some(vec![1; 10].into()));
    let change = cells(1, 2);
    let root = extend(&store, below, &change);
    let warm = store.memory_reader(root);
    assert_eq!(warm.storage(&contract(), &U256::ZERO).unwrap(), Some(vec![2].into()));
    assert_eq!(warm.storage(&contract(), &U256::from(9)).unwrap(), Some(vec![1; 10].into()));
    // A state that the table has left is on its line; one that it never stood for is not in memory.
    store.settle_head().unwrap();
    assert_eq!(store.memory_reader(below).storage(&contract(), &U256::ZERO).unwrap(), Some(vec![1].into()));
    let aside = store.apply(below, &cells(1, 3)).unwrap();
    let root = aside.root();
    store.keep(aside);
    store.drop_caches();
    assert!(store.memory_reader(root).storage(&contract(), &U256::from(9)).is_err());
}

#[test]
fn the_head_is_proved_from_memory_after_a_commit_of_many_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (mut root, mut new_nodes) = (EMPTY_ROOT, 0);
    for (blocks, count) in [(6, 100), (1, 3), (4, 7)] {
        for block in 0..blocks {
            let value = vec![blocks * 10 + block; 20];
            let storage = (0..count).map(|slot| (contract(), U256::from(slot), Some(value.clone().into())));
            root = extend(&store, root, &WriteSet { storage: storage.collect(), ..cells(0, 1) });
        }
        new_nodes += store.stats().pending_nodes;
        store.commit().unwrap();
        for slot in (0..100).map(U256::from) {
            let proof = store.memory_proof(root, &contract(), &[slot]).unwrap().cells.remove(0);
            let found = verify_proof(&root, &storage_key(&contract(), &slot), &proof.proof).unwrap();
            assert_eq!((found.is_none(), found.length()), (false, 20));
        }
    }
    // Nodes of states within a commit are not there.
    let cached = store.stats().node_cache_entries;
    assert!(cached < new_nodes / 2, "{cached} of {new_nodes}");
}

#[test]
fn a_damaged_row_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let root = extend(&store, EMPTY_ROOT, &cells(10, 1));
    store.settle_head().unwrap();
    let report = check(&store).unwrap();
    assert_eq!(report.root, root);
    store.close();
    // A value that differs, one that is missing, one too many.
    for damage in 0..3 {
        change_row(folder.path(), damage);
        let store = open(folder.path());
        assert!(store.check_head(&CheckProgress::default()).is_err(), "{damage}");
        // The state is read in the table, not in the trie.
        store.set_head(root, None);
        let shown = [(0, 3, Some(2)), (1, 3, None), (2, 200, Some(1))][usize::from(damage)];
        assert_eq!((damage, cell(&store, root, shown.1), shown.1), (shown.0, shown.2, shown.1));
        store.close();
        change_row(folder.path(), damage + 10);
        let store = open(folder.path());
        assert_eq!(check(&store), Some(report));
        store.close();
    }
}

const CRASH_FOLDER: &str = "RHIZOME_TEST_HEAD_CRASH_FOLDER";

/// Run as another process by the test below: blocks, reorganisations and moves of the table until it is killed. Prints
/// the root of the head behind each commit.
#[test]
fn crashing_writer() {
    let Some(folder) = std::env::var_os(CRASH_FOLDER) else { return };
    let store = open(Path::new(&folder));
    let mut roots = vec![EMPTY_ROOT];
    for number in 0_u64.. {
        let parent = *roots.last().unwrap();
        let block = match number % 9 {
            4 => WriteSet { deleted: vec![contract()], ..WriteSet::default() },
            _ => cells(200 + number % 1_500, number as u8),
        };
        roots.push(extend(&store, parent, &block));
        if number % 7 == 6 {
            // Below what the table has, often: it goes back along its line.
            roots.truncate(roots.len() - 4);
            store.set_head(*roots.last().unwrap(), None);
        }
        if number % 3 == 0 {
            store.settle_head().unwrap()
        } else {
            store.commit().unwrap()
        }
        println!("\ncommitted {}", roots.last().unwrap());
    }
}

#[test]
fn a_killed_process_leaves_a_table_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crashing_writer", "--nocapture"])
            .env(CRASH_FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut head = None;
        let mut commits = 0;
        for line in BufReader::new(writer.stdout.take().unwrap()).lines() {
            if let Some(root) = line.unwrap().strip_prefix("committed ") {
                head = Some(root.parse::<B256>().unwrap());
                commits += 1;
            }
            if commits == 3 + 5 * round {
                writer.kill().unwrap();
            }
        }
        writer.wait().unwrap();
        let head = head.unwrap();
        let store = open(folder.path());
        // What the table stands for is a state that is there, whole.
        let found = check(&store);
        if let Some(report) = found {
            store.check_root(&report.root, &CheckProgress::default()).unwrap();
            check_line(&store);
        }
        store.set_head(head, None);
        let expected = cell(&store, head, 1);
        store.settle_head().unwrap();
        assert_eq!(check(&store).map(|report| report.root), Some(head));
        assert_eq!(cell(&store, head, 1), expected);
        if round == 9 {
            check_line(&store);
        }
        store.close();
    }
}

/// Damages a row, or repairs it.
#[allow(unsafe_code, reason = "opens a memory map as the store does")]
fn change_row(path: &Path, how: u8) {
    use heed::types::Bytes as RawBytes;
    let mut options = heed::EnvOpenOptions::new().read_txn_with_tls();
    options.map_size(1 << 30).max_dbs(16);
    if let Some(closing) = heed::env_closing_event(path) {
        closing.wait();
    }
    // SAFETY: nothing else has the store open.
    let env: heed::Env<heed::WithTls> = unsafe { options.open(path.canonicalize().unwrap()) }.unwrap();
    let mut transaction = env.write_txn().unwrap();
    let head: heed::Database<RawBytes, RawBytes> =
        env.open_database(&transaction, Some("head")).unwrap().expect("a table");
    let cell = |slot: u8| [&[2], &[0x77; 20][..], &[0; 4], &[1, slot]].concat();
    // Changed by the first step, once.
    let stamp = [0, 0, 0, 0, 1 << 3 | 1];
    let value = |slot: u8| [&stamp[..], &[0], vec![1; 1 + usize::from(slot)].as_slice()].concat();
    match how {
        0 => head.put(&mut transaction, &cell(3), &[&stamp[..], &[0, 2]].concat()).unwrap(),
        1 => assert!(head.delete(&mut transaction, &cell(3)).unwrap()),
        2 => head.put(&mut transaction, &cell(200), &value(1)).unwrap(),
        12 => assert!(head.delete(&mut transaction, &cell(200)).unwrap()),
        _ => head.put(&mut transaction, &cell(3), &value(3)).unwrap(),
    }
    transaction.commit().unwrap();
    env.prepare_for_closing().wait();
}
