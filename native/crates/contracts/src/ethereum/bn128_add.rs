//! `0x…06`: sum of two points of bn128 (RSKIP137).

use revm_precompile::{Crypto, DefaultCrypto};
use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::{bn128_failure, padded};

/// Two points x ∥ y.
pub(crate) const MAX_INPUT: usize = 128;

pub(crate) fn gas(_rules: RuleSet, _input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(150)
}

pub(crate) fn run(rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let points: [u8; MAX_INPUT] = padded(input);
    match DefaultCrypto.bn254_g1_add(&points[..64], &points[64..]) {
        Ok(sum) => Ok(Some(Bytes::copy_from_slice(&sum))),
        Err(reason) => bn128_failure(rules, reason),
    }
}
