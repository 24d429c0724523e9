//! What survives: closing, crashing, full maps, and stores of other formats.
#![allow(clippy::unwrap_used)]
#![allow(unsafe_code, reason = "opens a memory map as the store does")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use heed::types::Bytes as RawBytes;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, StateStore, StoreFormat, StoreOptions};
use rhizome_trie::{EMPTY_ROOT, keccak256};

const SMALL_MAP: StoreOptions = StoreOptions {
    node_cache_bytes: 1 << 20,
    code_cache_bytes: 1 << 20,
    head_cache_bytes: 1 << 20,
    parsed_log_bytes: 2 << 10,
    map_bytes: 1 << 30,
    read_only: false,
};

fn open(path: &Path) -> Arc<StateStore> {
    StateStore::open(path, &SMALL_MAP).unwrap()
}

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::left_padding_from(&number.to_be_bytes()))
}

/// Fifty accounts, each with a long code and a cell.
fn block(number: u64) -> WriteSet {
    let accounts: Vec<_> = (number * 50..number * 50 + 50).map(owner).collect();
    WriteSet {
        accounts: accounts
            .iter()
            .map(|account| (*account, Account { nonce: U256::from(number), ..Account::default() }))
            .collect(),
        code: accounts
            .iter()
            .map(|account| (*account, Bytes::from([account.as_bytes(), &[1; 500]].concat())))
            .collect(),
        markers: accounts.clone(),
        storage: accounts
            .iter()
            .map(|account| (*account, U256::from(number), Some(Bytes::from_static(&[9]))))
            .collect(),
        ..WriteSet::default()
    }
}

#[test]
fn a_closed_store_is_opened_anew_while_others_still_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let root = keep(&first, EMPTY_ROOT, 1);
    first.commit().unwrap();
    first.close();
    assert!(matches!(first.root_for(&B256::ZERO), Err(StateError::Store(_))));
    keep(&first, root, 2);
    assert!(matches!(first.commit(), Err(StateError::Store(_))));
    let second = open(folder.path());
    assert!(!Arc::ptr_eq(&first, &second));
    assert!(second.has_root(&root).unwrap());
}

fn keep(store: &Arc<StateStore>, root: B256, number: u64) -> B256 {
    let applied = store.apply(root, &block(number)).unwrap();
    let root = applied.root();
    store.keep(applied);
    root
}

#[test]
fn committed_states_survive_and_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = keep(&store, EMPTY_ROOT, 0);
    let second = keep(&store, first, 1);
    store.put_root(B256::repeat_byte(1), second);
    store.commit().unwrap();
    let third = keep(&store, second, 2);
    assert!(store.has_root(&third).unwrap());
    assert!(store.stats().pending_nodes > 0);
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.stats().pending_nodes, 0);
    for root in [first, second] {
        store.check_root(&root, &CheckProgress::default()).unwrap();
    }
    assert!(!store.has_root(&third).unwrap());
    assert_eq!(store.root_for(&B256::repeat_byte(1)).unwrap(), Some(second));
    let again = keep(&store, second, 2);
    assert_eq!(again, third);
    store.commit().unwrap();
    store.check_root(&third, &CheckProgress::default()).unwrap();
}

#[test]
fn an_edited_root_is_never_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (block, other) = (B256::repeat_byte(1), B256::repeat_byte(2));
    let root = keep(&store, EMPTY_ROOT, 0);
    store.put_edited_root(block, Some(root));
    assert_eq!(store.edited_root(&block), Some(root));
    assert_eq!(store.root_for(&block).unwrap(), None);
    store.commit().unwrap();
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.edited_root(&block), None);
    store.replace_edited_roots(HashMap::from([(block, root), (other, EMPTY_ROOT)]));
    store.put_edited_root(other, None);
    assert_eq!((store.edited_root(&block), store.edited_root(&other)), (Some(root), None));
    store.replace_edited_roots(HashMap::new());
    assert_eq!(store.edited_root(&block), None);
}

