//! Calls and estimates on a state of which nothing is in memory at first, against what workers execute.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use rhizome_answers::{EncodedAnswers, EncodedObjectCache};
use rhizome_evm::{BlockContext, LocalCall, Message, call};
use rhizome_primitives::account::Account;
use rhizome_primitives::block::{AncestorBlock, BlockEnv};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_rpc::{Answered, CallKind, FastCalls, FastPath, FrontMethod, GasCaps, ResponseCache, Source};
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
    AncestorBlock {
        hash: block_name(number),
        parent_hash: number.checked_sub(1).map_or(B256::ZERO, block_name),
        number,
        timestamp: 0,
        coinbase: Address::ZERO,
        minimum_gas_price: U256::ZERO,
        gas_limit: Bytes::new(),
        gas_used: 0,
        difficulty: U256::from(1),
        paid_fees: U256::ZERO,
        uncle_count: 0,
        total_difficulty: U256::from(number),
        bitcoin_header: None,
        bitcoin_coinbase: None,
        uncles: Vec::new(),
    }
}

fn head() -> BlockEnv {
    BlockEnv { number: HEIGHT, gas_limit: 10_000_000, parent_hash: block_name(HEIGHT - 1), ..BlockEnv::default() }
}

/// Writes blocks and a state to disk: its root.
fn write(folder: &Path) -> B256 {
    let store = StateStore::open(folder, &StoreOptions::default()).unwrap();
    for number in 0..HEIGHT {
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
    let method = |name: &str, index, kind| FrontMethod {
        name: name.into(),
        index,
        state: None,
        text: None,
        call: Some(kind),
        keeps: true,
    };
    let methods =
        vec![method("eth_call", CALL, CallKind::Output), method("eth_estimateGas", ESTIMATE, CallKind::Estimate)];
    let texts = EncodedAnswers::new(Arc::new(EncodedObjectCache::new(1 << 20)));
    let mut front = FastPath::new(methods, texts, ResponseCache::new(1 << 20));
    front.calls = Some(FastCalls::new(store.clone(), spec.clone(), GasCaps { call: GAS, estimate: GAS }));
    front
}

fn request(method: &str, to: Address) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":[{{"to":"{to:#x}"}},"latest"]}}"#).into_bytes()
}

/// Reads a request and executes it: what came of it, and the text.
fn ask(front: &mut FastPath, body: &[u8]) -> (Answered, String) {
    let mut out = [0; 512];
    let mut answered = front.answer(body, &mut out);
    if matches!(answered, Answered::Call(_)) {
        answered = front.run(&mut out);
    }
    let length = if let Answered::Written(_, _, length) = answered { length } else { 0 };
    (answered, String::from_utf8_lossy(&out[..length]).into_owned())
}

/// As a worker does it.
fn execute(store: &Arc<StateStore>, spec: &Arc<ChainSpec>, root: B256) -> Bytes {
    let block = head();
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
    assert_eq!(ask(&mut front, &body).0, Answered::UnknownBlockContext);
    front.calls.as_mut().unwrap().set_block_context(root, head());
    for _ in 0..3 {
        assert_eq!(ask(&mut front, &body).0, Answered::TooLong, "and it is not taken for long");
    }
    // All but the blocks.
    let reader = store.reader(root).unwrap();
    reader.code(&CONTRACT.into()).unwrap();
    reader.storage(&CONTRACT.into(), &U256::ZERO).unwrap();
    reader.account(&CONTRACT.into()).unwrap();
    reader.account(&Address::ZERO.into()).unwrap();
    assert_eq!(ask(&mut front, &body).0, Answered::TooLong, "no hash of zeros for a block on disk");
    let output = execute(&store, &spec, root);
    assert_eq!((output[31], &output[32..]), (0x12, &block_name(HEIGHT - 3)[..]));
    let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#, hex::encode_prefixed(&output));
    for source in [Source::Core, Source::Kept] {
        assert_eq!(ask(&mut front, &body), (Answered::Written(CALL, source, expected.len()), expected.clone()));
    }
    assert!(matches!(
        ask(&mut front, &request("eth_estimateGas", CONTRACT)).0,
        Answered::Written(ESTIMATE, Source::Core, _)
    ));
}

#[test]
fn a_worker_alone_makes_a_call_ready() {
    let folder = tempfile::tempdir().unwrap();
    let root = write(folder.path());
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let spec = Arc::new(regtest(|_| true));
    let mut front = front(&store, &spec);
    front.calls.as_mut().unwrap().set_block_context(root, head());
    for is_head in [false, true] {
        if is_head {
            // The cache of the head has what is read from now on, and nodes are not.
            store.set_head(root, None);
            store.drop_caches();
            front.forget();
            front.calls.as_mut().unwrap().set_block_context(root, head());
        }
        let body = request("eth_call", CONTRACT);
        assert_eq!(ask(&mut front, &body).0, Answered::TooLong);
        execute(&store, &spec, root);
        assert!(matches!(ask(&mut front, &body).0, Answered::Written(..)), "the head's: {is_head}");
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
    assert_eq!(front.answer(&nobody, &mut out), Answered::Call(CALL));
    assert_eq!(front.run(&mut out), Answered::UnknownBlockContext);
    front.calls.as_mut().unwrap().set_block_context(root, head());
    store.reader(root).unwrap().account(&NOBODY.into()).unwrap();
    store.reader(root).unwrap().code_info(&NOBODY.into()).unwrap();
    assert!(matches!(front.run(&mut out), Answered::Written(..)), "it waited for its place");
    assert_eq!(front.run(&mut out), Answered::Declined);
    assert_eq!(front.answer(&request("eth_call", CONTRACT), &mut out), Answered::Call(CALL));
    assert_eq!(front.answer(b"{}", &mut out), Answered::Declined);
    assert_eq!(front.run(&mut out), Answered::Declined, "another request came");
    store.reader(root).unwrap().code(&REVERTS.into()).unwrap();
    store.reader(root).unwrap().account(&REVERTS.into()).unwrap();
    assert_eq!(ask(&mut front, &request("eth_call", REVERTS)).0, Answered::Declined);
}
