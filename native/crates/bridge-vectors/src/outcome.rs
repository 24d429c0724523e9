//! What a line has in the place of a result.

use std::fmt::Display;

use serde_json::{Value, json};

/// Takes the position of a value on which the reference throws.
#[derive(Clone, Debug)]
pub(crate) struct Throw(pub(crate) String);

impl Throw {
    pub(crate) fn from(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

/// The result of a kind, or of one of its values.
pub(crate) type Outcome = Result<Value, Throw>;

/// A value, or `{"throws": …}` instead of it.
pub(crate) fn or_throws(outcome: Outcome) -> Value {
    outcome.unwrap_or_else(|Throw(text)| json!({"throws": {"message": text}}))
}
