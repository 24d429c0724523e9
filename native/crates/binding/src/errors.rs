//! Maps core errors to JavaScript errors whose `code` is from the closed set of `src/native/errors.ts`.

use rhizome_primitives::state::StateError;

/// The `code` of a thrown error.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// An argument has the wrong length or form.
    InvalidArgument,
    /// A state root or node is not in the store.
    MissingState,
    /// A stored node does not parse.
    CorruptState,
    /// The store failed: disk, map, permissions, version.
    Store,
    /// The store has a format that this build does not read.
    StoreFormat,
    /// Execution refuses a block or transaction.
    InvalidBlock,
    /// Stopped by the caller or by the time limit.
    Interrupted,
    /// The answer would be larger than the caller allows.
    OutputLimit,
    /// The network that the chain is a fork of did not give what is needed.
    Upstream,
    /// That network does not give what is needed, now or later.
    NeverGiven,
    /// That network is being asked: the caller is to try again later.
    NotFetched,
    /// A fault of the core itself.
    Panic,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Self::InvalidArgument => "InvalidArgument",
            Self::MissingState => "MissingState",
            Self::CorruptState => "CorruptState",
            Self::Store => "Store",
            Self::StoreFormat => "StoreFormat",
            Self::InvalidBlock => "InvalidBlock",
            Self::Interrupted => "Interrupted",
            Self::OutputLimit => "OutputLimit",
            Self::Upstream => "Upstream",
            Self::NeverGiven => "NeverGiven",
            Self::NotFetched => "NotFetched",
            Self::Panic => "Panic",
        }
    }
}

/// Result of every exported function.
pub type Result<T> = napi::Result<T, Code>;

/// An error with its code.
pub fn error(code: Code, message: impl ToString) -> napi::Error<Code> {
    napi::Error::new(code, message.to_string())
}

/// A wrong argument.
pub fn invalid(message: impl ToString) -> napi::Error<Code> {
    error(Code::InvalidArgument, message)
}

/// A failure to read or write the state.
pub fn state(failure: StateError) -> napi::Error<Code> {
    let code = match failure {
        StateError::MissingNode(_) => Code::MissingState,
        StateError::Corrupt { .. } => Code::CorruptState,
        StateError::Store(_) => Code::Store,
        StateError::Format(_) => Code::StoreFormat,
        StateError::NotFetched => Code::NotFetched,
        StateError::NeverGiven(_) => Code::NeverGiven,
        StateError::Upstream(_) | StateError::Unlisted => Code::Upstream,
    };
    error(code, failure)
}
