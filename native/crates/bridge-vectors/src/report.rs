//! Counts equal and different cases and stores the differences.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

/// Maximum characters of a stored value: enough to see where two encodings differ.
const MAX_CHARACTERS: usize = 2_000;

/// A value that differs from the recorded one.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Number of the case in its file, from 1.
    pub case: u64,
    /// Its name.
    pub name: String,
    /// The value within the case, or the whole message.
    pub what: String,
    /// As recorded.
    pub expected: String,
    /// As computed.
    pub found: String,
}

impl Difference {
    /// As a line of the program's output.
    #[must_use]
    pub fn to_json(&self, file: &str) -> Value {
        json!({"file": file, "case": self.case, "name": self.name, "what": self.what, "expected": self.expected, "found": self.found})
    }
}

/// The comparison of one file: a case is equal if all its values are.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases without a difference.
    pub equal: u64,
    /// Cases with one or more.
    pub different: u64,
    /// All differences, in the order of the file.
    pub differences: Vec<Difference>,
}

impl Report {
    /// Runs the checks of a case; a panic in them is a difference.
    pub fn check(&mut self, name: &str, check: impl FnOnce(&mut Values)) {
        let mut values = Values { name: name.to_owned(), differences: Vec::new() };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&mut values))) {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            values.differ("no panic", "none", text);
        }
        self.count(values.differences);
    }

    /// Counts a case whose differences were found elsewhere and are given as messages.
    pub fn case(&mut self, name: &str, differences: Vec<String>) {
        let name = name.to_owned();
        self.count(
            differences
                .into_iter()
                .map(|text| Difference { name: name.clone(), what: shorten(&text), ..Difference::default() })
                .collect(),
        );
    }

    fn count(&mut self, mut differences: Vec<Difference>) {
        if differences.is_empty() {
            self.equal += 1;
        } else {
            self.different += 1;
            let case = self.equal + self.different;
            differences.iter_mut().for_each(|difference| difference.case = case);
            self.differences.append(&mut differences);
        }
    }
}

/// The values of one case.
#[derive(Debug)]
pub struct Values {
    name: String,
    differences: Vec<Difference>,
}

impl Values {
    /// Compares a value with the recorded one, field by field. A recorded `{"throws": …}` equals any other `{"throws":
    /// …}`: the reference's class and message are informative.
    pub fn equal(&mut self, what: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(left), Value::Object(right))
                if left.contains_key("throws") && right.contains_key("throws") => {}
            (Value::Object(left), Value::Object(right))
                if !left.contains_key("throws") && !right.contains_key("throws") =>
            {
                for (key, expected) in left {
                    match right.get(key) {
                        Some(found) => self.equal(&join(what, key), expected, found),
                        None => self.differ(&join(what, key), &expected.to_string(), "nothing"),
                    }
                }
                for (key, found) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                    self.differ(&join(what, key), "nothing", &found.to_string());
                }
            }
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (index, (expected, found)) in left.iter().zip(right).enumerate() {
                    self.equal(&join(what, &index.to_string()), expected, found);
                }
            }
            _ if expected == found => {}
            _ => self.differ(what, &expected.to_string(), &found.to_string()),
        }
    }

    /// Records a difference.
    pub fn differ(&mut self, what: &str, expected: &str, found: &str) {
        self.differences.push(Difference {
            case: 0,
            name: self.name.clone(),
            what: what.to_owned(),
            expected: shorten(expected),
            found: shorten(found),
        });
    }
}

fn join(what: &str, key: &str) -> String {
    if what.is_empty() { key.to_owned() } else { format!("{what}.{key}") }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn different(expected: Value, found: Value) -> Vec<String> {
        let mut report = Report::default();
        report.check("a case", |values| values.equal("", &expected, &found));
        report.differences.into_iter().map(|difference| difference.what).collect()
    }

    #[test]
    fn values_are_compared_member_by_member() {
        assert!(different(json!({"a": [1, {"b": null}]}), json!({"a": [1, {"b": null}]})).is_empty());
        assert_eq!(different(json!({"a": [1, {"b": 1}]}), json!({"a": [1, {"b": 2}]})), ["a.1.b"]);
        assert_eq!(different(json!({"a": 1}), json!({"b": 1})), ["a", "b"]);
        assert_eq!(different(json!([1]), json!([1, 2])), [""]);
        assert_eq!(different(json!(1), json!("1")), [""]);
    }

    #[test]
    fn a_throw_equals_a_throw_only() {
        let throws = |text: &str| json!({"throws": {"class": text, "message": text}});
        assert!(different(throws("a"), throws("b")).is_empty());
        assert_eq!(different(throws("a"), json!({})), [""]);
        assert_eq!(different(json!({"a": null}), throws("a")), [""]);
    }

    #[test]
    fn panics_are_differences() {
        let mut report = Report::default();
        report.check("a case", |_| panic!("of the case"));
        assert_eq!((report.equal, report.different), (0, 1));
        assert_eq!(report.differences[0].found, "of the case");
    }
}
