//! `script_valid.json`, `script_invalid.json`: `[script of the input, script of the output, rules, …]`;
//! `script_tests.json`, which has the result after the rules and may start with a witness.

use rhizome_bitcoin::{Input, OutPoint, Output, Script, Transaction};
use rhizome_primitives::{B256, hex};
use serde_json::{Value, json};

use super::shape::{Verdict, question, verdict};
use super::{Checked, assembler, cases};

/// Placeholders that a program fills in are between two of these.
const TO_BE_FILLED_IN: char = '#';

pub(super) fn valid(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, 0, Some(true), list));
}

pub(super) fn invalid(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, 0, Some(false), list));
}

pub(super) fn with_results(bytes: &[u8], list: &mut Checked) {
    for case in cases(bytes) {
        let first = usize::from(case[0].is_array());
        // The reference's interpreter does not know witnesses.
        let has_result = first == 0 && !case[2].as_str().unwrap_or_default().contains("WITNESS");
        check(&case, first, has_result.then(|| case[3] == "OK"), list);
    }
}

fn check(case: &Value, first: usize, valid: Option<bool>, list: &mut Checked) {
    let (Some(input), Some(output)) = (case[first].as_str(), case[first + 1].as_str()) else { return };
    if [input, output].iter().any(|text| text.contains(TO_BE_FILLED_IN)) {
        return list.count("not written out");
    }
    let rules = case[first + 2].as_str().unwrap_or_default();
    let mut found = "";
    let mut questions = Vec::new();
    list.report.check(&format!("{input:?} {output:?}"), |values| {
        let (Some(script), Some(script_pubkey)) = (assembler::assemble(input), assembler::assemble(output)) else {
            return values.differ("text", "a script", "an unknown word");
        };
        for program in [&script, &script_pubkey] {
            questions.push(("script", json!({"program": hex::encode_prefixed(program)})));
        }
        let parses = Script::parse(&script).is_ok() && Script::parse(&script_pubkey).is_ok();
        if valid == Some(true) && !parses {
            return values.differ("parse", "a valid script", "an exception");
        }
        let spending = spending(&script, &script_pubkey);
        let verdict = verdict(&spending, 0, &script_pubkey);
        if verdict != Verdict::NotAsked {
            questions.push(("correctlySpends", question(&spending, 0, &script_pubkey)));
        }
        found = match (verdict, valid) {
            (Verdict::NotAsked, _) | (_, None) => "parsed",
            // Here all rules are active at once; the case may exclude some of them.
            (Verdict::DoesNot, Some(true)) if !rules.contains("NULLDUMMY") => "under more rules",
            (verdict, Some(valid)) => {
                if (verdict == Verdict::Spends) != valid {
                    values.differ("spends", &valid.to_string(), &format!("{verdict:?}"));
                }
                "executed"
            }
        };
    });
    list.count(found);
    questions.into_iter().for_each(|(kind, given)| list.ask(kind, given));
}

/// The transaction with which the cases are executed: it spends the only output of a coinbase-like transaction that
/// pays to the script.
fn spending(script: &[u8], script_pubkey: &[u8]) -> Transaction {
    let mut credits = Transaction::new(1);
    let mut nothing = Input::new(OutPoint { txid: B256::ZERO, index: u32::MAX });
    nothing.script = vec![0, 0];
    credits.inputs.push(nothing);
    credits.outputs.push(Output { value: 0, script: script_pubkey.to_vec() });
    let mut spends = Transaction::new(1);
    let mut input = Input::new(OutPoint { txid: credits.txid(), index: 0 });
    input.script = script.to_vec();
    spends.inputs.push(input);
    spends.outputs.push(Output { value: 0, script: Vec::new() });
    spends
}
