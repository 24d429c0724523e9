//! Errors of operations on scripts.

use thiserror::Error;

/// Reason why a script is refused. The kinds differ in how the reference handles them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The library's script exception. Callers of the reference often catch it and continue.
    #[error("{0}")]
    Script(&'static str),
    /// An illegal argument: some callers catch it.
    #[error("{0}")]
    Argument(&'static str),
    /// An illegal state: the signing of peg-outs catches it.
    #[error("{0}")]
    State(&'static str),
    /// Any other exception (missing data, an index out of bounds), which ends the call.
    #[error("{0}")]
    Other(&'static str),
}

impl ScriptError {
    /// True when the reference throws its script exception.
    #[must_use]
    pub const fn is_script(&self) -> bool {
        matches!(self, Self::Script(_))
    }
}
