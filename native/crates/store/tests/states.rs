//! Random chains of states, with forks: every reader sees its own root and nothing else.
#![allow(clippy::unwrap_used)]

mod model;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{Model, account, changes};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, Balance};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{B256, U256};
use rhizome_store::{CheckProgress, StateStore, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keys, proof::verify_proof};

#[derive(Clone, Debug)]
struct Block {
    /// Index of the state that it builds on.
    parent: prop::sample::Index,
    changes: WriteSet,
    becomes_head: bool,
    names_its_change: bool,
    committed: bool,
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (any::<prop::sample::Index>(), changes(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(parent, changes, becomes_head, names_its_change, committed)| Block {
            parent,
            changes,
            becomes_head,
            names_its_change,
            committed,
        },
    );
    prop::collection::vec(block, 1..12)
}

/// Caches far too small for the state, so that everything is evicted and read again.
const TINY: StoreOptions = StoreOptions {
    node_cache_bytes: 64 * 600,
    code_cache_bytes: 64 * 300,
    head_cache_bytes: 64 * 500,
    parsed_log_bytes: 2 << 10,
    map_bytes: 1 << 30,
    read_only: false,
};

fn play(store: &Arc<StateStore>, blocks: &[Block]) -> Result<(), TestCaseError> {
    let mut states = vec![(EMPTY_ROOT, Model::default())];
    let mut readers: Vec<(Arc<dyn StateReader>, usize)> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        // Mostly on top of the last state, as in a chain.
        let parent = if number % 3 == 2 { block.parent.index(states.len()) } else { states.len() - 1 };
        let (parent_root, mut model) = states[parent].clone();
        let applied = store.apply(parent_root, &block.changes).unwrap();
        prop_assert_eq!(applied.parent(), parent_root);
        let root = applied.root();
        store.keep(applied);
        model.apply(&block.changes);
        if block.becomes_head {
            store.set_head(root, block.names_its_change.then_some((&parent_root, &block.changes)));
        }
        if block.committed {
            store.commit().unwrap();
        }
        states.push((root, model));
        // Read twice: the second read comes from the head cache.
        for _ in 0..2 {
            for (root, model) in &states {
                model.check(&*store.reader(*root).unwrap())?;
            }
            for (reader, state) in &readers {
                states[*state].1.check(&**reader)?;
            }
        }
        readers.push((store.reader(root).unwrap(), states.len() - 1));
    }
    for (root, model) in &states {
        let report = store.check_root(root, &CheckProgress::default()).unwrap();
        prop_assert_eq!(report.nodes > 0, *root != EMPTY_ROOT);
        for index in 0..model::ACCOUNTS {
            let account = account(index);
            let slots: Vec<U256> = (0..model::SLOTS).map(U256::from).collect();
            let proof = store.proof(*root, &account, &slots).unwrap();
            prop_assert_eq!(proof.account, model.accounts.get(&account).copied());
            let proved = verify_proof(root, &keys::account_key(&account), &proof.proof).unwrap();
            prop_assert_eq!(proved.is_none(), proof.account.is_none());
            for cell in &proof.cells {
                let key = keys::storage_key(&account, &cell.slot);
                prop_assert_eq!(&cell.proof, &store.trie(*root).prove(&key).unwrap());
                prop_assert_eq!(&cell.value, &model.cells.get(&(account, cell.slot)).cloned());
                let proved = verify_proof(root, &key, &cell.proof).unwrap();
                prop_assert_eq!(proved.hash(), cell.value.as_ref().map(|value| rhizome_trie::keccak256(value)));
            }
            let mut listed = store.storage_cells(*root, &account, None, 100).unwrap();
            listed.sort();
            let cells = model.cells.iter().filter(|((owner, _), _)| *owner == account);
            prop_assert_eq!(listed, cells.map(|((_, slot), value)| (*slot, value.clone())).collect::<Vec<_>>());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_reader_sees_its_root_in_memory(blocks in blocks()) {
        play(&StateStore::in_memory(&StoreOptions::default()), &blocks)?;
        play(&StateStore::in_memory(&TINY), &blocks)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_reader_sees_its_root_on_disk(blocks in blocks()) {
        let folder = tempfile::tempdir().unwrap();
        play(&StateStore::open(folder.path(), &TINY).unwrap(), &blocks)?;
    }
}

#[test]
fn an_unknown_root_is_missing() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let root = B256::repeat_byte(7);
    assert!(!store.has_root(&root).unwrap() && store.has_root(&EMPTY_ROOT).unwrap());
    assert!(matches!(store.reader(root), Err(StateError::MissingNode(missing)) if missing == root));
    assert!(matches!(
        store.apply(root, &WriteSet { deleted: vec![account(1)], ..WriteSet::default() }),
        Err(StateError::MissingNode(_))
    ));
}

#[test]
fn what_is_not_kept_is_not_there() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let changes = WriteSet { accounts: vec![(account(1), Account::default())], ..WriteSet::default() };
    let applied = store.apply(EMPTY_ROOT, &changes).unwrap();
    let root = applied.root();
    drop(applied);
    assert!(!store.has_root(&root).unwrap());
}

#[test]
fn writing_what_is_there_changes_nothing() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let changes = WriteSet {
        accounts: vec![(account(1), Account::default()), (account(2), Account::default())],
        code: vec![(account(1), vec![7; 100].into())],
        markers: vec![account(1)],
        storage: vec![(account(1), U256::from(1), Some(vec![1; 40].into()))],
        ..WriteSet::default()
    };
    let applied = store.apply(EMPTY_ROOT, &changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    let again = store.apply(root, &changes).unwrap();
    assert_eq!(again.root(), root);
    assert_eq!(again.count_new(), 0);
    let absent =
        WriteSet { deleted: vec![account(3)], storage: vec![(account(2), U256::ZERO, None)], ..WriteSet::default() };
    assert_eq!(store.apply(root, &absent).unwrap().count_new(), 0);
}

#[test]
fn roots_of_old_headers_are_translated() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let (header, root) = (B256::repeat_byte(1), B256::repeat_byte(2));
    assert_eq!(store.root_for(&header).unwrap(), None);
    store.put_root(header, root);
    assert_eq!(store.root_for(&header).unwrap(), Some(root));
    store.commit().unwrap();
    assert_eq!(store.root_for(&header).unwrap(), Some(root));
}

