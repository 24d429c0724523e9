//! States of a fork: what was written here hides what the upstream has, also where nothing is left.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{Answer, Fork, ForkPoint, StateStore, StoreOptions, UpstreamAccount, Wanted};
use rhizome_trie::EMPTY_ROOT;

const FORK: u64 = 100;

fn account(number: u8) -> AccountRef {
    Address::repeat_byte(number).into()
}

fn slot(number: u64) -> U256 {
    U256::from(number)
}

fn bytes(number: u8) -> Bytes {
    Bytes::from(vec![number])
}

/// Answers in a thread of its own: accounts 1 to 9 are contracts whose cells have their slot's number, others are absent.
fn upstream_answer(wanted: Wanted) -> Result<Answer, StateError> {
    Ok(match wanted {
        Wanted::Account(id) if id.address()[0] < 10 => Answer::account(UpstreamAccount {
            account: Some(Account { nonce: U256::from(1), balance: U256::from(1000).into(), flags: 0 }),
            code: Bytes::from(vec![0x60, id.address()[0]]),
            is_contract: true,
        }),
        Wanted::Account(id) if id.address()[0] == 66 => {
            return Err(StateError::Upstream("the upstream is away".into()));
        }
        Wanted::Account(id) if id.address()[0] == 67 => return Err(StateError::NeverGiven("it gives none".into())),
        Wanted::Account(_) => Answer::account(UpstreamAccount::default()),
        Wanted::Cell(_, at) => Answer::Cell((!at.is_zero()).then(|| bytes(at.to::<u8>()))),
        Wanted::Block(number) => Answer::Block(Arc::new(block(number))),
    })
}

fn block(number: u64) -> AncestorBlock {
    AncestorBlock {
        timestamp: number,
        coinbase: AccountRef::NoAddress,
        ..rhizome_testing::ancestor(B256::from(U256::from(number)), B256::from(U256::from(number - 1)), number)
    }
}

type Asked = Arc<Mutex<HashMap<Wanted, usize>>>;

fn forked(answer: fn(Wanted) -> Result<Answer, StateError>, patience: Duration) -> (Arc<StateStore>, Asked) {
    let store = StateStore::in_memory(&StoreOptions::default());
    let asked = Asked::default();
    let counted = asked.clone();
    let own: Arc<OnceLock<Weak<Fork>>> = Arc::default();
    let answerer = own.clone();
    let ask = Box::new(move |wanted: Wanted| {
        *counted.lock().unwrap().entry(wanted).or_default() += 1;
        let fork = answerer.get().and_then(Weak::upgrade).unwrap();
        thread::spawn(move || match answer(wanted) {
            Ok(answer) => fork.answer(wanted, answer),
            Err(failure) => fork.refuse(wanted, failure),
        });
    });
    let point = ForkPoint { number: FORK, parent_hash: block(FORK).parent_hash };
    let fork = Arc::new(Fork::new(point, 1 << 20, patience, ask));
    own.set(Arc::downgrade(&fork)).unwrap();
    assert!(store.attach_fork(fork));
    store.put_ancestor(block(FORK));
    (store, asked)
}

fn usual() -> (Arc<StateStore>, Asked) {
    forked(upstream_answer, Duration::from_secs(20))
}

