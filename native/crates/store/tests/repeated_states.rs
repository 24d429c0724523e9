//! A log that gives its oldest part up keeps the states of the kept blocks where states occur again: on another branch, or
//! because a block takes back what others did.
#![allow(clippy::unwrap_used)]

mod model;

use std::path::Path;
use std::sync::Arc;

use model::{Model, SMALL, changes, extend};
use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, Proofs, StateStore};
use rhizome_trie::EMPTY_ROOT;

fn open(path: &Path, proofs: Proofs) -> Arc<StateStore> {
    let store = StateStore::open(path, &SMALL).unwrap();
    store.set_proofs(Some(proofs));
    store
}

fn is_whole(store: &Arc<StateStore>, root: B256) -> bool {
    store.has_root(&root).unwrap() && store.check_root(&root, &CheckProgress::default()).is_ok()
}

/// Gives up what the chain does not need if it keeps so many blocks.
fn prune(store: &Arc<StateStore>, chain: &[B256], blocks: u64) -> u64 {
    let Some(last) = chain.len().checked_sub(1 + blocks as usize) else { return 0 };
    match store.prunable(&chain[last]).unwrap() {
        Some(end) => store.drop_before(end).unwrap(),
        None => 0,
    }
}

/// Some cells that every block changes, and one that no other block does.
fn block(number: u64) -> WriteSet {
    let contract = AccountRef::Address(Address::repeat_byte(0x77));
    let cell = |slot: u64| (contract, U256::from(slot), Some(Bytes::copy_from_slice(&(number + 1).to_be_bytes())));
    WriteSet {
        accounts: vec![(contract, Account { nonce: U256::from(number + 1), ..Account::default() })],
        storage: (0..20).chain([1_000 + number]).map(cell).collect(),
        ..WriteSet::default()
    }
}

const KEPT: u64 = 20;
const PROOFS: Proofs = Proofs { blocks: KEPT, epoch_blocks: 5, epoch_bytes: 1 << 30, nodes_at_once: None };

fn commit(store: &Arc<StateStore>) {
    store.commit().unwrap();
    store.settle_epochs().unwrap();
}

fn grow(store: &Arc<StateStore>, chain: &mut Vec<B256>) {
    let root = extend(store, *chain.last().unwrap(), &block(chain.len() as u64));
    chain.push(root);
    commit(store);
    prune(store, chain, KEPT);
    for root in chain.iter().rev().take(1 + KEPT as usize) {
        assert!(
            is_whole(store, *root),
            "block {} of {}",
            chain.iter().position(|r| r == root).unwrap(),
            chain.len() - 1
        );
    }
}

/// Grows the chain until the nodes of an epoch have all been copied with its newest block.
fn grow_to_end_of_copying(store: &Arc<StateStore>, chain: &mut Vec<B256>) {
    let floor = |root: &B256| store.floor(root).unwrap().unwrap();
    for _ in 0..40 {
        grow(store, chain);
    }
    while floor(&chain[chain.len() - 1]) == floor(&chain[chain.len() - 2]) {
        grow(store, chain);
    }
}

/// Two blocks of the chain, and one of a branch that does the same at once, whose state has more of the older nodes: the
/// next block of the chain must not be made of those.
#[test]
fn a_state_that_a_branch_reaches_with_older_nodes_keeps_its_newer_ones() {
    for is_committed in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), PROOFS);
        let mut chain = vec![EMPTY_ROOT];
        grow_to_end_of_copying(&store, &mut chain);
        let number = chain.len() as u64;
        let (fork, last) = (chain[chain.len() - 2], chain[chain.len() - 1]);
        let root = extend(&store, last, &block(number));
        chain.push(root);
        if is_committed {
            commit(&store);
        }
        // The branch has copied less with its block, as where it has less blocks or its trie more nodes.
        store.set_proofs(Some(Proofs { nodes_at_once: Some(1), ..PROOFS }));
        let mut both = block(number - 1);
        both.accounts = block(number).accounts;
        both.storage.extend(block(number).storage);
        store.set_head(fork, None);
        assert_eq!(extend(&store, fork, &both), root);
        store.set_head(root, None);
        for _ in 0..2 * KEPT {
            grow(&store, &mut chain);
            store.set_proofs(Some(PROOFS));
        }
        assert!(store.floor(&fork).unwrap().is_none());
        store.close();
    }
}

