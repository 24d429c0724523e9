//! `0x…01`: the address that signed a hash (evm.md §4.2).

use rhizome_crypto::recover_address;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{B256, Bytes};

use super::padded;

/// hash ∥ v ∥ r ∥ s, 32 bytes each.
pub(crate) const MAX_INPUT: usize = 128;

/// Only s may be truncated.
const MIN_INPUT: usize = 96;

pub(crate) fn gas(_rules: RuleSet, _input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(3000)
}

/// Only the last byte of v counts, unlike on Ethereum. Any invalid input has an empty output.
pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let present = input.filter(|input| input.len() >= MIN_INPUT);
    Ok(Some(present.and_then(|input| recover(&padded(Some(input)))).unwrap_or_default()))
}

fn recover(words: &[u8; MAX_INPUT]) -> Option<Bytes> {
    let word = |index: usize| B256::from_slice(&words[32 * index..32 * (index + 1)]);
    let parity = word(1)[31].checked_sub(27)?;
    let address = recover_address(&word(0), parity, &word(2), &word(3))?;
    Some(Bytes::copy_from_slice(address.into_word().as_slice()))
}
