//! Transaction and receipt roots of the recorded blocks, with and without RSKIP126.
#![allow(clippy::unwrap_used)]

mod vectors;

use rhizome_primitives::Bytes;
use rhizome_trie::ordered::ordered_root;
use rhizome_vectors::json_lines;
use vectors::{bytes, hash, text};

#[test]
fn recorded_transaction_and_receipt_roots() {
    let (mut transaction_roots, mut receipt_roots) = (0, 0);
    for line in json_lines("consensus/headers-blocks.jsonl").filter(|line| text(line, "type") == "roots") {
        let raw = line["transactions"].as_array().unwrap();
        let raw: Vec<Bytes> = raw.iter().map(|raw| hex::decode(&raw.as_str().unwrap()[2..]).unwrap().into()).collect();
        assert_eq!(ordered_root(&raw, false).unwrap(), hash(&line, "txTrieRoot"));
        assert_eq!(ordered_root(&raw, true).unwrap(), hash(&line, "txTrieRootBeforeRskip126"));
        transaction_roots += 1;
        let receipts = line["receipts"].as_array().unwrap();
        if receipts.iter().all(|receipt| receipt["rlp"].is_string()) {
            let receipts: Vec<Bytes> = receipts.iter().map(|receipt| bytes(receipt, "rlp")).collect();
            assert_eq!(ordered_root(&receipts, false).unwrap(), hash(&line, "receiptsRoot"));
            assert_eq!(ordered_root(&receipts, true).unwrap(), hash(&line, "receiptsRootBeforeRskip126"));
            receipt_roots += 1;
        }
    }
    println!("equal: {transaction_roots} transaction roots, {receipt_roots} receipt roots, each in both formats");
    assert!(transaction_roots > 0 && receipt_roots > 0);
}
