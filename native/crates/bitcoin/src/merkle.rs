//! Inner nodes of Bitcoin Merkle trees, and proofs of the RSKIP92 format (consensus.md §3.3).

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;

use crate::error::{MerkleError, PowError};

/// Longest proof from RSKIP180 on: thirty hashes.
pub const MAX_PROOF_BYTES: usize = 960;

/// Maximum satoshis of an output.
const MAX_SATOSHIS: i64 = 21_000_000 * 100_000_000;

/// Largest output index that such a transaction could refer to.
const MAX_OUTPUT_INDEX: u32 = 1_000_000;

/// Parent of two nodes, unless together they could be a transaction.
pub fn combine(left: &B256, right: &B256) -> Result<B256, MerkleError> {
    if looks_like_transaction(&display_order(left, right)) {
        return Err(MerkleError::SixtyFourByteTransaction);
    }
    Ok(parent(left, right))
}

fn parent(left: &B256, right: &B256) -> B256 {
    let mut both = [0; 64];
    both[..32].copy_from_slice(left.as_slice());
    both[32..].copy_from_slice(right.as_slice());
    sha256d(&both)
}

/// The proof, in the RSKIP92 format, that the first of a block's transactions is in it. The ids are in block order; a
/// single one needs an empty proof.
pub fn prove_first(ids: &[B256]) -> Vec<u8> {
    let mut proof = Vec::new();
    let mut level = ids.to_vec();
    while level.len() > 1 {
        proof.extend(level[1].iter().rev());
        // A node without a neighbour is paired with itself.
        level = level.chunks(2).map(|pair| parent(&pair[0], pair.last().unwrap_or(&pair[0]))).collect();
    }
    proof
}

/// Checks the length of a proof of the RSKIP92 format, and its limit when `limited` (RSKIP180).
pub fn check_proof_length(proof: &[u8], limited: bool) -> Result<(), PowError> {
    if limited && proof.len() > MAX_PROOF_BYTES {
        return Err(PowError::ProofTooLong { length: proof.len(), limit: MAX_PROOF_BYTES });
    }
    if proof.len().is_multiple_of(32) { Ok(()) } else { Err(PowError::ProofLength(proof.len())) }
}

/// Checks that the siblings, display order from leaf to root, lead from the coinbase, always the
/// left-most leaf, to the root.
pub fn check_proof(proof: &[u8], coinbase_id: &B256, root: &B256) -> Result<(), MerkleError> {
    let computed = proof.chunks_exact(32).try_fold(*coinbase_id, |node, sibling| combine(&node, &reversed(sibling)))?;
    if computed == *root { Ok(()) } else { Err(MerkleError::RootMismatch) }
}

fn reversed(bytes: &[u8]) -> B256 {
    let mut hash = B256::from_slice(bytes);
    hash.reverse();
    hash
}

fn display_order(left: &B256, right: &B256) -> [u8; 64] {
    let mut both = [0; 64];
    both[..32].copy_from_slice(reversed(left.as_slice()).as_slice());
    both[32..].copy_from_slice(reversed(right.as_slice()).as_slice());
    both
}

/// True when two nodes could be a transaction with one input and one output. The reference examines the nodes in display
/// order, not the bytes that are hashed, so this does the same.
fn looks_like_transaction(nodes: &[u8; 64]) -> bool {
    let script_length = |at: usize| usize::from(nodes[at]);
    let output_index = u32::from_le_bytes([nodes[37], nodes[38], nodes[39], nodes[40]]);
    let input_script = script_length(41);
    if nodes[4] != 1 || (output_index > MAX_OUTPUT_INDEX && output_index != u32::MAX) || input_script > 4 {
        return false;
    }
    let output = 42 + input_script + 4;
    let value = nodes[output + 1..output + 9].iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    nodes[output] == 1 && (1..=MAX_SATOSHIS).contains(&(value as i64)) && input_script + script_length(output + 9) == 4
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::b256;

    use super::*;

    /// Internal hashes whose display order, concatenated, is `nodes`.
    fn split(nodes: &[u8; 64]) -> (B256, B256) {
        (reversed(&nodes[..32]), reversed(&nodes[32..]))
    }

    fn transaction(input_script: usize, output_index: u32, value: i64) -> [u8; 64] {
        let mut nodes = [0x99; 64];
        nodes[4] = 1;
        nodes[37..41].copy_from_slice(&output_index.to_le_bytes());
        nodes[41] = input_script as u8;
        let output = 42 + input_script + 4;
        nodes[output] = 1;
        nodes[output + 1..output + 9].copy_from_slice(&value.to_le_bytes());
        nodes[output + 9] = 4 - input_script as u8;
        nodes
    }

    #[test]
    fn nodes_that_form_a_transaction_are_refused() {
        for input_script in 0..=4 {
            for (index, value, refused) in [
                (0, 1, true),
                (MAX_OUTPUT_INDEX, MAX_SATOSHIS, true),
                (u32::MAX, 1, true),
                (MAX_OUTPUT_INDEX + 1, 1, false),
                (0, 0, false),
                (0, -1, false),
                (0, MAX_SATOSHIS + 1, false),
            ] {
                let (left, right) = split(&transaction(input_script, index, value));
                assert_eq!(combine(&left, &right).is_err(), refused, "{input_script} {index} {value}");
            }
        }
        for at in [4, 41, 46, 55] {
            let mut nodes = transaction(0, 0, 1);
            nodes[at] = 0x85;
            let (left, right) = split(&nodes);
            assert!(combine(&left, &right).is_ok(), "{at}");
        }
    }

    #[test]
    fn two_transaction_sample_of_the_mining_sheet() {
        let coinbase = b256!("39975a670108078346cb166ed991ccc7328f4f8bc06fd4a77b642e0dbcfc7405");
        let sibling = b256!("e62c2f2526fb1bd2b12d19ed1b8b545810a2743c6d05a9f241dbedaaed82a8d0");
        let root = b256!("0bfd0e47a9cbcc7fd9acf206420370e2b56f6f89fc2b48f161c8db63671b2712");
        let proof = reversed(sibling.as_slice());
        assert_eq!(check_proof(proof.as_slice(), &coinbase, &root), Ok(()));
        assert_eq!(check_proof(sibling.as_slice(), &coinbase, &root), Err(MerkleError::RootMismatch));
        assert_eq!(check_proof(&[], &coinbase, &coinbase), Ok(()));
    }

    /// The root of a whole tree, level by level.
    fn root(ids: &[B256]) -> B256 {
        let mut level = ids.to_vec();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| parent(&pair[0], pair.last().expect("not empty"))).collect();
        }
        level[0]
    }

    #[test]
    fn proofs_of_the_first_transaction_lead_to_the_root() {
        let ids: Vec<B256> = (0..70u8).map(B256::repeat_byte).collect();
        for count in 1..=ids.len() {
            let ids = &ids[..count];
            let proof = prove_first(ids);
            assert_eq!(proof.len() / 32, count.next_power_of_two().trailing_zeros() as usize, "{count}");
            assert_eq!(check_proof(&proof, &ids[0], &root(ids)), Ok(()), "{count}");
        }
        assert!(prove_first(&[]).is_empty());
    }

    #[test]
    fn proof_lengths() {
        assert_eq!(check_proof_length(&[0; 960], true), Ok(()));
        assert_eq!(check_proof_length(&[0; 992], false), Ok(()));
        assert_eq!(check_proof_length(&[0; 992], true), Err(PowError::ProofTooLong { length: 992, limit: 960 }));
        assert_eq!(check_proof_length(&[0; 33], true), Err(PowError::ProofLength(33)));
    }
}
