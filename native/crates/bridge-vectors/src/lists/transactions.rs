//! `tx_valid.json`, `tx_invalid.json`: `[[[hash, index, script of the spent output], …], transaction, rules]`.

use rhizome_bitcoin::Transaction;
use rhizome_primitives::hex;
use serde_json::{Value, json};

use super::shape::{Verdict, question, verdict};
use super::{Checked, assembler, cases};

pub(super) fn valid(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, true, list));
}

pub(super) fn invalid(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, false, list));
}

fn check(case: &Value, valid: bool, list: &mut Checked) {
    let (Some(spent), Some(raw)) = (case[0].as_array(), case[1].as_str()) else { return };
    let rules = case[2].as_str().unwrap_or_default();
    let raw = hex::decode(raw).unwrap_or_default();
    let shown = hex::encode_prefixed(&raw);
    list.ask("btcTx", json!({"raw": shown}));
    list.ask("btcTxFormat", json!({"raw": shown}));
    let mut found = "";
    let mut questions = Vec::new();
    list.report.check(&shown, |values| {
        let Ok((transaction, bytes_read)) = Transaction::read(&raw) else {
            found = "refused by the parser";
            if valid {
                values.differ("parse", "a transaction", "an exception");
            }
            return;
        };
        if transaction.verify(bytes_read).is_err() {
            found = "refused by its structure";
            if valid {
                values.differ("structure", "valid", "invalid");
            }
            return;
        }
        let mut verdicts = Vec::new();
        for (index, input) in transaction.inputs.iter().enumerate() {
            let output = spent.iter().find(|output| {
                let hash = hex::decode(output[0].as_str().unwrap_or_default()).unwrap_or_default();
                hash == input.previous.txid.as_slice()
                    && output[1].as_i64().map(|at| at as u32) == Some(input.previous.index)
            });
            let Some(script) = output.and_then(|output| assembler::assemble(output[2].as_str()?)) else {
                values.differ("text", "the script of an output", "none, or an unknown word");
                return;
            };
            questions.push(("script", json!({"program": hex::encode_prefixed(&script)})));
            questions.push(("script", json!({"program": hex::encode_prefixed(&input.script)})));
            let verdict = verdict(&transaction, index, &script);
            if verdict != Verdict::NotAsked {
                questions.push(("correctlySpends", question(&transaction, index, &script)));
            }
            verdicts.push(verdict);
        }
        found = match (valid, &verdicts) {
            (false, all) if all.contains(&Verdict::DoesNot) => "executed",
            (false, all) if all.contains(&Verdict::NotAsked) => "parsed",
            (false, _) => {
                values.differ("spends", "not every input", "every input");
                "executed"
            }
            (true, all) if all.contains(&Verdict::DoesNot) => {
                if rules.contains("NULLDUMMY") {
                    values.differ("spends", "every input", &format!("{all:?}"));
                }
                "under more rules"
            }
            (true, all) if all.contains(&Verdict::NotAsked) => "parsed",
            (true, _) => "executed",
        };
    });
    list.count(found);
    questions.into_iter().for_each(|(kind, given)| list.ask(kind, given));
}
