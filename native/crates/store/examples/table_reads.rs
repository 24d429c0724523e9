//! Measures distinct reads of one state, through the table of the head and down the trie, past the cache of the head:
//! `cargo run --release -p rhizome-store --example table_reads -- FOLDER ROOT ACCOUNTS CELLS`, on a state that
//! `write_state` wrote (with the root that it printed). Times are processor time of the thread.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(unsafe_code, reason = "asks the system for the processor time of the thread")]

use std::path::Path;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::keccak256;

const READS: u64 = 200_000;
/// Spreads numbers over a range without repeating one early.
const STRIDE: u64 = 7_919;

fn hash_of(number: u64) -> B256 {
    keccak256(&U256::from(number).to_be_bytes::<32>())
}

fn processor_nanoseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn measure(what: &str, reads: u64, mut read: impl FnMut(u64)) {
    for round in ["first", "again"] {
        let before = processor_nanoseconds();
        (0..reads).for_each(&mut read);
        let each = (processor_nanoseconds() - before) / reads as i64;
        println!("{what:<24} {round:<6} {each:>8} ns");
    }
}

fn read(name: &str, reader: &dyn StateReader, accounts: u64, cells: u64) {
    let order = |index: u64, count: u64| index * STRIDE % count;
    let owners: Vec<AccountRef> = (0..READS.min(accounts))
        .map(|index| Address::from_slice(&hash_of(order(index, accounts))[12..]).into())
        .collect();
    measure(&format!("{name}, accounts"), owners.len() as u64, |index| {
        assert!(reader.account(&owners[index as usize]).unwrap().is_some());
    });
    let contract = AccountRef::Address(Address::repeat_byte(0x77));
    let slots: Vec<U256> = (0..READS.min(cells)).map(|index| hash_of(order(index, cells)).into()).collect();
    measure(&format!("{name}, cells"), slots.len() as u64, |index| {
        assert!(reader.storage(&contract, &slots[index as usize]).unwrap().is_some());
    });
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("FOLDER ROOT ACCOUNTS CELLS");
    let (folder, root) = (next(), next());
    let (accounts, cells): (u64, u64) = (next().parse().unwrap(), next().parse().unwrap());
    let root: B256 = root.parse().unwrap();
    let store = StateStore::open(Path::new(&folder), &StoreOptions::default()).unwrap();
    // No head is set, so nothing fills the cache of the head.
    read("table", &*store.reader(root).unwrap(), accounts, cells);
    let aside = WriteSet {
        accounts: vec![(AccountRef::RemascSender, Account { nonce: U256::from(7), ..Account::default() })],
        ..WriteSet::default()
    };
    let applied = store.apply(root, &aside).unwrap();
    let aside = applied.root();
    store.keep(applied);
    read("trie", &*store.reader(aside).unwrap(), accounts, cells);
}
