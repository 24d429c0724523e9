//! `sig_canonical.json`, `sig_noncanonical.json`: signatures followed by their sighash type; text that is not hex
//! describes the next one.

use rhizome_bitcoin::signature::is_canonical;
use rhizome_primitives::hex;

use super::{Checked, cases};

pub(super) fn canonical(bytes: &[u8], list: &mut Checked) {
    check(bytes, true, list);
}

pub(super) fn not_canonical(bytes: &[u8], list: &mut Checked) {
    check(bytes, false, list);
}

fn check(bytes: &[u8], expected: bool, list: &mut Checked) {
    for case in cases(bytes) {
        let text = case.as_str().unwrap_or_default();
        let Ok(signature) = hex::decode(text) else { continue };
        list.report.check(text, |values| {
            if is_canonical(&signature) != expected {
                values.differ("is canonical", &expected.to_string(), &(!expected).to_string());
            }
        });
        list.count("encoded");
    }
}
