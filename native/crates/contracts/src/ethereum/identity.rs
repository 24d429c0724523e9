//! `0x…04`: returns its input. For an absent input, the reference returns null.

use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::RuleSet;

use super::gas_per_word;

pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(gas_per_word(input, 15, 3))
}

pub(crate) fn run(_rules: RuleSet, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    Ok(input.map(Bytes::copy_from_slice))
}