/// The balance of every account is the number of the block: a reader that sees two different numbers, or another than
/// its own, has read a value of another root.
#[test]
fn readers_stay_on_their_root_while_the_head_moves() {
    const BLOCKS: u64 = 300;
    const WIDTH: u8 = 40;
    let store = StateStore::in_memory(&TINY);
    let block = |number: u64| {
        let state = Account { balance: U256::from(number).into(), ..Account::default() };
        WriteSet { accounts: (1..=WIDTH).map(|index| (account(index), state)).collect(), ..WriteSet::default() }
    };
    let roots = parking_lot::RwLock::new(vec![EMPTY_ROOT]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let (number, root) = {
                        let roots = roots.read();
                        (roots.len() - 1, *roots.last().unwrap())
                    };
                    let reader = store.reader(root).unwrap();
                    for index in 1..=WIDTH {
                        let balance =
                            reader.account(&account(index)).unwrap().map_or(Balance::ZERO, |state| state.balance);
                        assert_eq!(balance, U256::from(number).into());
                    }
                }
            });
        }
        let mut root = EMPTY_ROOT;
        for number in 1..=BLOCKS {
            let changes = block(number);
            let applied = store.apply(root, &changes).unwrap();
            let (parent, next) = (root, applied.root());
            store.keep(applied);
            root = next;
            roots.write().push(root);
            store.set_head(root, Some((&parent, &changes)));
        }
        done.store(true, Ordering::Release);
    });
}
