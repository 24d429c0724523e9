//! `0x…01000016`: sum of two points of secp256k1 (RSKIP516).

use rhizome_crypto::Point;
use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::padded;
use super::secp256k1_mul::point;

/// Two points x ∥ y.
pub(crate) const MAX_INPUT: usize = 128;

pub(crate) fn gas(_rules: RuleSet, _input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(150)
}

pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let words: [u8; MAX_INPUT] = padded(input);
    let sum: Point = point(&words[..64])?.add(&point(&words[64..])?);
    Ok(Some(Bytes::copy_from_slice(&sum.to_bytes())))
}
