//! Kinds of registered transactions.

use rhizome_bitcoin::ScriptError;

/// The kind of a registered transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PegIn,
    PegOutOrMigration,
    SvpFund,
    SvpSpend,
    Unknown,
}

/// Replaces the library's script exception with `otherwise`, like callers of the reference that catch it.
pub(crate) fn caught<T>(outcome: Result<T, ScriptError>, otherwise: T) -> Result<T, ScriptError> {
    match outcome {
        Err(error) if error.is_script() => Ok(otherwise),
        outcome => outcome,
    }
}
