//! Measures what it takes to destroy and recreate a contract with many cells, and to take that back:
//! `cargo run --release -p rhizome-store --example destruction -- FOLDER ROOT`, on a state that `write_state` wrote (with
//! the root that it printed; it is changed). Each block is committed with the table of the head.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, StateStore, StoreOptions};
use rhizome_trie::keccak256;

/// Empty blocks, of which the median counts.
const EMPTY: u64 = 21;

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

/// A block as small as one of no transactions, which pays a miner.
fn empty(number: u64) -> WriteSet {
    let miner = Account { balance: U256::from(number + 1).into(), ..Account::default() };
    WriteSet { accounts: vec![(AccountRef::RemascSender, miner)], ..WriteSet::default() }
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}

fn block(store: &Arc<StateStore>, root: &mut B256, changes: &WriteSet) -> f64 {
    milliseconds(|| {
        let applied = store.apply(*root, changes).unwrap();
        let (parent, next) = (*root, applied.root());
        store.keep(applied);
        store.set_head(next, Some((&parent, changes)));
        *root = next;
        store.settle_head().unwrap();
    })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn first_cell(store: &Arc<StateStore>, root: B256) -> Option<Bytes> {
    let slot = U256::from_be_bytes(keccak256(&U256::ZERO.to_be_bytes::<32>()).0);
    store.reader(root).unwrap().storage(&contract(), &slot).unwrap()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("FOLDER ROOT");
    let (folder, root) = (next(), next());
    let mut root: B256 = root.parse().unwrap();
    let store = StateStore::open(Path::new(&folder), &StoreOptions::default()).unwrap();
    store.set_head(root, None);
    let blocks = |from: u64, root: &mut B256| {
        median((0..EMPTY).map(|number| block(&store, root, &empty(from + number))).collect())
    };
    println!("empty block              {:>9.2} ms", blocks(0, &mut root));
    let full = root;
    let destruction = WriteSet { deleted: vec![contract()], ..empty(100) };
    println!("destruction              {:>9.2} ms", block(&store, &mut root, &destruction));
    let destroyed = root;
    let account = Account { nonce: U256::from(1), ..Account::default() };
    let recreation = WriteSet {
        accounts: vec![(contract(), account)],
        markers: vec![contract()],
        storage: vec![(contract(), U256::from(1), Some(Bytes::from_static(&[1])))],
        ..WriteSet::default()
    };
    println!("recreation               {:>9.2} ms", block(&store, &mut root, &recreation));
    let recreated = root;
    println!("empty block afterwards   {:>9.2} ms", blocks(200, &mut root));
    assert!(first_cell(&store, full).is_some());
    assert!(first_cell(&store, destroyed).is_none() && first_cell(&store, recreated).is_none());
    println!("head set below it        {:>9.2} ms", milliseconds(|| store.set_head(full, None)));
    println!("table moved there        {:>9.2} ms", milliseconds(|| store.settle_head().unwrap()));
    assert!(first_cell(&store, full).is_some());
    println!("{:?}", store.check_head(&CheckProgress::default()).unwrap());
}