/// Changes that make another state of one; None where none do.
fn changes_to(from: &Model, to: &Model) -> Option<WriteSet> {
    let gone = from.cells.keys().filter(|key| !to.cells.contains_key(key)).map(|key| (key, None));
    let cells = to.cells.iter().map(|(key, value)| (key, Some(value.clone())));
    let no_code = from.code.keys().filter(|account| !to.code.contains_key(account)).map(|account| (account, None));
    let code = to.code.iter().map(|(account, code)| (account, Some(code.clone())));
    let changes = WriteSet {
        deleted: from.accounts.keys().copied().collect(),
        accounts: to.accounts.iter().map(|(account, state)| (*account, *state)).collect(),
        code: no_code.chain(code).map(|(account, code)| (*account, code.unwrap_or_default())).collect(),
        markers: to.markers.iter().copied().collect(),
        storage: gone.chain(cells).map(|((account, slot), value)| (*account, *slot, value)).collect(),
    };
    let mut made = from.clone();
    made.apply(&changes);
    (made == *to).then_some(changes)
}

/// Gives up what the chain thread has given up (`src/chain/statePruning.ts`). Returns the first block whose state is kept.
fn prune_as_a_node(store: &Arc<StateStore>, chain: &[(B256, Model)], blocks: u64, first: usize) -> usize {
    let oldest = chain.len().checked_sub(1 + blocks as usize).filter(|oldest| *oldest >= first);
    let Some((oldest, end)) = oldest.and_then(|oldest| Some((oldest, store.prunable(&chain[oldest].0).unwrap()?)))
    else {
        return first;
    };
    let is_whole = |(root, _): &(B256, Model)| store.floor(root).unwrap().is_some_and(|floor| floor >= end);
    let lowest = chain[..oldest].iter().rposition(|state| !is_whole(state)).map_or(0, |below| below + 1);
    store.drop_before(end).unwrap();
    first.max(lowest)
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Commit,
    Seal,
    Prune,
    Restart(Proofs),
}

/// What a block does.
#[derive(Clone, Debug)]
enum Act {
    Change(WriteSet),
    /// Makes the state that was there so many states before, on any branch.
    Return(usize),
}

fn proofs() -> impl Strategy<Value = Proofs> {
    (3_u64..10, 1_u64..4, 1_usize..12).prop_map(|(blocks, epoch_blocks, nodes)| Proofs {
        blocks,
        epoch_blocks,
        epoch_bytes: 1 << 30,
        nodes_at_once: Some(nodes),
    })
}

fn chain() -> impl Strategy<Value = Vec<(Act, Option<usize>, Vec<Step>)>> {
    let step = prop_oneof![
        4 => Just(Step::Commit),
        3 => Just(Step::Seal),
        6 => Just(Step::Prune),
        1 => proofs().prop_map(Step::Restart),
    ];
    let act = prop_oneof![
        6 => changes().prop_map(Act::Change),
        1 => Just(Act::Change(WriteSet::default())),
        5 => (0_usize..12).prop_map(Act::Return),
    ];
    let forks = prop::option::weighted(0.3, 1_usize..8);
    prop::collection::vec((act, forks, prop::collection::vec(step, 0..4)), 20..90)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn kept_blocks_have_their_states_where_states_occur_again(first in proofs(), blocks in chain()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path(), first);
        let mut proofs = first;
        let mut chain = vec![(EMPTY_ROOT, Model::default())];
        let mut all = chain.clone();
        // The lowest block that has to be there, and the one from which on there are states, as the chain store says.
        let (mut lowest, mut first_state) = (0, 0);
        for (act, fork, steps) in &blocks {
            if let Some(depth) = fork.filter(|depth| chain.len() > lowest + depth) {
                chain.truncate(chain.len() - depth);
                store.set_head(chain.last().unwrap().0, None);
            }
            let (parent, mut model) = chain.last().unwrap().clone();
            let changes = match act {
                Act::Change(changes) => changes.clone(),
                Act::Return(back) => changes_to(&model, &all[all.len().saturating_sub(1 + back)].1).unwrap_or_default(),
            };
            let root = extend(&store, parent, &changes);
            model.apply(&changes);
            chain.push((root, model.clone()));
            all.push((root, model));
            for step in steps {
                match step {
                    Step::Commit => store.commit().unwrap(),
                    Step::Seal => store.settle_epochs().unwrap(),
                    Step::Prune => {
                        store.commit().unwrap();
                        lowest = lowest.max(chain.len().saturating_sub(1 + proofs.blocks as usize));
                        first_state = prune_as_a_node(&store, &chain, proofs.blocks, first_state);
                    }
                    Step::Restart(next) => {
                        store.commit().unwrap();
                        store.close();
                        proofs = *next;
                        store = open(folder.path(), proofs);
                        store.set_head(chain.last().unwrap().0, None);
                    }
                }
            }
            for (root, model) in &chain[first_state..] {
                prop_assert!(is_whole(&store, *root));
                model.check(&*store.reader(*root).unwrap())?;
            }
        }
        for (root, model) in &all {
            if store.has_root(root).unwrap() {
                prop_assert!(is_whole(&store, *root));
                model.check(&*store.reader(*root).unwrap())?;
            }
        }
        store.settle_head().unwrap();
        prop_assert!(store.check_head(&CheckProgress::default()).unwrap().is_some());
        store.check_log().unwrap();
    }
}
