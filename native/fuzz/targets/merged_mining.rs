//! What pools submit: Bitcoin blocks, coinbases, Merkle trees.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::header::merkle_root;
use rhizome_bitcoin::merkle::{check_proof, check_proof_length};
use rhizome_bitcoin::partial_merkle_tree::PartialMerkleTree;
use rhizome_bitcoin::{compress_coinbase, read_block, read_block_header, read_coinbase, work_of_coinbase};
use rhizome_primitives::B256;

fuzz_target!(|input: &[u8]| {
    if let Some(block) = read_block(input) {
        assert_eq!(read_block_header(input), Some(block.header));
        let _ = merkle_root(block.header);
        assert_eq!(read_coinbase(block.coinbase), Some(block.coinbase));
        let _ = check_proof_length(&block.merkle_proof, true);
    }
    if let Some(coinbase) = read_coinbase(input) {
        let _ = work_of_coinbase(coinbase);
        let _ = compress_coinbase(coinbase);
    }
    if let Ok(tree) = PartialMerkleTree::read(input) {
        let _ = tree.check(&B256::ZERO, &B256::ZERO);
    }
    let _ = check_proof(input, &B256::ZERO, &B256::ZERO);
});
