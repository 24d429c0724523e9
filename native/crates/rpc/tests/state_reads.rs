//! Reads of a small state, against what the state holds.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use rhizome_answers::{EncodedAnswers, EncodedObjectCache};
use rhizome_primitives::account::{Account, AccountRef, Balance};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_rpc::{
    ANSWERED, AnnouncedHead, Answered, CACHED, FastMethod, FastPath, MethodName, REQUEST_WORDS, ResponseCache,
    StateReads,
};
use rhizome_store::{StateStore, StoreOptions};

const RICH: Address = Address::with_last_byte(1);
const OWING: Address = Address::with_last_byte(2);
const CONTRACT: Address = Address::with_last_byte(3);
const LARGE_OUTPUT: usize = 4096;
const MAX_READS: usize = 9;

fn methods() -> Vec<MethodName> {
    let methods = [
        ("eth_getBalance", Some(FastMethod::Balance)),
        ("eth_getTransactionCount", Some(FastMethod::TransactionCount)),
        ("eth_getCode", Some(FastMethod::Code)),
        ("eth_getStorageAt", Some(FastMethod::Cell)),
        ("rsk_getStorageBytesAt", Some(FastMethod::CellBytes)),
        ("test_other", None),
    ];
    let named = |(index, (name, fast)): (usize, (&str, _))| MethodName {
        name: name.into(),
        index: index as u16,
        fast,
        is_cached: true,
        reports_reverts: false,
    };
    methods.into_iter().enumerate().map(named).collect()
}

fn path(store: Arc<StateStore>, cached_bytes: usize) -> FastPath {
    let objects = EncodedAnswers::new(Arc::new(EncodedObjectCache::new(0)));
    let mut path = FastPath::new(methods(), MAX_READS, objects, ResponseCache::new(cached_bytes));
    path.state = Some(StateReads::new(store));
    path
}

/// Has a path see a chain, of those that tests number, whose blocks have these states; the last one is the head.
fn see(path: &mut FastPath, store: &Arc<StateStore>, chain: u64, roots: &[Option<B256>]) {
    let hash_of = |number: usize| B256::from(U256::from(chain) << 64 | U256::from(number + 1));
    for (number, root) in roots.iter().enumerate() {
        store.put_ancestor(AncestorBlock {
            state_root: *root,
            ..rhizome_testing::ancestor(
                hash_of(number),
                number.checked_sub(1).map_or(B256::ZERO, hash_of),
                number as u64,
            )
        });
        // The blocks that are read are held.
        store.head_branch(hash_of(number)).unwrap();
    }
    let head = roots.len() - 1;
    path.set_head(store, &AnnouncedHead { hash: hash_of(head), root: roots[head], first_block: 0 });
}

fn fill(store: &Arc<StateStore>, balance: u64) -> B256 {
    let account = |balance, nonce| Account { balance, nonce: U256::from(nonce), flags: 0 };
    let changes = WriteSet {
        accounts: vec![
            (RICH.into(), account(U256::from(balance).into(), 300)),
            (OWING.into(), account(Balance::from_magnitude(true, U256::ONE), 0)),
            (CONTRACT.into(), account(Balance::ZERO, 1)),
        ],
        code: vec![(CONTRACT.into(), Bytes::from(vec![0x60; 600]))],
        markers: vec![CONTRACT.into()],
        storage: vec![
            (CONTRACT.into(), U256::ZERO, Some(Bytes::from_static(&[0x12]))),
            (CONTRACT.into(), U256::from(0x1f), Some(Bytes::from(vec![7; 40]))),
        ],
        ..WriteSet::default()
    };
    let applied = store.apply(rhizome_trie_root(), &changes).unwrap();
    let root = applied.root();
    store.keep(applied);
    root
}

