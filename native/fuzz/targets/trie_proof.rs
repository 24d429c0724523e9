//! Proofs: a stranger's nodes never prove anything about another root, and never end the process.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::proof::verify_proof;
use rhizome_trie::{Trie, keccak256};

fuzz_target!(|input: &[u8]| {
    let mut rest = input;
    let mut proof = Vec::new();
    while let Some((&length, tail)) = rest.split_first() {
        let (node, tail) = tail.split_at(usize::from(length).min(tail.len()));
        proof.push(Bytes::copy_from_slice(node));
        rest = tail;
    }
    let key = input.get(..input.len().min(8)).unwrap_or_default();
    assert!(verify_proof(&B256::repeat_byte(1), key, &proof).is_err());
    if let Some(last) = proof.last() {
        let _ = verify_proof(&keccak256(last), key, &proof);
    }
    if key.is_empty() {
        return;
    }
    let mut trie = Trie::in_memory();
    for node in &proof {
        let _ = trie.put(node, node.clone());
    }
    let root = trie.root();
    let own = trie.prove(key).expect("all is in memory");
    if let Ok(value) = verify_proof(&root, key, &own) {
        assert!(value.same(&trie.value(key).expect("all is in memory")));
    }
});
