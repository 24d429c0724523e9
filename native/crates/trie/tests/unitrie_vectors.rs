//! The recorded trie sequences, keys and account values (`consensus/unitrie.jsonl`).
#![allow(clippy::unwrap_used)]

mod vectors;

use rhizome_primitives::account::{Account, AccountRef, Balance};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_trie::account::{decode_account, encode_account};
use rhizome_trie::bits::Path;
use rhizome_trie::proof::verify_proof;
use rhizome_trie::{MemoryNodes, Trie, keys};
use rhizome_vectors::json_lines;
use serde_json::Value as Json;
use std::sync::Arc;
use vectors::{bytes, hash, text};

fn bits(path: &Path) -> String {
    (0..path.len()).map(|index| if path.bits().bit(index) { '1' } else { '0' }).collect()
}

fn play(sequence: &Json) {
    let name = text(sequence, "name");
    let stored = MemoryNodes::default();
    let mut trie = Trie::at(Arc::new(stored.clone()), rhizome_trie::EMPTY_ROOT);
    for (index, step) in sequence["steps"].as_array().unwrap().iter().enumerate() {
        let key = bytes(step, "key");
        let before = trie.clone();
        let root_before = before.root();
        match text(step, "op") {
            "put" => trie.put(&key, bytes(step, "value")).unwrap(),
            "delete" => trie.delete(&key).unwrap(),
            "deleteRecursive" => trie.delete_recursive(&key).unwrap(),
            other => panic!("{other}"),
        }
        assert_eq!(trie.root(), hash(step, "root"), "{name} step {index}");
        assert_eq!(before.root(), root_before, "{name} step {index}: the clone changed");
        if step["savedAndReloaded"] == Json::Bool(true) {
            let root = trie.root();
            stored.extend(trie.take_new_nodes());
            trie = Trie::at(Arc::new(stored.clone()), root);
        }
    }
    assert_eq!(trie.root(), hash(sequence, "finalRoot"), "{name}");
    check(&trie, sequence);
    let root = trie.root();
    stored.extend(trie.take_new_nodes());
    check(&Trie::at(Arc::new(stored), root), sequence);
}

fn check(trie: &Trie, sequence: &Json) {
    let name = text(sequence, "name");
    let plain = trie.orchid_root(false).unwrap();
    assert_eq!(plain, hash(sequence, "finalRootOrchidPlain"), "{name}");
    // The reference caches the first orchid hash of a node whatever the flag, so the recorded secure
    // root is the plain one again. The secure form is checked on the main genesis state instead.
    assert_eq!(plain, hash(sequence, "finalRootOrchidSecure"), "{name}");
    assert!(plain == rhizome_trie::EMPTY_ROOT || plain != trie.orchid_root(true).unwrap(), "{name}");
    let nodes = trie.nodes().unwrap();
    let expected = sequence["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), expected.len(), "{name}");
    // The reference counts the root of an empty trie as a node.
    assert_eq!(nodes.len().max(1) as u64, sequence["trieSize"].as_u64().unwrap(), "{name}");
    for (node, expected) in nodes.iter().zip(expected) {
        assert_eq!(bits(&node.key), text(expected, "keyBits"), "{name}");
        assert_eq!(node.message, bytes(expected, "message"), "{name}");
        assert_eq!(node.hash, hash(expected, "hash"), "{name}");
        assert_eq!(node.embeddable, expected["embeddable"].as_bool().unwrap(), "{name}");
        assert_eq!(node.children_size, expected["childrenSize"].as_u64().unwrap(), "{name}");
        let long = expected["longValueHash"]
            .as_str()
            .map(|_| (hash(expected, "longValueHash"), expected["longValueLength"].as_u64().unwrap() as u32));
        assert_eq!(node.long_value, long, "{name}");
    }
    for proof in sequence["proofs"].as_array().unwrap() {
        let key = bytes(proof, "key");
        let value = proof["value"].as_str().map(|_| bytes(proof, "value"));
        assert_eq!(trie.get(&key).unwrap(), value, "{name}");
        let expected = proof["nodes"].as_array().map(|nodes| {
            nodes.iter().map(|node| Bytes::from(hex::decode(&node.as_str().unwrap()[2..]).unwrap())).collect::<Vec<_>>()
        });
        assert_eq!(trie.nodes_to_root(&key).unwrap(), expected, "{name}");
        let proved = verify_proof(&trie.root(), &key, &trie.prove(&key).unwrap()).unwrap();
        assert_eq!(proved.hash(), value.as_ref().map(|value| rhizome_trie::keccak256(value)), "{name}");
    }
}

fn check_keys(line: &Json) {
    let account = AccountRef::Address(Address::from_slice(&bytes(line, "address")));
    let slot = U256::from_be_slice(&bytes(line, "slot"));
    assert_eq!(keys::account_key(&account)[..], bytes(line, "accountKey")[..]);
    assert_eq!(keys::code_key(&account)[..], bytes(line, "codeKey")[..]);
    assert_eq!(keys::storage_prefix_key(&account)[..], bytes(line, "storagePrefixKey")[..]);
    assert_eq!(keys::storage_key(&account, &slot)[..], bytes(line, "storageKey")[..]);
}

fn quantity(line: &Json, field: &str) -> Balance {
    let (negative, digits) = match text(line, field).strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text(line, field)),
    };
    Balance::from_magnitude(negative, U256::from_str_radix(&digits[2..], 16).unwrap())
}

fn check_account(line: &Json) {
    let account = Account {
        nonce: quantity(line, "nonce").magnitude(),
        balance: quantity(line, "balance"),
        flags: u32::from(line["hibernated"].as_bool().unwrap()),
    };
    let encoded = bytes(line, "rlp");
    assert_eq!(encode_account(&account)[..], encoded[..]);
    let decoded = decode_account(&encoded).unwrap();
    assert_eq!(decoded, account);
    assert_eq!(
        (decoded.nonce, decoded.balance),
        (quantity(line, "decodedNonce").magnitude(), quantity(line, "decodedBalance"))
    );
}

#[test]
fn recorded_sequences_keys_and_accounts() {
    let mut counts = [0; 3];
    for line in json_lines("consensus/unitrie.jsonl") {
        match text(&line, "type") {
            "sequence" => (counts[0] += 1, play(&line)),
            "keyMapper" => (counts[1] += 1, check_keys(&line)),
            "accountState" => (counts[2] += 1, check_account(&line)),
            other => panic!("unknown line type {other}"),
        };
    }
    println!("equal: {} sequences, {} key mappings, {} account values", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|&count| count > 0));
}

#[test]
fn accounts_without_an_address_have_short_keys() {
    // Ten bytes of the hash of no bytes, and no bytes (consensus.md §2.7).
    assert_eq!(hex::encode(keys::account_key(&AccountRef::NoAddress)), "00c5d2460186f7233c927e");
    let key = keys::account_key(&AccountRef::RemascSender);
    assert_eq!(key.len(), 12);
    assert_eq!(key[1..11], rhizome_trie::keccak256(&[0])[..10]);
    assert_eq!(hex::encode(keys::account_key(&Address::from_slice(&B256::with_last_byte(8)[12..]).into())).len(), 62);
}
