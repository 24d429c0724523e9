//! Measures reads of a state: `cargo run -p rhizome-store --example head_reads [accounts] [cells]`.
//! Prints reads per second through the head cache, down the trie with cached nodes, and down the
//! trie from LMDB, and what applying and committing changes costs.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;
use std::time::Instant;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keccak256};

/// Reads in one measurement; the same accounts and cells come in a fixed random order.
const READS: usize = 400_000;
const HOT: usize = 20_000;

fn owner(number: usize) -> AccountRef {
    AccountRef::Address(Address::from_slice(&keccak256(&(number as u64).to_be_bytes())[12..]))
}

fn slot(number: usize) -> U256 {
    U256::from_be_bytes(keccak256(&(number as u64).to_le_bytes()).0)
}

fn token() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

fn order(index: usize, among: usize) -> usize {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % among
}

fn measure(what: &str, reads: usize, mut read: impl FnMut(usize)) {
    let started = Instant::now();
    (0..reads).for_each(&mut read);
    let seconds = started.elapsed().as_secs_f64();
    println!("{what:<58} {:>12.0} /s  {:>8.0} ns", reads as f64 / seconds, seconds / reads as f64 * 1e9);
}

fn read_both(name: &str, reads: usize, reader: &dyn StateReader, accounts: usize, cells: usize) {
    measure(&format!("{name}: accounts"), reads, |index| {
        assert!(reader.account(&owner_of(index, accounts)).unwrap().is_some());
    });
    measure(&format!("{name}: storage cells"), reads, |index| {
        assert!(reader.storage(&token(), &slot_of(index, cells)).unwrap().is_some());
    });
}

thread_local! {
    static OWNERS: std::cell::RefCell<Vec<AccountRef>> = const { std::cell::RefCell::new(Vec::new()) };
    static SLOTS: std::cell::RefCell<Vec<U256>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Precomputed, so that making up keys is not measured.
fn owner_of(index: usize, accounts: usize) -> AccountRef {
    OWNERS.with_borrow_mut(|owners| {
        if owners.is_empty() {
            owners.extend((0..HOT).map(|hot| owner(order(hot, accounts))));
        }
        owners[order(index, HOT)]
    })
}

fn slot_of(index: usize, cells: usize) -> U256 {
    SLOTS.with_borrow_mut(|slots| {
        if slots.is_empty() {
            slots.extend((0..HOT).map(|hot| slot(order(hot, cells))));
        }
        slots[order(index, HOT)]
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|count| count.parse::<usize>().unwrap());
    let (accounts, cells) = (arguments.next().unwrap_or(200_000), arguments.next().unwrap_or(200_000));
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let genesis = WriteSet {
        accounts: (0..accounts)
            .map(|number| (owner(number), Account { balance: U256::from(number + 1).into(), ..Account::default() }))
            .collect(),
        markers: vec![token()],
        storage: (0..cells)
            .map(|number| (token(), slot(number), Some(Bytes::from((number + 1).to_be_bytes().to_vec()))))
            .collect(),
        ..WriteSet::default()
    };
    let started = Instant::now();
    let applied = store.apply(EMPTY_ROOT, &genesis).unwrap();
    println!("apply of {} values at once: {:?}, {} nodes", accounts + cells, started.elapsed(), applied.count_new());
    let mut root = applied.root();
    store.keep(applied);
    let started = Instant::now();
    store.commit().unwrap();
    println!("commit: {:?}", started.elapsed());
    blocks(&store, &mut root, accounts, cells);
    reads(&store, root, accounts, cells);
    println!("{:?}", store.stats());
}

/// Blocks of 400 changed values, as 100 token transfers make.
fn blocks(store: &Arc<StateStore>, root: &mut B256, accounts: usize, cells: usize) {
    const BLOCKS: usize = 50;
    let (mut applying, mut committing, mut nodes) = (0.0, 0.0, 0);
    for block in 0..BLOCKS {
        let pick = |index: usize| block * 200 + index;
        let changes = WriteSet {
            accounts: (0..200)
                .map(|index| {
                    (
                        owner(order(pick(index), accounts)),
                        Account { nonce: U256::from(block + 1), ..Account::default() },
                    )
                })
                .collect(),
            storage: (0..200)
                .map(|index| (token(), slot(order(pick(index), cells)), Some(Bytes::from(vec![block as u8 + 1; 9]))))
                .collect(),
            ..WriteSet::default()
        };
        let started = Instant::now();
        let applied = store.apply(*root, &changes).unwrap();
        nodes += applied.count_new();
        let next = applied.root();
        store.keep(applied);
        store.set_head(next, Some((root, &changes)));
        *root = next;
        applying += started.elapsed().as_secs_f64();
        let started = Instant::now();
        store.commit().unwrap();
        committing += started.elapsed().as_secs_f64();
    }
    let per_block = |seconds: f64| seconds / BLOCKS as f64 * 1e3;
    println!(
        "block of 400 values: apply, keep and move the head {:.2} ms, durable commit {:.2} ms, {} new nodes",
        per_block(applying),
        per_block(committing),
        nodes / BLOCKS
    );
}

fn reads(store: &Arc<StateStore>, root: B256, accounts: usize, cells: usize) {
    let other = store.apply(root, &WriteSet { markers: vec![owner(0)], ..WriteSet::default() }).unwrap();
    let historic = other.root();
    store.keep(other);
    store.commit().unwrap();
    let reader = store.reader(historic).unwrap();
    store.drop_caches();
    read_both("trie from LMDB and filling the node cache", HOT, &*reader, accounts, cells);
    read_both("trie, node cache", READS, &*reader, accounts, cells);
    store.set_head(root, None);
    let reader = store.reader(root).unwrap();
    read_both("head cache being filled", HOT, &*reader, accounts, cells);
    read_both("head cache", READS * 10, &*reader, accounts, cells);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for index in 0..READS * 5 {
                    assert!(reader.storage(&token(), &slot_of(index, cells)).unwrap().is_some());
                }
            });
        }
    });
    println!(
        "head cache: storage cells, {threads} threads together {:>12.0} /s",
        (READS * 5 * threads) as f64 / started.elapsed().as_secs_f64()
    );
}
