//! The Unitrie in its store, at several sizes.

use std::error::Error;
use std::time::Instant;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::keys::account_key;
use rhizome_trie::{EMPTY_ROOT, keccak256};
use serde_json::json;

/// Keys that are added in one step while a state grows.
const CHUNK: usize = 10_000;
/// Reads in one measurement, of keys in a fixed random order.
const READS: usize = 20_000;
/// Blocks measured on the grown state, and accounts that each block changes.
const BLOCKS: usize = 30;
const CHANGES: usize = 200;

/// Grows a state to this many accounts and prints the times of put, commit and get at that size.
pub(crate) fn run(keys: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = StateStore::open(folder.path(), &StoreOptions::default())?;
    let mut root = EMPTY_ROOT;
    let (mut putting, mut committing) = (0.0, 0.0);
    let step = |root: &mut B256, changes: &WriteSet| -> Result<(f64, f64), Box<dyn Error>> {
        let start = Instant::now();
        let applied = store.apply(*root, changes)?;
        *root = applied.root();
        let put = start.elapsed().as_secs_f64();
        let start = Instant::now();
        store.keep(applied);
        store.commit()?;
        Ok((put, start.elapsed().as_secs_f64()))
    };
    for from in (0..keys).step_by(CHUNK) {
        let (put, commit) = step(&mut root, &changes(from..keys.min(from + CHUNK), 1))?;
        putting += put;
        committing += commit;
    }
    let per_key = |seconds: f64| seconds / keys as f64 * 1e9;
    report(keys, "put and hash, chunks of 10,000", per_key(putting), "ns/key");
    report(keys, "durable commit, chunks of 10,000", per_key(committing), "ns/key");

    let (mut putting, mut committing) = (0.0, 0.0);
    for block in 0..BLOCKS {
        let numbers = (0..CHANGES).map(|index| order(block * CHANGES + index, keys));
        let (put, commit) = step(&mut root, &changes(numbers, block + 2))?;
        putting += put;
        committing += commit;
    }
    report(keys, "put and hash, 200 keys of a block", putting / BLOCKS as f64 * 1e6, "µs/block");
    report(keys, "durable commit, 200 keys of a block", committing / BLOCKS as f64 * 1e6, "µs/block");

    let trie = store.trie(root);
    let wanted: Vec<_> = (0..READS).map(|index| account_key(&numbered(order(index, keys)))).collect();
    store.drop_caches();
    for name in ["get, caches dropped before", "get, nodes cached"] {
        let start = Instant::now();
        for key in &wanted {
            if trie.get(key)?.is_none() {
                return Err("a key is missing".into());
            }
        }
        report(keys, name, start.elapsed().as_secs_f64() / READS as f64 * 1e9, "ns/key");
    }
    let bytes = std::fs::read_dir(folder.path())?
        .try_fold(0, |sum, entry| Ok::<_, std::io::Error>(sum + entry?.metadata()?.len()))?;
    report(keys, "store", bytes as f64 / keys as f64, "bytes/key");
    Ok(())
}

fn report(keys: usize, name: &str, value: f64, unit: &str) {
    println!("{}", json!({"keys": keys, "path": format!("unitrie: {name}"), "value": value, "unit": unit}));
}

fn changes(numbers: impl IntoIterator<Item = usize>, nonce: usize) -> WriteSet {
    let account = |number: usize| {
        (
            numbered(number),
            Account { nonce: U256::from(nonce), balance: U256::from(number + 1).into(), ..Account::default() },
        )
    };
    WriteSet { accounts: numbers.into_iter().map(account).collect(), ..WriteSet::default() }
}

fn numbered(number: usize) -> AccountRef {
    AccountRef::Address(Address::from_slice(&keccak256(&(number as u64).to_be_bytes())[12..]))
}

fn order(index: usize, among: usize) -> usize {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % among
}
