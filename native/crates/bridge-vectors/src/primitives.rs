//! bridge-primitives lines: `{"kind","in","out"}`. A kind is a function from `in` to `out`.

use serde_json::Value;

use crate::kinds::{self, Kind};
use crate::outcome::or_throws;
use crate::report::Report;

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
