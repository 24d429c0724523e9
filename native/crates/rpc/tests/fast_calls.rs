//! Calls and estimates on a state of which nothing is in memory at first, against what workers execute.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use rhizome_answers::{EncodedAnswers, EncodedObjectCache};
use rhizome_evm::{BlockContext, LocalCall, Message, call};
use rhizome_primitives::account::Account;
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_rpc::{
    AnnouncedHead, Answered, CACHED, CallStats, FastCalls, FastMethod, FastPath, GasCaps, MethodName, ResponseCache,
    WAITS,
};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_testing::regtest;

const CONTRACT: Address = Address::repeat_byte(3);
const REVERTS: Address = Address::repeat_byte(4);
const NOBODY: Address = Address::repeat_byte(9);
const HEIGHT: u64 = 9;
const CALL: u16 = 7;
const ESTIMATE: u16 = 8;
/// Answers with its first cell and the hash of the block three below; longer than what lies in a node.
const CODE: &str = "600054600052600343034060205260406000f3";
const CODE_BYTES: usize = 600;
const GAS: u64 = 1_000_000;

/// Root of the state without accounts.
const EMPTY: B256 = B256::new(hex!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"));

fn block_name(number: u64) -> B256 {
    B256::with_last_byte(number as u8 + 1)
}

fn ancestor(number: u64) -> AncestorBlock {
    let parent_hash = number.checked_sub(1).map_or(B256::ZERO, block_name);
    let gas_limit = Bytes::from_static(&hex!("989680"));
    AncestorBlock { gas_limit, ..rhizome_testing::ancestor(block_name(number), parent_hash, number) }
}

/// Has a front see the head, with a state after it.
fn see(front: &mut FastPath, store: &Arc<StateStore>, root: B256) {
    front.set_head(store, &AnnouncedHead { hash: block_name(HEIGHT), root: Some(root), first_block: 0 });
}

/// Writes blocks and a state to disk: its root.
fn write(folder: &Path) -> B256 {
    let store = StateStore::open(folder, &StoreOptions::default()).unwrap();
    for number in 0..=HEIGHT {
        store.put_ancestor(ancestor(number));
    }
    let mut code = hex::decode(CODE).unwrap();
    code.resize(CODE_BYTES, 0);
    let changes = WriteSet {
        code: vec![(CONTRACT.into(), code.into()), (REVERTS.into(), Bytes::from_static(&hex!("602a60005260206000fd")))],
        accounts: [CONTRACT, REVERTS].map(|address| (address.into(), Account::default())).to_vec(),
        markers: vec![CONTRACT.into(), REVERTS.into()],
        storage: vec![(CONTRACT.into(), U256::ZERO, Some(Bytes::from_static(&[0x12])))],
        ..WriteSet::default()
    };
    let applied = store.apply(EMPTY, &changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.commit().unwrap();
    root
}

fn front(store: &Arc<StateStore>, spec: &Arc<ChainSpec>) -> FastPath {
    let method = |name: &str, index, fast| MethodName {
        name: name.into(),
        index,
        fast: Some(fast),
        is_cached: true,
        reports_reverts: true,
    };
    let methods =
        vec![method("eth_call", CALL, FastMethod::Call), method("eth_estimateGas", ESTIMATE, FastMethod::Estimate)];
    let objects = EncodedAnswers::new(Arc::new(EncodedObjectCache::new(1 << 20)));
    let mut front = FastPath::new(methods, 50, objects, ResponseCache::new(1 << 20));
    front.calls = Some(FastCalls::new(store.clone(), spec.clone(), GasCaps { call: GAS, estimate: GAS }));
    front
}

fn request(method: &str, to: Address) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":[{{"to":"{to:#x}"}},"latest"]}}"#).into_bytes()
}

/// Source of an answer, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Cache,
    Execution,
    Nowhere,
}

/// Reads a request and executes it: where the answer came from, and its text.
fn ask(front: &mut FastPath, body: &[u8]) -> (Source, String) {
    let mut out = [0; 512];
    let (source, length) = match front.answer(body, false, &mut out).unwrap() {
        Answered::Whole(_, length) => {
            assert_ne!(front.records()[0] & CACHED, 0);
            (Source::Cache, length)
        }
        Answered::Partly(_) => match front.run(&mut out) {
            Some(length) => (Source::Execution, length),
            None => (Source::Nowhere, 0),
        },
    };
    (source, String::from_utf8_lossy(&out[..length]).into_owned())
}

/// True when a call waits after a request.
fn waits(front: &mut FastPath, body: &[u8]) -> bool {
    let answered = front.answer(body, false, &mut [0; 512]).unwrap();
    assert!(matches!(answered, Answered::Partly(_)));
    front.records()[0] & WAITS != 0
}

/// As a worker does it.
fn execute(store: &Arc<StateStore>, spec: &Arc<ChainSpec>, root: B256) -> Bytes {
    let block = ancestor(HEIGHT).env().unwrap();
    let ancestry = store.ancestry(block.parent_hash);
    let message = Message { to: Some(CONTRACT), ..Message::default() };
    let context = BlockContext::new(spec.clone(), block, ancestry);
    let local = LocalCall { context, message, gas: GAS, overrides: &[], interrupt: None, effort: None };
    call(&local, store.reader(root).unwrap()).unwrap().output
}

#[test]
fn nothing_is_read_from_disk_until_a_worker_has() {
    let folder = tempfile::tempdir().unwrap();
    let root = write(folder.path());
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let spec = Arc::new(regtest(|_| true));
    let mut front = front(&store, &spec);
    let body = request("eth_call", CONTRACT);
    assert!(!waits(&mut front, &body), "no head is known");
    assert_eq!(front.run(&mut [0; 512]), None);
    see(&mut front, &store, root);
    for _ in 0..3 {
        assert_eq!(ask(&mut front, &body).0, Source::Nowhere, "and it is not taken for long");
    }
    // All but the blocks.
    let reader = store.reader(root).unwrap();
    reader.code(&CONTRACT.into()).unwrap();
    reader.storage(&CONTRACT.into(), &U256::ZERO).unwrap();
    reader.account(&CONTRACT.into()).unwrap();
    reader.account(&Address::ZERO.into()).unwrap();
    assert_eq!(ask(&mut front, &body).0, Source::Nowhere, "no hash of zeros for a block on disk");
    let output = execute(&store, &spec, root);
    assert_eq!((output[31], &output[32..]), (0x12, &block_name(HEIGHT - 3)[..]));
    let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#, hex::encode_prefixed(&output));
    for source in [Source::Execution, Source::Cache] {
        assert_eq!(ask(&mut front, &body), (source, expected.clone()));
    }
    assert_eq!(ask(&mut front, &request("eth_estimateGas", CONTRACT)).0, Source::Execution);
    let stats = front.calls.as_ref().unwrap().stats();
    assert_eq!((stats.attempts, stats.failures, stats.wasted_gas), (6, 4, 0), "what is missing has no gas");
    assert!(stats.gas > 2 * 21_000);
}

#[test]
fn a_worker_alone_makes_a_call_ready() {
    let folder = tempfile::tempdir().unwrap();
    let root = write(folder.path());
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let spec = Arc::new(regtest(|_| true));
    let mut front = front(&store, &spec);
    see(&mut front, &store, root);
    for is_head in [false, true] {
        if is_head {
            // The cache of the head has what is read from now on, and nodes are not.
            store.set_head(root, None);
            store.drop_caches();
            front.forget();
            see(&mut front, &store, root);
        }
        let body = request("eth_call", CONTRACT);
        assert_eq!(ask(&mut front, &body).0, Source::Nowhere);
        execute(&store, &spec, root);
        assert_eq!(ask(&mut front, &body).0, Source::Execution, "the head's: {is_head}");
    }
}

#[test]
fn a_call_is_executed_once_and_only_behind_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let root = write(folder.path());
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let spec = Arc::new(regtest(|_| true));
    let mut front = front(&store, &spec);
    let mut out = [0; 512];
    let nobody = request("eth_call", NOBODY);
    execute(&store, &spec, root);
    see(&mut front, &store, root);
    assert!(waits(&mut front, &nobody));
    store.reader(root).unwrap().account(&NOBODY.into()).unwrap();
    store.reader(root).unwrap().code_info(&NOBODY.into()).unwrap();
    assert!(front.run(&mut out).is_some());
    assert_eq!(front.run(&mut out), None);
    assert!(waits(&mut front, &request("eth_call", CONTRACT)));
    assert!(!waits(&mut front, b"{}"));
    assert_eq!(front.run(&mut out), None, "another request came");
    store.reader(root).unwrap().code(&REVERTS.into()).unwrap();
    store.reader(root).unwrap().account(&REVERTS.into()).unwrap();
    assert_eq!(ask(&mut front, &request("eth_call", REVERTS)).0, Source::Nowhere);
}

