//! Writes a large state straight into the state store of a data directory, for measurements:
//! `cargo run --release -p rhizome-store --example write_state -- FOLDER ROOT ACCOUNTS CELLS`.
//!
//! The accounts are those of `accountOf` in `bench/rpc/encode.ts`, each with its number plus one in wei; the cells are
//! those of one contract (`0x7777…77`), under the Keccak-256 of their numbers, with the same values; its code writes
//! cells, for blocks after that (`bench/state/stateWorkload.ts`). They are added to the state under `ROOT` in the order of the trie, so that each batch touches a part of it only; then the table of the
//! head is made. Prints one line of JSON: the new root, the seconds of both and the bytes of the file.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::keccak256;

/// Accounts or cells in one change of the state, which is durable before the next.
const BATCH: usize = 50_000;

/// Writes cells: its input is slots and values, a word each, by turns.
const CODE: &[u8] = &[
    0x60, 0x00, // PUSH1 0
    0x5b, // JUMPDEST
    0x80, 0x60, 0x20, 0x01, 0x35, // DUP1 PUSH1 32 ADD CALLDATALOAD: the value
    0x81, 0x35, // DUP2 CALLDATALOAD: the slot
    0x55, // SSTORE
    0x60, 0x40, 0x01, // PUSH1 64 ADD
    0x36, 0x81, 0x10, // CALLDATASIZE DUP2 LT
    0x60, 0x02, 0x57, // PUSH1 2 JUMPI
    0x00, // STOP
];

fn hash_of(number: u64) -> B256 {
    keccak256(&U256::from(number).to_be_bytes::<32>())
}

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::from_slice(&hash_of(number)[12..]))
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

/// Numbers below `count` in the order of the hashes that lead their keys in the trie.
fn in_trie_order(count: u64, hash: impl Fn(u64) -> B256) -> Vec<u64> {
    let prefix = |number| u128::from_be_bytes(hash(number)[..16].try_into().unwrap());
    let mut numbers: Vec<_> = (0..count).map(|number| (prefix(number), number)).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|(_, number)| number).collect()
}

fn add(store: &Arc<StateStore>, root: &mut B256, changes: &WriteSet) {
    let applied = store.apply(*root, changes).unwrap();
    *root = applied.root();
    store.keep(applied);
    store.commit().unwrap();
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("FOLDER ROOT ACCOUNTS CELLS");
    let (folder, root) = (next(), next());
    let (accounts, cells): (u64, u64) = (next().parse().unwrap(), next().parse().unwrap());
    let mut root: B256 = root.parse().unwrap();
    let store = StateStore::open(Path::new(&folder), &StoreOptions::default()).unwrap();
    let started = Instant::now();
    for batch in in_trie_order(accounts, |number| keccak256(owner(number).as_bytes())).chunks(BATCH) {
        let state = |number: &u64| Account { balance: U256::from(number + 1).into(), ..Account::default() };
        let accounts = batch.iter().map(|number| (owner(*number), state(number))).collect();
        add(&store, &mut root, &WriteSet { accounts, ..WriteSet::default() });
    }
    let account = Account { nonce: U256::from(1), ..Account::default() };
    add(
        &store,
        &mut root,
        &WriteSet {
            accounts: vec![(contract(), account)],
            code: vec![(contract(), Bytes::from_static(CODE))],
            markers: vec![contract()],
            ..WriteSet::default()
        },
    );
    for batch in in_trie_order(cells, |number| keccak256(hash_of(number).as_slice())).chunks(BATCH) {
        let value = |number: &u64| Bytes::from(U256::from(number + 1).to_be_bytes_trimmed_vec());
        let cells = batch.iter().map(|number| (contract(), hash_of(*number).into(), Some(value(number)))).collect();
        add(&store, &mut root, &WriteSet { storage: cells, ..WriteSet::default() });
    }
    let seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    store.set_head(root, None);
    store.settle_head().unwrap();
    let table_seconds = started.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(Path::new(&folder).join("data.mdb")).unwrap().len();
    println!("{{\"root\":\"{root}\",\"seconds\":{seconds:.1},\"tableSeconds\":{table_seconds:.1},\"bytes\":{bytes}}}");
}
