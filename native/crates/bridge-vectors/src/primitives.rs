//! bridge-primitives lines: `{"kind","in","out"}`. A kind is a function from `in` to `out`.

use std::fmt::Display;

use serde_json::{Value, json};

use crate::kinds::{self, Kind};
use crate::report::Report;

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

/// Our own `out` of a line whose kind needs no recorded values; null for others.
#[must_use]
pub fn outcome(line: &Value) -> Value {
    let kind = line["kind"].as_str().unwrap_or_default();
    match kinds::KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, Kind::Of(compute))) => or_throws(compute(&line["in"])),
        _ => Value::Null,
    }
}

/// Runs the lines.
pub(crate) fn run(lines: &mut dyn Iterator<Item = Value>, report: &mut Report) {
    for (index, line) in lines.enumerate() {
        let kind = line["kind"].as_str().unwrap_or_default();
        report.check(&format!("line {} {kind}", index + 1), |values| {
            match kinds::KINDS.iter().find(|(name, _)| *name == kind) {
                Some((_, Kind::Of(compute))) => values.equal("", &line["out"], &or_throws(compute(&line["in"]))),
                Some((_, Kind::With(compute))) => {
                    values.equal("", &line["out"], &or_throws(compute(&line["in"], &line["out"])));
                }
                None => values.differ("kind", "a known kind", kind),
            }
        });
    }
}