#[test]
fn a_full_map_loses_nothing_that_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let full = StoreOptions { map_bytes: 1 << 20, ..SMALL_MAP };
    let store = StateStore::open(folder.path(), &full).unwrap();
    let mut committed = EMPTY_ROOT;
    let mut root = EMPTY_ROOT;
    let error = (0..1000)
        .find_map(|number| {
            root = keep(&store, root, number);
            let failure = store.commit().err();
            if failure.is_none() {
                committed = root;
            }
            failure
        })
        .unwrap();
    assert!(matches!(&error, StateError::Store(text) if text.contains("MDB_MAP_FULL")), "{error}");
    assert_ne!(committed, EMPTY_ROOT);
    // Pending entries stay readable, and a second attempt fails in the same way.
    assert!(store.reader(root).unwrap().account(&owner(0)).unwrap().is_some());
    assert!(store.commit().is_err());
    drop(store);
    let store = open(folder.path());
    store.check_root(&committed, &CheckProgress::default()).unwrap();
    assert!(!store.has_root(&root).unwrap());
    keep(&store, committed, 2000);
    store.commit().unwrap();
}

#[test]
fn one_folder_is_one_store_in_all_threads() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let detour = folder.path().join("..").join(folder.path().file_name().unwrap());
    assert!(Arc::ptr_eq(&first, &open(&detour)));
    drop(first);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = folder.path();
            scope.spawn(move || {
                for round in 0..20 {
                    let store = open(path);
                    let root = keep(&store, EMPTY_ROOT, thread * 20 + round);
                    store.commit().unwrap();
                    assert!(store.has_root(&root).unwrap());
                }
            });
        }
    });
    let store = open(folder.path());
    for number in 0..80 {
        let root = store.apply(EMPTY_ROOT, &block(number)).unwrap().root();
        store.check_root(&root, &CheckProgress::default()).unwrap();
    }
}

/// Opens the environment beside the store, as another program would.
fn edit(path: &Path, table: &str, change: impl FnOnce(heed::Database<RawBytes, RawBytes>, &mut heed::RwTxn<'_>)) {
    // SAFETY: no store is open on the folder.
    let env = unsafe { heed::EnvOpenOptions::new().map_size(1 << 24).max_dbs(16).open(path) }.unwrap();
    let mut transaction = env.write_txn().unwrap();
    let table = env.create_database(&mut transaction, Some(table)).unwrap();
    change(table, &mut transaction);
    transaction.commit().unwrap();
}

#[test]
fn a_store_of_another_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    edit(folder.path(), "meta", |table, transaction| table.put(transaction, b"format", &[0, 0, 0, 9]).unwrap());
    let Err(error) = StateStore::open(folder.path(), &SMALL_MAP) else { panic!("opened") };
    let message = error.to_string();
    let program = env!("CARGO_PKG_VERSION");
    let expected =
        format!("has format 9, written by Rhizome {program}; this build ({program}) reads up to 2: run a newer");
    assert!(message.contains(&expected), "{message}");
    assert!(matches!(error, StateError::Format(_)), "{error:?}");
    let read_only = StoreOptions { read_only: true, ..SMALL_MAP };
    assert!(matches!(StateStore::open(folder.path(), &read_only), Err(StateError::Format(_))));
    assert_eq!(StateStore::format(folder.path()).unwrap().unwrap().format, 9);
}

#[test]
fn a_store_says_its_format_and_who_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(StateStore::format(&folder.path().join("absent")).unwrap(), None);
    assert_eq!(StateStore::format(folder.path()).unwrap(), None);
    let store = open(folder.path());
    assert_eq!(StateStore::format(folder.path()).unwrap(), Some(StoreFormat::present()), "while it is open");
    drop(store);
    assert_eq!(StateStore::format(folder.path()).unwrap(), Some(StoreFormat::present()));
    edit(folder.path(), "meta", |table, transaction| {
        table.delete(transaction, b"program").unwrap();
    });
    let unnamed = StoreFormat { program: None, ..StoreFormat::present() };
    assert_eq!(StateStore::format(folder.path()).unwrap(), Some(unnamed), "as the versions before left it");
    drop(open(folder.path()));
    assert_eq!(StateStore::format(folder.path()).unwrap(), Some(StoreFormat::present()), "noted by whoever writes");
}