#[test]
fn a_program_that_fails_here_is_passed_over_for_longer_and_longer() {
    let folder = tempfile::tempdir().unwrap();
    let root = write(folder.path());
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let spec = Arc::new(regtest(|_| true));
    let mut front = front(&store, &spec);
    see(&mut front, &store, root);
    execute(&store, &spec, root);
    store.reader(root).unwrap().code(&REVERTS.into()).unwrap();
    store.reader(root).unwrap().account(&REVERTS.into()).unwrap();
    let (reverts, ends) = (request("eth_call", REVERTS), request("eth_call", CONTRACT));
    let mut passes = 256;
    for attempt in 1..=3 {
        assert!(waits(&mut front, &reverts), "{attempt}");
        assert_eq!(front.run(&mut [0; 512]), None);
        front.calls.as_mut().unwrap().end_turn();
        for pass in 0..passes {
            assert!(!waits(&mut front, &reverts), "{attempt} {pass}");
        }
        passes *= 2;
    }
    assert_eq!(ask(&mut front, &ends).0, Source::Execution, "another program");
    let CallStats { attempts, failures, gas, wasted_gas } = front.calls.as_ref().unwrap().stats();
    assert_eq!((attempts, failures), (4, 3));
    assert!(wasted_gas > 3 * 21_000 && gas > wasted_gas + 21_000);
}
