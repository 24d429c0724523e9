//! `0x…01000017`: product of a point of secp256k1 and any 256-bit number (RSKIP516).

use rhizome_crypto::Point;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{B256, Bytes};

use super::padded;

/// A point x ∥ y and a number.
pub(crate) const MAX_INPUT: usize = 96;

pub(crate) fn gas(_rules: RuleSet, _input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(3000)
}

pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let words: [u8; MAX_INPUT] = padded(input);
    let product = point(&words[..64])?.multiply(&B256::from_slice(&words[64..]));
    Ok(Some(Bytes::copy_from_slice(&product.to_bytes())))
}

/// The point in 64 bytes; zeros are infinity.
pub(super) fn point(bytes: &[u8]) -> Result<Point, ContractError> {
    bytes
        .try_into()
        .ok()
        .and_then(Point::read)
        .ok_or_else(|| ContractError::Failed("the coordinates are no point of secp256k1".to_owned()))
}