fn written(store: &Arc<StateStore>, root: B256, changes: &WriteSet) -> B256 {
    let applied = store.apply(root, changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    root
}

#[test]
fn what_was_never_written_is_the_upstreams_and_asked_for_once() {
    let (store, asked) = usual();
    let reader = store.reader(EMPTY_ROOT).unwrap();
    assert_eq!(reader.account(&account(1)).unwrap().unwrap().balance, U256::from(1000).into());
    assert_eq!(reader.code(&account(1)).unwrap(), Bytes::from(vec![0x60, 1]));
    assert!(reader.is_contract(&account(1)).unwrap());
    assert_eq!(reader.storage(&account(1), &slot(5)).unwrap(), Some(bytes(5)));
    assert_eq!(reader.storage(&account(1), &slot(5)).unwrap(), Some(bytes(5)));
    assert_eq!(reader.storage(&account(1), &slot(0)).unwrap(), None);
    assert_eq!(reader.account(&account(50)).unwrap(), None);
    assert_eq!(reader.storage(&account(50), &slot(5)).unwrap(), None, "an absent account has no cells");
    let counts = asked.lock().unwrap();
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert!(!counts.contains_key(&Wanted::Cell(account(50), slot(5))));
}

#[test]
fn a_cell_that_was_removed_here_stays_removed_until_it_is_written_again() {
    let (store, _) = usual();
    let cell = |value: Option<Bytes>| WriteSet { storage: vec![(account(1), slot(5), value)], ..WriteSet::default() };
    let removed = written(&store, EMPTY_ROOT, &cell(None));
    assert_ne!(removed, EMPTY_ROOT);
    let read = |root: B256| store.reader(root).unwrap().storage(&account(1), &slot(5)).unwrap();
    assert_eq!(read(removed), None);
    assert_eq!(store.reader(removed).unwrap().storage(&account(1), &slot(6)).unwrap(), Some(bytes(6)));
    let again = written(&store, removed, &cell(Some(bytes(9))));
    assert_eq!(read(again), Some(bytes(9)));
    assert_eq!(read(written(&store, again, &cell(None))), None);
    assert_eq!(read(EMPTY_ROOT), Some(bytes(5)), "the state before is as it was");
}

#[test]
fn an_account_that_was_deleted_hides_all_that_the_upstream_has_of_it() {
    let (store, _) = usual();
    // A cell is written without the account being changed, which is deleted with it.
    let touched = written(
        &store,
        EMPTY_ROOT,
        &WriteSet { storage: vec![(account(1), slot(7), Some(bytes(70)))], ..WriteSet::default() },
    );
    let gone = written(&store, touched, &WriteSet { deleted: vec![account(1)], ..WriteSet::default() });
    let reader = store.reader(gone).unwrap();
    assert_eq!(reader.account(&account(1)).unwrap(), None);
    assert_eq!(reader.code_info(&account(1)).unwrap(), None);
    assert!(!reader.is_contract(&account(1)).unwrap());
    for number in [5, 7] {
        assert_eq!(reader.storage(&account(1), &slot(number)).unwrap(), None);
    }
    assert_eq!(reader.storage_cells(&account(1), None, 10).unwrap(), vec![]);
    assert!(reader.account(&account(2)).unwrap().is_some(), "no other account is");

    let changes = WriteSet {
        accounts: vec![(account(1), Account::default())],
        code: vec![(account(1), bytes(1))],
        markers: vec![account(1)],
        storage: vec![(account(1), slot(8), Some(bytes(80)))],
        ..WriteSet::default()
    };
    let recreated = store.reader(written(&store, gone, &changes)).unwrap();
    assert_eq!(recreated.code(&account(1)).unwrap(), bytes(1));
    assert_eq!(recreated.storage(&account(1), &slot(8)).unwrap(), Some(bytes(80)));
    assert_eq!(recreated.storage(&account(1), &slot(5)).unwrap(), None);
    assert_eq!(recreated.storage_cells(&account(1), None, 10).unwrap(), vec![(slot(8), bytes(80))]);
}

#[test]
fn code_that_was_removed_stays_removed_and_cells_cannot_be_listed() {
    let (store, _) = usual();
    let changes = WriteSet { code: vec![(account(3), Bytes::new())], ..WriteSet::default() };
    let reader = store.reader(written(&store, EMPTY_ROOT, &changes)).unwrap();
    assert_eq!(reader.code(&account(3)).unwrap(), Bytes::new());
    assert_eq!(reader.code_info(&account(3)).unwrap(), None);
    assert!(reader.account(&account(3)).unwrap().is_some());
    assert!(matches!(reader.storage_cells(&account(3), None, 10), Err(StateError::Unlisted)));
}

#[test]
fn a_refusal_and_a_long_wait_are_errors_and_the_next_read_asks_again() {
    let (store, asked) = usual();
    let reader = store.reader(EMPTY_ROOT).unwrap();
    for times in 1..=2 {
        let error = reader.account(&account(66)).unwrap_err();
        assert!(matches!(&error, StateError::Upstream(reason) if reason == "the upstream is away"), "{error:?}");
        assert_eq!(asked.lock().unwrap()[&Wanted::Account(account(66))], times);
    }
    let (slow, _) = forked(
        |_| {
            thread::sleep(Duration::from_secs(60));
            Err(StateError::Upstream(String::new()))
        },
        Duration::from_millis(20),
    );
    let error = slow.reader(EMPTY_ROOT).unwrap().account(&account(1)).unwrap_err();
    assert!(error.to_string().contains("did not answer within"), "{error}");
}

#[test]
fn a_thread_that_must_not_wait_gets_a_refusal() {
    let (store, _) = usual();
    let read = move |id: AccountRef| {
        thread::spawn(move || {
            Fork::let_this_thread_wait(false);
            let reader = store.reader(EMPTY_ROOT).unwrap();
            assert!(matches!(reader.account(&id), Err(StateError::NotFetched)));
            loop {
                match reader.account(&id) {
                    Err(StateError::NotFetched) => thread::yield_now(),
                    result => break result,
                }
            }
        })
        .join()
        .unwrap()
    };
    assert!(read.clone()(account(1)).unwrap().is_some());
    assert!(matches!(read(account(66)), Err(StateError::Upstream(_))));
}

#[test]
fn what_is_never_given_is_told_apart_from_what_is_not_given_now() {
    let (store, _) = usual();
    let reader = store.reader(EMPTY_ROOT).unwrap();
    let is_never_given =
        |read: &Result<_, StateError>| matches!(read, Err(StateError::NeverGiven(reason)) if reason == "it gives none");
    assert!(is_never_given(&reader.account(&account(67))), "by a thread that waits");
    let fork = store.fork().unwrap().clone();
    assert!(is_never_given(&fork.fetching_ahead(|| reader.account(&account(67)))), "after a run on guesses");
    assert!(matches!(reader.account(&account(66)), Err(StateError::Upstream(_))));
    Fork::let_this_thread_wait(false);
    let read = loop {
        match reader.account(&account(67)) {
            Err(StateError::NotFetched) => thread::yield_now(),
            known => break known,
        }
    };
    Fork::let_this_thread_wait(true);
    assert!(is_never_given(&read), "by a thread that must not wait");
}

#[test]
fn blocks_below_the_fork_are_the_upstreams() {
    let (store, asked) = usual();
    let next = AncestorBlock { number: FORK + 1, ..block(FORK + 1) };
    store.put_ancestor(next.clone());
    let above = store.ancestry(next.hash);
    assert_eq!(above.ancestor(0).unwrap().number, FORK + 1);
    assert_eq!(above.ancestor(1).unwrap().number, FORK);
    assert_eq!(above.ancestor(50).unwrap().number, FORK - 49);
    assert_eq!(above.ancestor_hash(2), Some(block(FORK - 1).hash));
    assert!(!asked.lock().unwrap().contains_key(&Wanted::Block(FORK - 1)), "its child names it");
    let at_the_fork = store.ancestry(block(FORK).parent_hash);
    assert_eq!(at_the_fork.ancestor(0).unwrap().number, FORK - 1);
    assert!(above.failure().is_none());
    assert!(above.ancestor(FORK + 2).is_none());
}

#[test]
fn reads_that_do_not_depend_on_each_other_wait_together() {
    let (store, asked) = forked(
        |wanted| {
            thread::sleep(Duration::from_millis(1));
            upstream_answer(wanted)
        },
        Duration::from_secs(60),
    );
    let fork = store.fork().unwrap().clone();
    let reader = store.reader(EMPTY_ROOT).unwrap();
    let mut runs = 0;
    let sum = fork.fetching_ahead(|| {
        runs += 1;
        let cells = (1..=40).map(|at| reader.storage(&account(1), &slot(at)));
        let sum: Result<u64, StateError> = cells.map(|cell| Ok(cell?.map_or(0, |bytes| u64::from(bytes[0])))).sum();
        // What is read next follows from what was read before.
        let next = reader.storage(&account(2), &slot(sum.clone().unwrap_or(0) % 50 + 1));
        (sum, next)
    });
    assert_eq!(sum.0.unwrap(), 820);
    assert_eq!(sum.1.unwrap(), Some(bytes(21)));
    // One finds the cells wanting, one the cell that follows from them, and the last one nothing.
    assert_eq!(runs, 3);
    assert!(asked.lock().unwrap().values().all(|times| *times == 1));
    assert!(asked.lock().unwrap().contains_key(&Wanted::Cell(account(2), slot(1))), "a guess was wrong");
}

#[test]
fn a_run_on_guesses_ends_with_refusals_and_does_not_take_them_for_absence() {
    let (store, _) = usual();
    let fork = store.fork().unwrap().clone();
    let reader = store.reader(EMPTY_ROOT).unwrap();
    let read = fork.fetching_ahead(|| {
        let (there, away) = (reader.account(&account(1)), reader.account(&account(66)));
        there.and_then(|found| away.map(|_| found))
    });
    assert!(matches!(read, Err(StateError::Upstream(_))));
    let hash = fork.fetching_ahead(|| store.ancestry(block(FORK).parent_hash).ancestor_hash(5));
    assert_eq!(hash, Some(block(FORK - 6).hash));
}

#[test]
fn a_thread_that_may_not_wait_asks_for_all_that_a_run_wants_and_runs_again() {
    let (store, asked) = usual();
    let fork = store.fork().unwrap().clone();
    Fork::let_this_thread_wait(false);
    let reader = store.reader(EMPTY_ROOT).unwrap();
    let sum = || -> Result<u64, StateError> {
        (1..=40).map(|at| Ok(reader.storage(&account(1), &slot(at))?.map_or(0, |bytes| u64::from(bytes[0])))).sum()
    };
    let first = fork.fetching_ahead(sum);
    assert_eq!(asked.lock().unwrap().len(), 41, "the account and all of its cells");
    // The answers may have come meanwhile.
    assert!(matches!(first, Err(StateError::NotFetched) | Ok(820)), "{first:?}");
    let known = loop {
        match fork.fetching_ahead(sum) {
            Err(StateError::NotFetched) => thread::yield_now(),
            known => break known,
        }
    };
    Fork::let_this_thread_wait(true);
    assert_eq!(known.unwrap(), 820);
    assert!(asked.lock().unwrap().values().all(|times| *times == 1));
}
