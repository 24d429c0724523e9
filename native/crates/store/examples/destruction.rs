//! Measures what it takes to destroy and recreate a contract with many cells, and to take that back:
//! `cargo run --release -p rhizome-store --example destruction -- FOLDER ROOT`, on a state that `write_state` wrote (with
//! the root that it printed; it is changed). Each block is committed with the table of the head. Times are processor time
//! of the thread: the changes of the trie, the change of the head in memory, the commit.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(unsafe_code, reason = "asks the system for the processor time of the thread")]

use std::path::Path;
use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, StateStore, StoreOptions};
use rhizome_trie::keccak256;

/// Empty blocks, of which the median counts.
const EMPTY: u64 = 21;

/// Times that the contract is destroyed, recreated and brought back.
const ROUNDS: u64 = 3;

/// Cells that are read before.
const READS: u64 = 100_000;

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

/// A block as small as one of no transactions, which pays a miner.
fn empty(number: u64) -> WriteSet {
    let miner = Account { balance: U256::from(number + 1).into(), ..Account::default() };
    WriteSet { accounts: vec![(AccountRef::RemascSender, miner)], ..WriteSet::default() }
}

fn processor_nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn milliseconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = processor_nanoseconds();
    let result = work();
    ((processor_nanoseconds() - started) as f64 / 1e6, result)
}

/// Trie, head and commit.
type Times = [f64; 3];

fn block(store: &Arc<StateStore>, root: &mut B256, changes: &WriteSet) -> Times {
    let parent = *root;
    let (trie, next) = milliseconds(|| {
        let applied = store.apply(parent, changes).unwrap();
        let next = applied.root();
        store.keep(applied);
        next
    });
    *root = next;
    let (head, ()) = milliseconds(|| store.set_head(next, Some((&parent, changes))));
    let (commit, ()) = milliseconds(|| store.settle_head().unwrap());
    [trie, head, commit]
}

fn median(times: &[Times]) -> Times {
    std::array::from_fn(|part| {
        let mut times: Vec<f64> = times.iter().map(|times| times[part]).collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn show(name: &str, [trie, head, commit]: Times) {
    println!("{name:<24} trie {trie:>8.3}  head {head:>8.3}  commit {commit:>8.3} ms");
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
        let times: Vec<Times> = (0..EMPTY).map(|number| block(&store, root, &empty(from + number))).collect();
        median(&times)
    };
    show("empty block", blocks(0, &mut root));
    let account = Account { nonce: U256::from(1), ..Account::default() };
    for round in 1..=ROUNDS {
        let full = root;
        // Reads of the state, so that its caches are full.
        for number in 0..READS {
            let slot = U256::from_be_bytes(keccak256(&U256::from(number).to_be_bytes::<32>()).0);
            store.reader(root).unwrap().storage(&contract(), &slot).unwrap();
        }
        let destruction = WriteSet { deleted: vec![contract()], ..empty(100 * round) };
        show("destruction", block(&store, &mut root, &destruction));
        let destroyed = root;
        let recreation = WriteSet {
            accounts: vec![(contract(), account)],
            markers: vec![contract()],
            storage: vec![(contract(), U256::from(1), Some(Bytes::from_static(&[1])))],
            ..WriteSet::default()
        };
        show("recreation", block(&store, &mut root, &recreation));
        let recreated = root;
        show("empty block afterwards", blocks(100 * round + 50, &mut root));
        assert!(first_cell(&store, full).is_some());
        assert!(first_cell(&store, destroyed).is_none() && first_cell(&store, recreated).is_none());
        let (head, ()) = milliseconds(|| store.set_head(full, None));
        let (commit, ()) = milliseconds(|| store.settle_head().unwrap());
        show("taken back", [0.0, head, commit]);
        root = full;
        assert!(first_cell(&store, root).is_some());
    }
    println!("{:?}", store.check_head(&CheckProgress::default()).unwrap());
}
