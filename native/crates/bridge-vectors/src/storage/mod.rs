//! bridge-storage lines: keys, cells with their contents, damaged cells, results of state queries and
//! actions on the storage.

mod context;
mod provider;
mod reading;
mod writing;

use rhizome_bridge::recorded::{WaitingForSignatures, encode_spend_waiting, key_of};
use rhizome_primitives::B256;
use rhizome_primitives::rlp::list;
use rhizome_trie::keys::storage_key;
use serde_json::Value;

use crate::hex::{bytes, shown, text, word};
use crate::outcome::{Outcome, Throw, or_throws};
use crate::report::{Report, Values};
use context::Contexts;

/// Runs the lines.
pub(crate) fn run(lines: &mut dyn Iterator<Item = Value>, report: &mut Report) {
    let mut contexts = Contexts::default();
    for (index, line) in lines.enumerate() {
        let kind = KINDS.iter().find(|(kind, _)| line.get(kind).is_some());
        report.check(&format!("line {} {}", index + 1, kind.map_or("", |(name, _)| name)), |values| match kind {
            Some((_, check)) => check(&line, &mut contexts, values),
            None => values.differ("line", "a known line", &line.to_string()),
        });
    }
}

/// Compares a line.
type Check = fn(&Value, &mut Contexts, &mut Values);

/// Lines by the field that only they have.
const KINDS: &[(&str, Check)] = &[
    ("keyName", |line, _, values| check_key(line, values)),
    ("malformed", check_damaged),
    ("edge", check_damaged),
    ("structure", |line, _, values| check_structure(line, values)),
    ("provider", |line, _, values| provider::check(line, values)),
    ("cell", check_cell),
];

/// The cells of the union bridge have the names of the reference's enumeration.
fn check_key(line: &Value, values: &mut Values) {
    let recorded = text(&line["keyName"]);
    let name = if recorded.contains('_') { camel_case(recorded) } else { recorded.to_owned() };
    let Some(key) = key_of(&name, None) else { return values.differ("keyName", recorded, "no such cell") };
    values.equal("key", &line["key"], &word(key));
    values.equal("trieKey", &line["trieKey"], &shown(storage_key(&rhizome_bridge::ADDRESS.into(), &key)));
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_').map(str::to_lowercase);
    let first = words.next().unwrap_or_default();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        format!("{name}{}{rest}", initial.to_uppercase())
    })
}

/// Cells: key, bytes of the value, and value of the rewritten bytes.
fn check_cell(line: &Value, contexts: &mut Contexts, values: &mut Values) {
    let name = text(&line["cell"]);
    if !line["key"].is_null() {
        let key = key_of(name, line["id"].as_str());
        values.equal("key", &line["key"], &key.map_or(Value::Null, word));
    }
    let context = contexts.of_cell(name, line);
    if let Some(version) = context.version {
        let cell = rhizome_bridge::recorded::encode_long(version.into());
        values.equal("formatVersionCell", &line["value"]["formatVersionCell"], &shown(cell));
    }
    values.equal("bytes", &line["bytes"], &or_throws(writing::encode(name, context, &line["value"]).map(shown)));
    if let Some(again) = line.get("decodedAndEncodedAgain") {
        values.equal("again", again, &or_throws(read_again(name, context, Some(&bytes(&line["bytes"])))));
    }
}

/// Damaged or tiny contents of a cell; an absent one is null.
fn check_damaged(line: &Value, contexts: &mut Contexts, values: &mut Values) {
    let (name, context) = contexts.of_damaged(text(&line["cell"]));
    let cell = line.get("malformed").or_else(|| line.get("edge")).filter(|cell| !cell.is_null()).map(bytes);
    let again = or_throws(read_again(&name, context, cell.as_deref()));
    values.equal("again", &line["decodedAndEncodedAgain"], &again);
}

fn read_again(name: &str, context: &context::Context, cell: Option<&[u8]>) -> Outcome {
    let written = reading::read_and_write(name, context, cell).map_err(Throw::from)?;
    Ok(written.map_or(Value::Null, shown))
}

/// Results of the two state queries that signers use.
fn check_structure(line: &Value, values: &mut Values) {
    let value = &line["value"];
    let result = if text(&line["structure"]).starts_with("StateForFederator") {
        writing::waiting_for_signatures(value).map(|waiting: WaitingForSignatures| list(&waiting.encode()))
    } else {
        let entry = if value.as_array().is_some_and(|entry| !entry.is_empty()) {
            writing::named_transaction(value).map(Some)
        } else {
            Ok(None)
        };
        entry.map(|entry: Option<(B256, _)>| list(&encode_spend_waiting(entry.as_ref())))
    };
    values.equal("bytes", &line["bytes"], &or_throws(result.map(shown)));
}
