//! How work on a script ends when it cannot be done.

use thiserror::Error;

/// Why a script is refused. The two kinds differ in what the reference does about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The library's own exception of scripts. Callers of the reference often catch it and go on.
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
    /// Whether the reference throws its script exception.
    #[must_use]
    pub const fn is_script(&self) -> bool {
        matches!(self, Self::Script(_))
    }
}