/// Root of the state without accounts.
fn rhizome_trie_root() -> B256 {
    B256::from(hex!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"))
}

fn reads() -> FastPath {
    let store = StateStore::in_memory(&StoreOptions::default());
    let (old, new) = (fill(&store, 0xabc), fill(&store, 0x1_0000));
    store.set_head(new, None);
    let mut path = path(store.clone(), 0);
    see(&mut path, &store, 1, &[None, Some(old), Some(new)]);
    path
}

/// The answer of all of a body; none where something is left.
fn answer(path: &mut FastPath, body: &str) -> Option<String> {
    let mut out = [0; LARGE_OUTPUT];
    match path.answer(body.as_bytes(), false, &mut out).unwrap() {
        Answered::Whole(_, length) => Some(String::from_utf8(out[..length].to_vec()).unwrap()),
        Answered::Partly(_) => None,
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

/// The result of a request, which is the same alone and in a batch.
fn result(path: &mut FastPath, method: &str, params: &str) -> Option<String> {
    let body = request(method, params);
    let text = answer(path, &body);
    let batch = answer(path, &format!(" [ {body} , {body}] x"));
    assert_eq!(batch, text.as_ref().map(|text| format!("[{text},{text}]")));
    let value: serde_json::Value = serde_json::from_str(text.as_ref()?).unwrap();
    assert_eq!(text, Some(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, value["result"])));
    Some(value["result"].as_str().unwrap().to_owned())
}

#[test]
fn answers_are_what_the_state_holds() {
    let mut reads = reads();
    let mut read = |method: &str, params: String| result(&mut reads, method, &params);
    let word = |digits: &str| Some(format!("0x{digits:0>64}"));
    assert_eq!(read("eth_getBalance", format!(r#"["{RICH}","latest"]"#)), Some("0x10000".into()));
    assert_eq!(read("eth_getBalance", format!(r#" [ "{RICH}" ] "#)), Some("0x10000".into()));
    assert_eq!(read("eth_getBalance", format!(r#"["{RICH:#x}","0x1"]"#)), Some("0xabc".into()));
    assert_eq!(read("eth_getBalance", format!(r#"["{}","latest"]"#, Address::with_last_byte(9))), Some("0x0".into()));
    assert_eq!(read("eth_getBalance", format!(r#"["{OWING}","latest"]"#)), Some("0x0".into()), "no sign");
    assert_eq!(read("eth_getTransactionCount", format!(r#"["{RICH}","latest"]"#)), Some("0x12c".into()));
    assert_eq!(
        read("eth_getCode", format!(r#"["{CONTRACT}","latest"]"#)),
        Some(format!("0x{}", hex::encode([0x60; 600])))
    );
    assert_eq!(read("eth_getCode", format!(r#"["{RICH}","latest"]"#)), Some("0x".into()));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x0","latest"]"#)), word("12"));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x01f","latest"]"#)), word(&"07".repeat(32)));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x2","latest"]"#)), word(""));
    assert_eq!(
        read("rsk_getStorageBytesAt", format!(r#"["{CONTRACT}","0x1F","latest"]"#)),
        Some(format!("0x{}", "07".repeat(40)))
    );
    assert_eq!(read("rsk_getStorageBytesAt", format!(r#"["{CONTRACT}","0x2","latest"]"#)), Some("0x0".into()));
}

#[test]
fn what_is_not_ordinary_is_declined() {
    let mut reads = reads();
    let address = RICH.to_string();
    let (short, bare) = (&address[..41], &address[2..]);
    let zeros = "0".repeat(65);
    for (method, params) in [
        ("eth_getBalance", "[]".to_owned()),
        ("eth_getBalance", format!(r#"["{short}","latest"]"#)),
        ("eth_getBalance", format!(r#"["{bare}","latest"]"#)),
        ("eth_getBalance", format!(r#"["0x{address}","latest"]"#)),
        ("eth_getBalance", format!(r#"["{address}","latest","x"]"#)),
        ("eth_getBalance", format!(r#"["{address}",5]"#)),
        ("eth_getBalance", format!(r#"["{address}",{{"blockNumber":"0x5"}}]"#)),
        ("eth_getBalance", format!(r#"["{address}","late\u0073t"]"#)),
        ("eth_getCode", format!(r#"["{address}"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0x","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","12","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0x{zeros}","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0xg","latest"]"#)),
        ("eth_chainId", "[]".to_owned()),
        ("test_other", "[]".to_owned()),
    ] {
        assert_eq!(result(&mut reads, method, &params), None, "{method} {params}");
    }
    let code = request("eth_getCode", &format!(r#"["{CONTRACT}","latest"]"#));
    assert_eq!(answer(&mut reads, &format!("[{}]", [code.as_str(); 4].join(","))), None, "longer than the memory");
    assert!(answer(&mut reads, &format!("[{}]", [code.as_str(); 3].join(","))).is_some());
    let unread = format!(r#"["{RICH}","0x0"]"#);
    assert_eq!(result(&mut reads, "eth_getBalance", &unread), None, "no state can be read");
}

/// Flags of the requests of a batch, and the answers of those that have one.
fn parts(path: &mut FastPath, body: &str) -> Vec<(u32, String)> {
    let mut out = [0; LARGE_OUTPUT];
    assert!(matches!(path.answer(body.as_bytes(), false, &mut out), Ok(Answered::Partly(_))));
    let records = path.records().iter().filter(|&&word| word & 0xff < 2);
    assert!(records.count() > 0);
    let words = &path.records()[1..path.records().len() - 1];
    let part = |words: &[u32]| {
        let answer = if words[0] & ANSWERED == 0 { &[][..] } else { &out[words[6] as usize..words[7] as usize] };
        (words[0], String::from_utf8(answer.to_vec()).unwrap())
    };
    words.chunks(REQUEST_WORDS).map(part).collect()
}

#[test]
fn of_a_batch_each_request_is_answered_that_can_be() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let root = fill(&store, 7);
    store.set_head(root, None);
    let mut path = path(store.clone(), 1 << 16);
    see(&mut path, &store, 2, &[Some(root); 7]);
    path.keep_plain(5, b",\"result\":1}");
    let balance = |block: &str| request("eth_getBalance", &format!(r#"["{RICH}","{block}"]"#));
    let body = [balance("latest"), request("test_other", "[1]"), request("test_other", "[]"), balance("0x7")].join(",");
    let answered = |text: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#);
    let found = parts(&mut path, &format!("[{body}]"));
    assert_eq!(found.iter().map(|(flags, _)| flags & ANSWERED != 0).collect::<Vec<_>>(), [true, false, true, false]);
    assert_eq!((found[0].1.clone(), found[2].1.clone()), (answered("\"0x7\""), answered("1")));
    assert_eq!(found[2].0 & CACHED, CACHED);
    path.cache.keep(5, b"[1]", b",\"result\":2}");
    see(&mut path, &store, 3, &[Some(root); 8]);
    let whole = ["\"0x7\"", "2", "1", "\"0x7\""].map(answered).join(",");
    assert_eq!(answer(&mut path, &format!("[{body}]")), Some(format!("[{whole}]")));
    assert_eq!(path.lookups().hits, 1, "of that body alone");
    for odd in [format!("[[{body}]]"), format!("[{body},1]"), format!("[{body},[]]"), format!("[{body},{{}}]")] {
        assert_eq!(answer(&mut path, &odd), None, "{odd}");
    }
    assert_eq!(answer(&mut path, "[]"), None);
    let silent = balance("latest").replace("\"id\":1,", "");
    assert_eq!(answer(&mut path, &silent), None);
    let many = vec![balance("latest"); MAX_READS + 1].join(",");
    assert!(
        matches!(path.answer(format!("[{many}]").as_bytes(), false, &mut [0; LARGE_OUTPUT]), Ok(Answered::Partly(shape)) if shape.is_refused)
    );
}

#[test]
fn what_depends_on_the_head_is_not_answered_until_it_is_reported() {
    let store = StateStore::in_memory(&StoreOptions::default());
    let mut reads = path(store.clone(), 0);
    let alone = request("eth_getBalance", &format!(r#"["{RICH}"]"#));
    assert_eq!(answer(&mut reads, &alone), None, "no head");
    let unknown = AnnouncedHead { hash: B256::repeat_byte(7), root: Some(rhizome_trie_root()), first_block: 0 };
    reads.set_head(&store, &unknown);
    assert_eq!(answer(&mut reads, &alone), None, "a head that is not in the store");
    see(&mut reads, &store, 4, &[Some(B256::repeat_byte(1))]);
    assert_eq!(answer(&mut reads, &alone), None, "a state that is not there");
    see(&mut reads, &store, 5, &[Some(rhizome_trie_root())]);
    let expected = r#"{"jsonrpc":"2.0","id":"x","result":"0x0"}"#;
    let with_id = alone.replace("\"id\":1", "\"id\":\"x\"");
    assert_eq!(answer(&mut reads, &with_id).as_deref(), Some(expected));
    reads.forget();
    assert_eq!(answer(&mut reads, &with_id), None);
}

#[test]
fn nothing_is_read_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let root = fill(&store, 5);
    store.commit().unwrap();
    store.drop_caches();
    let mut path = path(store.clone(), 0);
    see(&mut path, &store, 6, &[Some(root)]);
    let mut read = |method: &str, params: &str| result(&mut path, method, params);
    let balance = format!(r#"["{RICH}","latest"]"#);
    let code = format!(r#"["{CONTRACT}","latest"]"#);
    assert_eq!(read("eth_getBalance", &balance), None);
    assert_eq!(read("eth_getCode", &code), None);
    let worker = store.reader(root).unwrap();
    worker.account(&RICH.into()).unwrap();
    assert_eq!(read("eth_getBalance", &balance), Some("0x5".into()), "a worker has read it");
    assert_eq!(worker.code(&AccountRef::from(CONTRACT)).unwrap().len(), 600);
    assert_eq!(read("eth_getCode", &code).unwrap().len(), 2 + 2 * 600);
}
