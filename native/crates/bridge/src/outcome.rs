//! How a method ends.

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractError;

/// Why a method ended without a result.
pub(crate) enum Stop {
    /// An argument that the method refuses: before RSKIP88 the result is null instead of an error.
    IllegalArgument(&'static str),
    /// Any other error.
    Error(ContractError),
}

impl<E: Into<ContractError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// A result; None for void methods.
pub(crate) type Outcome = Result<Option<AbiValue>, Stop>;

/// Ends the call with an exception.
pub(crate) fn throw<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Error(ContractError::Failed(reason.into())))
}

/// Converts an exception of the library to the one that the call throws.
pub(crate) fn thrown(error: impl ToString) -> ContractError {
    ContractError::Failed(error.to_string())
}