#[test]
fn damage_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let root = keep(&store, EMPTY_ROOT, 0);
    store.commit().unwrap();
    drop(store);
    let log = |change: &dyn Fn(&mut Vec<u8>)| {
        edit(folder.path(), "nodes", |table, transaction| {
            let (key, mut bytes) = {
                let (key, bytes) = table.first(transaction).unwrap().unwrap();
                (key.to_vec(), bytes.to_vec())
            };
            change(&mut bytes);
            table.put(transaction, &key, &bytes).unwrap();
        });
    };
    let checked = || open(folder.path()).check_root(&root, &CheckProgress::default());

    // The first record is a node without stored children: flags, length, serialisation.
    let first = std::cell::Cell::new(B256::ZERO);
    log(&|bytes| {
        assert_eq!(bytes[0], 0);
        let length = u32::from_le_bytes(bytes[1..5].try_into().unwrap()) as usize;
        first.set(keccak256(&bytes[5..5 + length]));
        bytes[5 + length - 1] ^= 1;
    });
    assert!(matches!(checked(), Err(StateError::Corrupt { hash, .. }) if hash == first.get()));
    log(&|bytes| {
        let length = u32::from_le_bytes(bytes[1..5].try_into().unwrap()) as usize;
        bytes[5 + length - 1] ^= 1;
    });
    checked().unwrap();

    // The root is the last record; the log starts at position 1.
    log(&|bytes| bytes.truncate(bytes.len() - 1));
    assert!(matches!(checked(), Err(StateError::MissingNode(hash)) if hash == root));
    let offset = std::cell::Cell::new(0);
    edit(folder.path(), "states", |table, transaction| {
        let at = table.get(transaction, root.as_slice()).unwrap().unwrap();
        offset.set(u64::from_be_bytes(at.try_into().unwrap()) as usize - 1);
    });
    log(&|bytes| {
        bytes.push(0);
        let children = bytes[offset.get()].count_ones() as usize;
        bytes[offset.get() + 5 + 6 * children] ^= 0xff;
    });
    let store = open(folder.path());
    assert!(
        matches!(store.check_root(&root, &CheckProgress::default()), Err(StateError::Corrupt { hash, .. }) if hash == root)
    );
    let reader: Arc<dyn StateReader> = store.reader(root).unwrap();
    assert!(matches!(reader.account(&owner(0)), Err(StateError::Corrupt { hash, .. }) if hash == root));
    assert!(matches!(store.apply(root, &block(1)), Err(StateError::Corrupt { .. })));
}

const CRASH_FOLDER: &str = "RHIZOME_TEST_CRASH_FOLDER";

/// Run as another process by the test below: commits block after block until it is killed.
#[test]
fn crashing_writer() {
    let Some(folder) = std::env::var_os(CRASH_FOLDER) else { return };
    let store = open(Path::new(&folder));
    let mut root = EMPTY_ROOT;
    for number in 0.. {
        root = keep(&store, root, number);
        store.commit().unwrap();
        println!("\ncommitted {root}");
    }
}

#[test]
fn a_killed_process_leaves_every_committed_state() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crashing_writer", "--nocapture"])
        .env(CRASH_FOLDER, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut roots: Vec<B256> = Vec::new();
    for line in BufReader::new(writer.stdout.take().unwrap()).lines() {
        if let Some(root) = line.unwrap().strip_prefix("committed ") {
            roots.push(root.parse().unwrap());
        }
        if roots.len() == 25 {
            writer.kill().unwrap();
        }
    }
    writer.wait().unwrap();
    assert!(roots.len() >= 25);
    let store = open(folder.path());
    for root in &roots {
        store.check_root(root, &CheckProgress::default()).unwrap();
    }
    let next = keep(&store, *roots.last().unwrap(), roots.len() as u64);
    store.commit().unwrap();
    store.check_root(&next, &CheckProgress::default()).unwrap();
}
