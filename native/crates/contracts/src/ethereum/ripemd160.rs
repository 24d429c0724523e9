//! `0x…03`: RIPEMD-160, padded to a word with zeros in front.

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{Address, Bytes};

use super::gas_per_word;

pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(gas_per_word(input, 600, 120))
}

pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    let hash = rhizome_crypto::ripemd160(input.unwrap_or_default());
    Ok(Some(Address::new(hash).into_word().into()))
}
