//! `0x…07`: product of a point of bn128 and a number (RSKIP137).

use revm_precompile::{Crypto, DefaultCrypto};
use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::{bn128_failure, padded};

/// A point x ∥ y and a number.
pub(crate) const MAX_INPUT: usize = 96;

pub(crate) fn gas(_rules: RuleSet, _input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(6000)
}

pub(crate) fn run(rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let words: [u8; MAX_INPUT] = padded(input);
    match DefaultCrypto.bn254_g1_mul(&words[..64], &words[64..]) {
        Ok(product) => Ok(Some(Bytes::copy_from_slice(&product))),
        Err(reason) => bn128_failure(rules, reason),
    }
}
