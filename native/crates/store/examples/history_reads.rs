//! Measures blocks that are committed with the table of the head, and distinct reads of earlier states by its line and
//! down the trie: `cargo run --release -p rhizome-store --example history_reads -- FOLDER ACCOUNTS BLOCKS CHANGES`, in an
//! empty folder. Each block changes so many accounts and as many cells, one account and one cell in every block. Times are
//! processor time of the thread. With `older` behind it the table is made after the blocks, which are converted then.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(unsafe_code, reason = "asks the system for the processor time of the thread")]

use std::path::Path;
use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keccak256};

/// Earlier states that are read, and reads of each.
const STATES: u64 = 1_000;
const READS: u64 = 50;
/// Blocks of a commit.
const COMMIT: u64 = 16;

fn hash_of(number: u64) -> B256 {
    keccak256(&U256::from(number).to_be_bytes::<32>())
}

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::from_slice(&hash_of(number)[12..]))
}

fn contract() -> AccountRef {
    AccountRef::Address(Address::repeat_byte(0x77))
}

/// Sets the accounts and cells of these numbers to a value.
fn writes(numbers: impl Iterator<Item = u64> + Clone, value: u64) -> WriteSet {
    let account = |number| (owner(number), Account { nonce: U256::from(value), ..Account::default() });
    let bytes = Bytes::copy_from_slice(&B256::from(U256::from(value))[..]);
    WriteSet {
        accounts: numbers.clone().map(account).collect(),
        storage: numbers.map(|number| (contract(), hash_of(number).into(), Some(bytes.clone()))).collect(),
        ..WriteSet::default()
    }
}

fn processor_nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn timed<T>(total: &mut i64, work: impl FnOnce() -> T) -> T {
    let before = processor_nanoseconds();
    let result = work();
    *total += processor_nanoseconds() - before;
    result
}

fn extend(store: &Arc<StateStore>, parent: B256, changes: &WriteSet) -> B256 {
    let applied = store.apply(parent, changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    root
}

fn read(name: &str, roots: &[B256], accounts: u64, reader: impl Fn(B256) -> Arc<dyn StateReader>) {
    for kind in ["accounts", "cells"] {
        for round in ["first", "again"] {
            let mut total = 0;
            for (index, root) in (0_u64..).zip(roots) {
                let reader = reader(*root);
                for read in 0..READS {
                    let number =
                        hash_of(index * READS + read).0[..8].iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
                    let (owner, slot) = (owner(number % accounts), hash_of(number % accounts).into());
                    timed(&mut total, || match kind {
                        "cells" => assert!(reader.storage(&contract(), &slot).unwrap().is_some()),
                        _ => assert!(reader.account(&owner).unwrap().is_some()),
                    });
                }
            }
            println!("{name:<8} {kind:<9} {round:<6} {:>8} ns", total / (roots.len() as i64 * READS as i64));
        }
    }
}

fn name(number: u64) -> B256 {
    hash_of(1 << 40 | number)
}

fn ancestor(number: u64, root: B256) -> AncestorBlock {
    let parent_hash = number.checked_sub(1).map(name).unwrap_or_default();
    AncestorBlock { state_root: Some(root), ..rhizome_testing::ancestor(name(number), parent_hash, number) }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("FOLDER ACCOUNTS BLOCKS CHANGES");
    let folder = next();
    let [accounts, blocks, changes] = [next(), next(), next()].map(|number| number.parse::<u64>().unwrap());
    let is_older = arguments.next().is_some_and(|argument| argument == "older");
    let store = StateStore::open(Path::new(&folder), &StoreOptions::default()).unwrap();
    let mut root = EMPTY_ROOT;
    for start in (0..accounts).step_by(10_000) {
        root = extend(&store, root, &writes(start..accounts.min(start + 10_000), 1));
        store.commit().unwrap();
    }
    if !is_older {
        store.set_head(root, None);
        store.settle_head().unwrap();
    }
    store.put_ancestor(ancestor(0, root));
    let mut roots = Vec::new();
    let (mut trie, mut head, mut commit) = (0, 0, 0);
    for block in 1..=blocks {
        let numbers =
            (0..changes).map(|index| if index == 0 { 0 } else { (block * 7_919 + index * 104_729) % accounts });
        let changes = writes(numbers, block + 1);
        let parent = root;
        root = timed(&mut trie, || extend(&store, parent, &changes));
        store.put_ancestor(ancestor(block, root));
        if !is_older {
            timed(&mut head, || store.set_head(root, Some((&parent, &changes))));
        }
        if block.is_multiple_of(COMMIT) {
            timed(&mut commit, || store.commit().unwrap());
        }
        roots.push(root);
    }
    let each = |total: i64| total / blocks as i64 / 1_000;
    println!("a block: trie {} µs, layer {} µs, commit {} µs", each(trie), each(head), each(commit));
    if is_older {
        store.commit().unwrap();
        store.set_head(root, None);
    }
    let mut settle = 0;
    timed(&mut settle, || store.settle_head().unwrap());
    println!("settled in {} ms", settle / 1_000_000);
    let bytes = || std::fs::metadata(Path::new(&folder).join("data.mdb")).unwrap().len();
    let before = bytes();
    println!("file {} MB", before / 1_000_000);
    if is_older {
        let mut convert = 0;
        timed(&mut convert, || store.convert(name(blocks), None).unwrap());
        println!("converted: {} µs and {} bytes a block", each(convert), (bytes() - before) / blocks);
    }
    let step = (blocks / STATES).max(1) as usize;
    let sample: Vec<B256> = roots.iter().step_by(step).copied().collect();
    assert!(sample.iter().all(|root| store.has_values(root).unwrap()));
    read(if is_older { "older" } else { "line" }, &sample, accounts, |root| Arc::new(store.table_reader(root)));
    // States beside the line are read in the trie.
    let aside: Vec<B256> = sample.iter().map(|root| extend(&store, *root, &writes(0..1, 0))).collect();
    read("trie", &aside, accounts, |root| store.reader(root).unwrap());
    read("newest", &[root], accounts, |root| store.reader(root).unwrap());
}
