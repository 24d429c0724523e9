//! `0x…02`: SHA-256.

use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::gas_per_word;

pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(gas_per_word(input, 60, 12))
}

pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    Ok(Some(rhizome_crypto::sha256(input.unwrap_or_default()).into()))
}
