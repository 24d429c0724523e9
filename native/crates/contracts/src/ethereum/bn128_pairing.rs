//! `0x…08`: whether a product of pairings of bn128 is one (RSKIP137).

use revm_precompile::{Crypto, DefaultCrypto};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{B256, Bytes};

use super::bn128_failure;

/// A point of G1 (64 bytes) and one of G2 (128 bytes).
const PAIR_BYTES: usize = 192;

const BASE_GAS: u64 = 45_000;
const PAIR_GAS: u64 = 34_000;

pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(BASE_GAS + PAIR_GAS * (input.unwrap_or_default().len() / PAIR_BYTES) as u64)
}

/// The input is not padded: a length that is no multiple of 192 fails.
pub(crate) fn run(rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let (pairs, rest) = input.unwrap_or_default().as_chunks::<PAIR_BYTES>();
    if !rest.is_empty() {
        return bn128_failure(rules, "the input is no sequence of pairs");
    }
    let pairs: Vec<(&[u8], &[u8])> = pairs.iter().map(|pair| pair.split_at(64)).collect();
    match DefaultCrypto.bn254_pairing_check(&pairs) {
        Ok(is_one) => Ok(Some(B256::with_last_byte(is_one.into()).into())),
        Err(reason) => bn128_failure(rules, reason),
    }
}
