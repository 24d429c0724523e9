//! Inputs that the contents of a cell depend on besides the cell.

use std::collections::BTreeMap;

use rhizome_primitives::bridge_spec::BridgeSpec;
use rhizome_primitives::rules::RuleSet;
use serde_json::Value;

use crate::hex::text;
use crate::rules::{constants, rules};

/// Constants, and for federations the rules and the version stored beside them.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) spec: BridgeSpec,
    pub(super) rules: RuleSet,
    pub(super) version: Option<i32>,
    /// True when members have several keys (RSKIP123).
    pub(super) multikey: bool,
}

/// The contexts so far. A damaged cell follows the cell that it was derived from, and shares its context.
#[derive(Default)]
pub(super) struct Contexts(BTreeMap<String, Context>);

impl Contexts {
    /// The context of a cell's line.
    pub(super) fn of_cell(&mut self, name: &str, line: &Value) -> &Context {
        let value = &line["value"];
        let version = value.get("formatVersion").and_then(Value::as_i64).map(|version| version as i32);
        let context = Context {
            spec: constants("regtest"),
            rules: value.get("rules").map_or(RuleSet::NONE, |name| rules(text(name))),
            version,
            multikey: line["from"] == "RSKIP123",
        };
        self.0.insert(name.to_owned(), context);
        &self.0[name]
    }

    /// Name and context of the cell in a line about damage.
    pub(super) fn of_damaged(&mut self, recorded: &str) -> (String, &Context) {
        let name = recorded.split(' ').next().unwrap_or_default().to_owned();
        let initial = || Context { spec: constants("regtest"), rules: RuleSet::NONE, version: None, multikey: false };
        let context = self.0.entry(name.clone()).or_insert_with(initial);
        if recorded.ends_with("(RSKIP123)") {
            context.multikey = true;
        }
        (name, context)
    }
}
