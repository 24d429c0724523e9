//! Lists of test cases that other projects maintain: scripts, Bitcoin transactions, signatures, redeem scripts, the
//! call data of main-net block 457. They are read from a given folder and are not part of the repository.
//!
//! A list says whether a script or a transaction is valid. The parser and the structural rules are compared with all of
//! it, the interpreter only for inputs in the form that federations use. [`questions`] prints all scripts and
//! transactions of the lists so that the reference's library can process them; the answers are lines of
//! bridge-primitives.

mod assembler;
mod call_data;
mod redeem_scripts;
mod scripts;
mod shape;
mod sighashes;
mod signatures;
mod spending;
mod transactions;

use std::path::Path;

use serde_json::{Value, json};

use crate::report::Report;

/// A list that was read: its comparison, and the questions for the reference.
#[derive(Default)]
struct Checked {
    report: Report,
    /// Number of cases by the extent of their comparison.
    counts: Vec<(&'static str, u64)>,
    questions: Vec<Value>,
}

impl Checked {
    fn count(&mut self, what: &'static str) {
        match self.counts.iter_mut().find(|(name, _)| *name == what) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((what, 1)),
        }
    }

    fn ask(&mut self, kind: &str, given: Value) {
        self.questions.push(json!({"kind": kind, "in": given}));
    }
}

type Reader = fn(&[u8], &mut Checked);

/// Lists by their original file names.
const LISTS: &[(&str, Reader)] = &[
    ("script_valid.json", scripts::valid),
    ("script_invalid.json", scripts::invalid),
    ("script_tests.json", scripts::with_results),
    ("tx_valid.json", transactions::valid),
    ("tx_invalid.json", transactions::invalid),
    ("sighash.json", sighashes::list),
    ("sig_canonical.json", signatures::canonical),
    ("sig_noncanonical.json", signatures::not_canonical),
    ("redeemScripts.json", redeem_scripts::non_standard_erp),
    ("redeemScripts_p2shERP.json", redeem_scripts::p2sh_erp),
    ("redeemScripts_fastbridge_p2shERP.json", redeem_scripts::flyover),
    ("block457.bin", call_data::block_457),
];

/// A list of a folder and its comparison.
pub struct ListReport {
    /// Name of its file.
    pub name: &'static str,
    /// Equal and different cases.
    pub report: Report,
    /// Number of cases by the extent of their comparison.
    pub counts: Vec<(&'static str, u64)>,
}

/// Compares all lists that are in the folder.
#[must_use]
pub fn run_folder(folder: &Path) -> Vec<ListReport> {
    let reports = checked(folder).map(|(name, Checked { report, counts, .. })| ListReport { name, report, counts });
    reports.collect()
}

/// Lines of bridge-primitives about all cases of the lists, with our results or without.
#[must_use]
pub fn questions(folder: &Path, answered: bool) -> Vec<Value> {
    let mut lines: Vec<_> = checked(folder).flat_map(|(_, list)| list.questions).collect();
    for line in lines.iter_mut().filter(|_| answered) {
        line["out"] = crate::outcome(line);
    }
    lines
}

fn checked(folder: &Path) -> impl Iterator<Item = (&'static str, Checked)> {
    LISTS.iter().filter_map(move |(name, read)| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        Some((*name, compared(*read, &bytes)))
    })
}

fn compared(read: Reader, bytes: &[u8]) -> Checked {
    let mut list = Checked::default();
    read(bytes, &mut list);
    list
}

