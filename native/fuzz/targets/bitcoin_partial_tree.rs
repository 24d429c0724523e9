//! Partial Merkle trees.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::partial_merkle_tree::{PartialMerkleTree, build};
use rhizome_primitives::B256;

fuzz_target!(|input: &[u8]| {
    let expected = PartialMerkleTree::has_expected_size(input);
    let parsed = PartialMerkleTree::parse(input);
    assert_eq!(PartialMerkleTree::read(input).is_ok(), expected && parsed.is_ok());
    if let Ok(extracted) = parsed.map_err(Into::into).and_then(|tree| tree.extract()) {
        assert!(extracted.matched.len() <= input.len() / 32);
    }
    let Some((marks, leaves)) = input.split_at_checked(8) else { return };
    let leaves: Vec<_> = leaves.chunks_exact(32).map(B256::from_slice).collect();
    let marked = |index: usize| marks[index % 8] >> (index / 8 % 8) & 1 == 1;
    if let Some(raw) = build(&leaves, marked) {
        let tree = PartialMerkleTree::read(&raw).expect("what is built is read");
        if let Ok(extracted) = tree.extract() {
            let expected: Vec<_> =
                leaves.iter().enumerate().filter(|(index, _)| marked(*index)).map(|(_, leaf)| *leaf).collect();
            assert_eq!(extracted.matched, expected);
        }
    }
});
