//! What a chain takes on disk, and what a block costs: an archive, tries of the newest blocks alone, and values of these
//! alone, too. `pruning ACCOUNTS BLOCKS KEPT [storage]`: each block has 20 transfers of a token between random accounts,
//! or writes 200 new cells.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, Proofs, StateStore, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keccak256};

const TRANSFERS: u64 = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().take(3).map(|argument| argument.parse().unwrap()).collect();
    let [accounts, blocks, kept] = numbers[..] else { panic!("ACCOUNTS BLOCKS KEPT [storage]") };
    let is_storage = arguments.get(3).is_some_and(|kind| kind == "storage");
    let proofs = Some(Proofs::of_blocks(kept));
    for (proofs, keeps_values) in [(None, true), (proofs, true), (proofs, false)] {
        measure(&Chain { accounts, blocks, kept, is_storage }, proofs, keeps_values);
    }
}

struct Chain {
    accounts: u64,
    blocks: u64,
    kept: u64,
    /// Blocks of new cells in place of transfers.
    is_storage: bool,
}

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::from_slice(&keccak256(&number.to_be_bytes())[12..]))
}

fn slot(number: u64) -> U256 {
    U256::from_be_bytes(keccak256(&(1 << 40 | number).to_be_bytes()).0)
}

fn value(number: u64) -> Option<Bytes> {
    Some(Bytes::copy_from_slice(&(number + 1).to_be_bytes()))
}

fn first(accounts: u64) -> WriteSet {
    WriteSet {
        accounts: (0..accounts).map(|number| (owner(number), Account::default())).collect(),
        markers: vec![owner(0)],
        storage: (0..accounts).map(|number| (owner(0), slot(number), value(number))).collect(),
        ..WriteSet::default()
    }
}

/// Cells that one block of the second kind writes.
const NEW_CELLS: u64 = 200;

fn block(number: u64, Chain { accounts, is_storage, .. }: &Chain) -> WriteSet {
    if *is_storage {
        let slots = (0..NEW_CELLS).map(|cell| slot((1 << 50) + number * NEW_CELLS + cell));
        return WriteSet {
            storage: slots.map(|slot| (owner(0), slot, value(number))).collect(),
            ..WriteSet::default()
        };
    }
    let mut changes = WriteSet::default();
    let mut used = std::collections::HashSet::new();
    for transfer in 0..2 * TRANSFERS {
        let random = u64::from_be_bytes(keccak256(&(number * 1_000 + transfer).to_be_bytes())[..8].try_into().unwrap());
        let of = random % accounts;
        if !used.insert(of) {
            continue;
        }
        if transfer < TRANSFERS {
            changes.accounts.push((owner(of), Account { nonce: U256::from(number), ..Account::default() }));
        }
        changes.storage.push((owner(0), slot(of), value(random)));
    }
    changes
}

fn bytes(folder: &Path) -> u64 {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn step(store: &Arc<StateStore>, parent: B256, changes: &WriteSet) -> B256 {
    let applied = store.apply(parent, changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.set_head(root, Some((&parent, changes)));
    root
}

fn measure(chain: &Chain, proofs: Option<Proofs>, keeps_values: bool) {
    let Chain { accounts, blocks, kept, .. } = *chain;
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    store.set_proofs(proofs);
    let mut roots = vec![step(&store, EMPTY_ROOT, &first(accounts))];
    store.settle_head().unwrap();
    let begin = bytes(folder.path());
    let (start, used, mut peak) = (Instant::now(), processor_seconds(), begin);
    // What the second half of the chain adds: the first half fills what is kept.
    let mut half = 0;
    for number in 1..=blocks {
        let parent = *roots.last().unwrap();
        roots.push(step(&store, parent, &block(number, chain)));
        if number % 16 == 0 {
            store.commit().unwrap();
            if let Some(oldest) = roots.len().checked_sub(1 + kept as usize) {
                if let Some(end) = store.prunable(&roots[oldest]).unwrap() {
                    store.drop_before(end).unwrap();
                }
                if !keeps_values {
                    store.drop_history_before(&roots[oldest]).unwrap();
                }
            }
            peak = peak.max(bytes(folder.path()));
        }
        if number == blocks / 2 {
            half = peak;
        }
    }
    let (seconds, used) = (start.elapsed().as_secs_f64(), processor_seconds() - used);
    store.commit().unwrap();
    let stats = store.log_stats().unwrap();
    let history = store.history_stats().unwrap();
    let state = store.check_root(roots.last().unwrap(), &CheckProgress::default()).unwrap();
    println!(
        "{}{}: first state {} MB, at the end {} MB, at most {} MB, of that by the second half {:.1} kB a block; log {} MB, \
         given up {} MB, earlier values of {} states {} MB, trie of one state {} MB; {:.0} blocks/s, {:.2} ms of \
         processor a block",
        proofs.map_or_else(|| "archive".to_owned(), |proofs| format!("blocks:{}", proofs.blocks)),
        if keeps_values { "" } else { " of values, too" },
        begin / 1_000_000,
        bytes(folder.path()) / 1_000_000,
        peak / 1_000_000,
        (peak - half) as f64 / 1_000.0 / (blocks - blocks / 2) as f64,
        stats.log_bytes / 1_000_000,
        stats.dropped_bytes / 1_000_000,
        history.steps,
        history.bytes / 1_000_000,
        state.bytes / 1_000_000,
        blocks as f64 / seconds,
        1_000.0 * used / blocks as f64,
    );
}
