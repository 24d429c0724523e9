//! `getBtcTransactionConfirmations` (RSKIP122).

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};

pub(crate) fn gas(
    _context: &ContractContext<'_>,
    _state: &mut dyn ContractState,
    _arguments: &[AbiValue],
) -> Result<u64, ContractError> {
    Err(ContractError::Unsupported("getBtcTransactionConfirmations".into()))
}
