//! Reads of a small state, against what the state holds.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_rpc::{Outcome, Read, Scanner, StateReads};
use rhizome_store::{StateStore, StoreOptions};

const RICH: Address = Address::with_last_byte(1);
const OWING: Address = Address::with_last_byte(2);
const CONTRACT: Address = Address::with_last_byte(3);
const LARGE_OUTPUT: usize = 4096;

fn names() -> Vec<(Vec<u8>, Read)> {
    [
        ("eth_getBalance", Read::Balance),
        ("eth_getTransactionCount", Read::TransactionCount),
        ("eth_getCode", Read::Code),
        ("eth_getStorageAt", Read::Cell),
        ("rsk_getStorageBytesAt", Read::CellBytes),
    ]
    .map(|(name, read)| (name.as_bytes().to_vec(), read))
    .to_vec()
}

fn fill(store: &Arc<StateStore>, balance: u64) -> B256 {
    let account = |balance, nonce| Account { balance, nonce: U256::from(nonce), flags: 0 };
    let changes = WriteSet {
        accounts: vec![
            (RICH.into(), account(U256::from(balance), 300)),
            (OWING.into(), account(U256::from(1).wrapping_neg(), 0)),
            (CONTRACT.into(), account(U256::ZERO, 1)),
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

fn reads() -> StateReads {
    let store = StateStore::in_memory(&StoreOptions::default());
    let (old, new) = (fill(&store, 0xabc), fill(&store, 0x1_0000));
    store.set_head(new, None);
    let mut reads = StateReads::new(store, names());
    reads.name_block(b"latest", new);
    reads.name_block(b"0x5", old);
    reads
}

fn answer(reads: &mut StateReads, body: &str) -> Result<String, Outcome> {
    let mut out = [0; LARGE_OUTPUT];
    let mut places = Vec::new();
    match reads.answer_batch(format!("[{body}]").as_bytes(), &mut places, 9, &mut out) {
        Outcome::Answered(length) => {
            let text = String::from_utf8(out[..length].to_vec()).unwrap();
            Ok(text.strip_prefix('[').unwrap().strip_suffix(']').unwrap().to_owned())
        }
        outcome => Err(outcome),
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn result(reads: &mut StateReads, method: &str, params: &str) -> Result<String, Outcome> {
    let text = answer(reads, &request(method, params))?;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, value["result"]));
    Ok(value["result"].as_str().unwrap().to_owned())
}

#[test]
fn answers_are_what_the_state_holds() {
    let mut reads = reads();
    let mut read = |method: &str, params: String| result(&mut reads, method, &params);
    let word = |digits: &str| Ok(format!("0x{digits:0>64}"));
    assert_eq!(read("eth_getBalance", format!(r#"["{RICH}","latest"]"#)), Ok("0x10000".into()));
    assert_eq!(read("eth_getBalance", format!(r#" [ "{RICH}" ] "#)), Ok("0x10000".into()));
    assert_eq!(read("eth_getBalance", format!(r#"["{RICH:#x}","0x5"]"#)), Ok("0xabc".into()));
    assert_eq!(read("eth_getBalance", format!(r#"["{}","latest"]"#, Address::with_last_byte(9))), Ok("0x0".into()));
    assert_eq!(read("eth_getTransactionCount", format!(r#"["{RICH}","latest"]"#)), Ok("0x12c".into()));
    assert_eq!(
        read("eth_getCode", format!(r#"["{CONTRACT}","latest"]"#)),
        Ok(format!("0x{}", hex::encode([0x60; 600])))
    );
    assert_eq!(read("eth_getCode", format!(r#"["{RICH}","latest"]"#)), Ok("0x".into()));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x0","latest"]"#)), word("12"));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x01f","latest"]"#)), word(&"07".repeat(32)));
    assert_eq!(read("eth_getStorageAt", format!(r#"["{CONTRACT}","0x2","latest"]"#)), word(""));
    assert_eq!(
        read("rsk_getStorageBytesAt", format!(r#"["{CONTRACT}","0x1F","latest"]"#)),
        Ok(format!("0x{}", "07".repeat(40)))
    );
    assert_eq!(read("rsk_getStorageBytesAt", format!(r#"["{CONTRACT}","0x2","latest"]"#)), Ok("0x0".into()));
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
        ("eth_getBalance", format!(r#"["{OWING}","latest"]"#)),
        ("eth_getCode", format!(r#"["{address}"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0x","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","12","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0x{zeros}","latest"]"#)),
        ("eth_getStorageAt", format!(r#"["{CONTRACT}","0xg","latest"]"#)),
        ("eth_chainId", "[]".to_owned()),
    ] {
        assert_eq!(result(&mut reads, method, &params), Err(Outcome::Declined), "{method} {params}");
    }
    let good = request("eth_getBalance", &format!(r#"["{RICH}","latest"]"#));
    let chain = request("eth_chainId", "[]");
    assert_eq!(answer(&mut reads, &format!("{good},{chain}")), Err(Outcome::Declined));
    assert_eq!(answer(&mut reads, ""), Err(Outcome::Declined));
    assert_eq!(answer(&mut reads, &[good.as_str(); 10].join(",")), Err(Outcome::Declined));
    let code = request("eth_getCode", &format!(r#"["{CONTRACT}","latest"]"#));
    assert_eq!(answer(&mut reads, &[code.as_str(); 4].join(",")), Err(Outcome::Declined), "longer than the memory");
    assert!(answer(&mut reads, &[code.as_str(); 3].join(",")).is_ok());
}

#[test]
fn unknown_blocks_are_named_once_each() {
    let mut reads = reads();
    let at = |block: &str| request("eth_getBalance", &format!(r#"["{RICH}","{block}"]"#));
    let body = [at("0x6"), at("latest"), at("safe"), at("0x6")].join(",");
    assert_eq!(answer(&mut reads, &body), Err(Outcome::UnknownBlocks));
    assert_eq!(reads.unknown_blocks(), [b"0x6".to_vec(), b"safe".to_vec()]);
    let mut out = [0; LARGE_OUTPUT];
    let params = format!(r#"["{RICH}"]"#);
    reads.forget_blocks();
    assert_eq!(reads.answer(0, b"1", params.as_bytes(), &mut out), Outcome::UnknownBlocks);
    assert_eq!(reads.unknown_blocks(), [b"latest".to_vec()]);
    reads.name_block(b"latest", B256::repeat_byte(1));
    assert_eq!(reads.answer(0, b"1", params.as_bytes(), &mut out), Outcome::Declined, "a state that is not there");
    reads.name_block(b"latest", rhizome_trie_root());
    let expected = br#"{"jsonrpc":"2.0","id":"x","result":"0x0"}"#;
    assert_eq!(reads.answer(0, br#""x""#, params.as_bytes(), &mut out), Outcome::Answered(expected.len()));
    assert_eq!(&out[..expected.len()], expected);
    assert_eq!(reads.answer(0, b"1", format!("{params} 1").as_bytes(), &mut out), Outcome::Declined);
    assert_eq!(reads.answer(77, b"1", params.as_bytes(), &mut out), Outcome::Declined);
}

#[test]
fn nothing_is_read_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let root = fill(&store, 5);
    store.commit().unwrap();
    store.drop_caches();
    let mut reads = StateReads::new(store.clone(), names());
    reads.name_block(b"latest", root);
    let mut read = |method: &str, params: &str| result(&mut reads, method, params);
    let balance = format!(r#"["{RICH}","latest"]"#);
    let code = format!(r#"["{CONTRACT}","latest"]"#);
    assert_eq!(read("eth_getBalance", &balance), Err(Outcome::Declined));
    assert_eq!(read("eth_getCode", &code), Err(Outcome::Declined));
    let worker = store.reader(root).unwrap();
    worker.account(&RICH.into()).unwrap();
    assert_eq!(read("eth_getBalance", &balance), Ok("0x5".into()), "a worker has read it");
    assert_eq!(worker.code(&AccountRef::from(CONTRACT)).unwrap().len(), 600);
    assert_eq!(read("eth_getCode", &code).unwrap().len(), 2 + 2 * 600);
}

fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\"",
        "\\",
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"id\":-0",
        "\"id\":01",
        "\"id\":\"a\"",
        "\"method\":\"m\"",
        "\"params\":[]",
        "\"params\":[\"a\",\"b\"]",
        "\"params\":[1]",
        "é",
        "\n",
        "1",
    ];
    prop::sample::select(fixed.map(str::to_owned).to_vec())
}

fn body() -> impl Strategy<Value = String> {
    let member = prop::sample::select(vec![
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"id\":-0",
        "\"id\":\"a\"",
        "\"method\":\"m\"",
        "\"params\":[ \"a\" , \"b\"]",
        "\"params\":[]",
        "\"more\":1",
    ]);
    let members = prop::collection::vec(member, 1..5).prop_map(|members| format!("{{{}}}", members.join(", ")));
    (members, any::<prop::sample::Index>(), prop::option::of(piece())).prop_map(|(mut body, place, piece)| {
        if let Some(piece) = piece {
            body.insert_str(place.index(body.len()), &piece);
        }
        body
    })
}

proptest! {
    #[test]
    fn what_is_scanned_is_what_json_says(body in body()) {
        let mut scanner = Scanner::new(body.as_bytes());
        if let Some(request) = scanner.request() {
            let end = body.len() - std::iter::from_fn(|| scanner.token()).count();
            let value = serde_json::Deserializer::from_str(&body).into_iter::<serde_json::Value>().next();
            let value = value.unwrap().expect("what was scanned is JSON");
            prop_assert_eq!(std::str::from_utf8(request.method).unwrap(), value["method"].as_str().unwrap());
            let id: serde_json::Value = serde_json::from_slice(request.id).unwrap();
            prop_assert_eq!(&id, &value["id"]);
            let params: Vec<_> = request.params.texts().iter().map(|text| String::from_utf8_lossy(text)).collect();
            let expected = value.get("params").cloned().unwrap_or(serde_json::json!([]));
            prop_assert_eq!(serde_json::json!(params), expected);
            prop_assert!(end > 0);
        }
    }
}
