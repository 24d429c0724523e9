//! Processor time that the state takes for an imported block, by stage: `block_costs ACCOUNTS BLOCKS KIND`, with as many
//! accounts and cells to begin with. A block of kind `storage` writes 200 new cells of one contract, `accounts` makes 180
//! accounts, `token` has 20 transfers of a token between 1,000 accounts, `random` as many between all of them.
#![allow(clippy::unwrap_used, clippy::print_stdout, unsafe_code, reason = "the clock of a thread")]

use std::time::Duration;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keccak256};

const NEW_CELLS: u64 = 200;
const NEW_ACCOUNTS: u64 = 180;
const TRANSFERS: u64 = 20;
const OWNERS: u64 = 1_000;
/// Blocks that an import makes durable together.
const BLOCKS_PER_COMMIT: u64 = 64;

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::from_slice(&keccak256(&number.to_be_bytes())[12..]))
}

fn value(number: u64) -> Option<Bytes> {
    Some(Bytes::copy_from_slice(&(number + 1).to_be_bytes()))
}

fn account(nonce: u64) -> Account {
    Account { nonce: U256::from(nonce), balance: U256::from(nonce + 1).into(), ..Account::default() }
}

fn first(accounts: u64) -> WriteSet {
    WriteSet {
        accounts: (0..=accounts).map(|number| (owner(number), account(0))).collect(),
        markers: vec![owner(0)],
        storage: (0..accounts).map(|number| (owner(0), U256::from(number), value(number))).collect(),
        ..WriteSet::default()
    }
}

fn block(number: u64, accounts: u64, kind: &str) -> WriteSet {
    // Who mines and what the block pays changes in every block.
    let mut changes = WriteSet { accounts: vec![(owner(1), account(number))], ..WriteSet::default() };
    match kind {
        "storage" => {
            let cells = accounts + number * NEW_CELLS..accounts + (number + 1) * NEW_CELLS;
            changes.storage.extend(cells.map(|cell| (owner(0), U256::from(cell), value(number))));
        }
        "accounts" => {
            let new = 1 + accounts + number * NEW_ACCOUNTS..1 + accounts + (number + 1) * NEW_ACCOUNTS;
            changes.accounts.extend(new.map(|of| (owner(of), account(0))));
        }
        _ => {
            let owners = if kind == "random" { accounts } else { OWNERS };
            for transfer in 0..2 * TRANSFERS {
                let hash = keccak256(&(number * 1_000 + transfer).to_be_bytes());
                let of = 2 + u64::from_be_bytes(hash[..8].try_into().unwrap()) % owners;
                if transfer < TRANSFERS {
                    changes.accounts.push((owner(of), account(number)));
                }
                changes.storage.push((owner(0), U256::from(of), value(number + transfer)));
            }
        }
    }
    changes
}

/// Processor time, of this thread or of the process.
fn processor_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of this stack.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [accounts, blocks, kind] = &arguments[..] else { panic!("ACCOUNTS BLOCKS storage|accounts|token|random") };
    let (accounts, blocks): (u64, u64) = (accounts.parse().unwrap(), blocks.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let changes = first(accounts.max(OWNERS + 2));
    let applied = store.apply(EMPTY_ROOT, &changes).unwrap();
    let mut parent: B256 = applied.root();
    store.keep(applied);
    store.set_head(parent, Some((&EMPTY_ROOT, &changes)));
    drop(changes);
    store.settle_head().unwrap();
    store.commit().unwrap();
    // Nothing of the first state is parsed or cached, as in a node that starts.
    drop(store);
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    store.set_head(parent, None);
    let mut stages = [Duration::ZERO; 4];
    let process = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID);
    let mut time = processor_time(libc::CLOCK_THREAD_CPUTIME_ID);
    let mut record = |stage: Option<usize>| {
        let now = processor_time(libc::CLOCK_THREAD_CPUTIME_ID);
        if let Some(stage) = stage {
            stages[stage] += now - time;
        }
        time = now;
    };
    for number in 1..=blocks {
        let changes = block(number, accounts, kind);
        record(None);
        let applied = store.apply(parent, &changes).unwrap();
        record(Some(0));
        let root = applied.root();
        store.keep(applied);
        record(Some(1));
        store.set_head(root, Some((&parent, &changes)));
        record(Some(2));
        if number % BLOCKS_PER_COMMIT == 0 {
            store.commit().unwrap();
        }
        record(Some(3));
        parent = root;
    }
    let process = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID) - process;
    print_line(kind, blocks, stages, process, parent);
}

fn print_line(kind: &str, blocks: u64, stages: [Duration; 4], process: Duration, root: B256) {
    let each = |time: Duration| time.as_secs_f64() * 1e3 / blocks as f64;
    let [apply, keep, head, commit] = stages.map(each);
    println!(
        "{kind}: ms a block: apply {apply:.3}, keep {keep:.3}, head {head:.3}, commit {commit:.3}; of this thread \
         {:.3}, of the process {:.3}; root {root}",
        apply + keep + head + commit,
        each(process),
    );
}
