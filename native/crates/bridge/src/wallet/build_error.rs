//! Failures of a wallet.

use rhizome_primitives::contract::ContractError;

/// Why no transaction was built.
#[derive(Debug)]
pub enum BuildError {
    /// The value of the outputs is not enough.
    InsufficientMoney,
    /// An output that pays fees would become dust.
    CannotAdjust,
    /// A requested output is dust.
    Dust,
    /// The transaction is longer than the standard allows.
    TooLarge,
    /// Any other failure, which ends the call.
    Contract(ContractError),
}

impl From<ContractError> for BuildError {
    fn from(error: ContractError) -> Self {
        Self::Contract(error)
    }
}