/// The cases of a list in JSON; a file of another form has none.
fn cases(bytes: &[u8]) -> Vec<Value> {
    serde_json::from_slice(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rhizome_bitcoin::script::builder::{ScriptBuilder, pay_to_script_hash};
    use rhizome_crypto::hash160;
    use rhizome_primitives::hex;

    use super::*;

    /// Numbers of equal and different cases.
    fn count(read: Reader, cases: Value) -> (u64, u64) {
        let report = compared(read, cases.to_string().as_bytes()).report;
        (report.equal, report.different)
    }

    #[test]
    fn scripts_that_do_not_parse_are_not_valid() {
        let cases = json!([["a comment"], ["1", "0x4c", "P2SH"], ["1", "DEPTH", "P2SH"]]);
        assert_eq!(count(scripts::valid, cases.clone()), (1, 1));
        assert_eq!(count(scripts::invalid, cases), (2, 0));
        assert_eq!(count(scripts::valid, json!([["1", "SONATA", "P2SH"]])), (0, 1));
    }

    #[test]
    fn inputs_of_the_shape_of_federations_are_executed() {
        let to = |redeem: &[u8]| format!("HASH160 0x14 0x{} EQUAL", hex::encode(hash160(redeem)));
        let (yes, no) = (["0x01 0x51", &to(&[0x51]), "P2SH"], ["0x01 0x00", &to(&[0x00]), "P2SH,NULLDUMMY"]);
        assert_eq!(count(scripts::valid, json!([yes, no])), (1, 1));
        assert_eq!(count(scripts::invalid, json!([yes, no])), (1, 1));
        let result = |case: [&str; 3], result: &str| json!([case[0], case[1], case[2], result]);
        let (right, wrong) = (result(yes, "OK"), result(yes, "EVAL_FALSE"));
        assert_eq!(count(scripts::with_results, json!([right, wrong])), (1, 1));
    }

    #[test]
    fn transactions_are_parsed_verified_and_executed() {
        let keys = spending::own_keys(1, 3);
        let mut redeem = ScriptBuilder::default();
        redeem.op(0x64).op(0x52);
        keys.iter().for_each(|(_, key)| {
            redeem.data(key);
        });
        redeem
            .op(0x53)
            .op(0xae)
            .op(0x67)
            .data(&[0xf4, 1])
            .op(0xb2)
            .op(0x75)
            .op(0x51)
            .data(&keys[0].1)
            .op(0x51)
            .op(0xae);
        redeem.op(0x68);
        let redeem = redeem.finish();
        let spends = spending::Spending { redeem: &redeem, members: &keys, emergency: &keys[..1], delay: 500 };
        let output = spends.output();
        assert_eq!(output, pay_to_script_hash(&hash160(&redeem)));
        for (what, transaction, expected) in spends.cases() {
            let spent = json!(["07".repeat(32), 1, format!("0x{}", hex::encode(&output))]);
            let case = json!([[[spent], hex::encode(transaction.serialize()), "P2SH,NULLDUMMY"]]);
            let (right, wrong) = ((1, 0), (0, 1));
            let (as_valid, as_invalid) = if expected { (right, wrong) } else { (wrong, right) };
            assert_eq!(count(transactions::valid, case.clone()), as_valid, "{what}");
            assert_eq!(count(transactions::invalid, case), as_invalid, "{what}");
        }
        let no_outputs = json!([[[], "01000000000000000000", "P2SH"], [[], "01", "P2SH"]]);
        assert_eq!(count(transactions::valid, no_outputs.clone()), (0, 2));
        assert_eq!(count(transactions::invalid, no_outputs), (2, 0));
    }

    #[test]
    fn redeem_scripts_are_made_again() {
        let keys = |first| spending::own_keys(first, 3).iter().map(|(_, key)| hex::encode(key)).collect::<Vec<_>>();
        let (members, emergency) = (keys(1), keys(50));
        let push = |keys: &[String]| keys.iter().map(|key| format!("21{key}")).collect::<String>();
        let script = format!("6452{}53ae6702f401b27552{}53ae68", push(&members), push(&emergency));
        let case = |delay| json!({"mainFed": members, "emergencyFed": emergency, "timelock": delay, "script": script});
        // Each is also spent, with its stated delay.
        assert_eq!(count(redeem_scripts::p2sh_erp, json!([case(500)])), (2, 0));
        assert_eq!(count(redeem_scripts::p2sh_erp, json!([case(501)])), (1, 1));
        assert_eq!(count(redeem_scripts::non_standard_erp, json!([case(500)])), (1, 1));
        let behind = |hash: &str| json!([{"script": format!("20{hash}75{script}"), "powpegScript": script, "derivationHash": "07".repeat(32)}]);
        assert_eq!(count(redeem_scripts::flyover, behind(&"07".repeat(32))), (1, 0));
        assert_eq!(count(redeem_scripts::flyover, behind(&"08".repeat(32))), (0, 1));
    }

    #[test]
    fn signatures_and_call_data() {
        let cases = json!(["too short:", "30050201ff0200"]);
        assert_eq!(count(signatures::canonical, cases.clone()), (0, 1));
        assert_eq!(count(signatures::not_canonical, cases), (1, 0));
        let empty = compared(call_data::block_457, &[]).report;
        assert_eq!((empty.equal, empty.different), (0, 1));
    }

    #[test]
    fn what_the_lists_name_is_asked() {
        let list = compared(scripts::valid, json!([["1", "2", "P2SH"]]).to_string().as_bytes());
        let programs: Vec<_> = list.questions.iter().map(|line| line["in"]["program"].clone()).collect();
        assert_eq!(programs, [json!("0x51"), json!("0x52")]);
        assert_eq!(crate::outcome(&list.questions[0])["sigOps"], 0);
    }
}
