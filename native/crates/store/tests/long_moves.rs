//! A change of the head that takes several commits of its table is some steps of the line: what was before stays readable.
#![allow(clippy::unwrap_used)]

mod model;

use std::sync::Arc;

use model::extend;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateReader as _, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;

/// More than one commit of a move takes.
const MANY: u64 = 105_000;

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

fn cells(count: u64, value: u8) -> WriteSet {
    WriteSet {
        accounts: vec![(contract(), Account { nonce: U256::from(value), ..Account::default() })],
        storage: (0..count).map(|slot| (contract(), U256::from(slot), Some(Bytes::from(vec![value])))).collect(),
        ..WriteSet::default()
    }
}

fn open(path: &std::path::Path) -> Arc<StateStore> {
    StateStore::open(path, &StoreOptions::default()).unwrap()
}

/// First and last cell of a state, without its trie.
fn ends(store: &Arc<StateStore>, root: B256) -> [Option<u8>; 2] {
    assert!(store.has_on_line(&root).unwrap());
    let reader = store.table_reader(root);
    [0, MANY - 1].map(|slot| reader.storage(&contract(), &U256::from(slot)).unwrap().map(|value| value[0]))
}

#[test]
fn earlier_states_stay_on_the_line_behind_a_move_of_several_commits() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = extend(&store, EMPTY_ROOT, &cells(MANY, 1));
    let second = extend(&store, first, &cells(1, 2));
    store.settle_head().unwrap();
    // A state that no block of the line led to.
    let aside = store.apply(second, &cells(MANY, 3)).unwrap();
    let third = aside.root();
    store.keep(aside);
    store.commit().unwrap();
    store.set_head(third, None);
    store.settle_head().unwrap();
    let fourth = extend(&store, third, &cells(1, 4));
    store.settle_head().unwrap();
    store.close();
    let store = open(folder.path());
    store.set_head(fourth, None);
    let expected = [(first, [1, 1]), (second, [2, 1]), (third, [3, 3]), (fourth, [4, 3])];
    let check = |steps: u64| {
        for (root, cells) in expected {
            assert_eq!(ends(&store, root), cells.map(Some), "{root}");
        }
        let report = store.check_line(&CheckProgress::default()).unwrap().unwrap();
        assert_eq!(report.steps, steps);
    };
    // The move is two steps.
    check(5);
    store.set_head(second, None);
    store.settle_head().unwrap();
    assert_eq!(store.check_head(&CheckProgress::default()).unwrap().map(|report| report.root), Some(second));
    check(6);
}
