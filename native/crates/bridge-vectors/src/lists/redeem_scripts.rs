//! `redeemScripts*.json`: redeem scripts that another implementation built from keys and a delay, and their fly-over
//! forms. Scripts of the same form with our own keys are signed and spent.

use rhizome_bitcoin::{RedeemScriptKind, Script, ScriptError};
use rhizome_bridge::recorded::{Federation, FederationMember, MemberKey, flyover_script};
use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, hex};
use rhizome_testing::bridge_constants;
use serde_json::{Value, json};

use super::shape::{Verdict, question, verdict};
use super::spending::{Spending, own_keys};
use super::{Checked, cases};
use crate::report::Values;

/// A longer script cannot be pushed together with the fly-over prefix (bridge.md §3.4).
const LONGEST: usize = 486;

pub(super) fn non_standard_erp(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, FederationFormat::NonStandardErp, list));
}

pub(super) fn p2sh_erp(bytes: &[u8], list: &mut Checked) {
    cases(bytes).iter().for_each(|case| check(case, FederationFormat::P2shErp, list));
}

fn keys(given: &Value) -> Vec<Vec<u8>> {
    let keys = given.as_array().into_iter().flatten();
    keys.map(|key| hex::decode(key.as_str().unwrap_or_default()).unwrap_or_default()).collect()
}

/// The constants of the test network with a different emergency federation.
fn constants(emergency: &[Vec<u8>], delay: u64) -> BridgeSpec {
    let mut constants = bridge_constants("testnet").expect("constants of the test network");
    constants["federation"]["erpKeys"] = emergency.iter().map(hex::encode_prefixed).collect();
    constants["federation"]["erpDelay"] = json!(delay);
    serde_json::from_value(constants).expect("constants as before")
}

fn federation(spec: &BridgeSpec, format: FederationFormat, keys: &[Vec<u8>]) -> Result<Federation, ContractError> {
    let rules: RuleSet = [Rule::Rskip284, Rule::Rskip293].into_iter().collect();
    let member = |key: &Vec<u8>| MemberKey::parse(key).map(FederationMember::of_one_key);
    let members = keys.iter().map(member).collect::<Option<Vec<_>>>();
    let members = members.ok_or_else(|| ContractError::Failed("no key".into()))?;
    Federation::new(spec, rules, format, members, 0, 0)
}

fn check(case: &Value, format: FederationFormat, list: &mut Checked) {
    let (members, emergency) = (keys(&case["mainFed"]), keys(&case["emergencyFed"]));
    let delay = case["timelock"].as_u64().unwrap_or_default();
    let script = hex::decode(case["script"].as_str().unwrap_or_default()).unwrap_or_default();
    list.ask("script", json!({"program": hex::encode_prefixed(&script)}));
    let name =
        format!("{} of {}, {} of {}", members.len() / 2 + 1, members.len(), emergency.len() / 2 + 1, emergency.len());
    let kind = match format {
        FederationFormat::P2shErp => RedeemScriptKind::P2shErp,
        _ => RedeemScriptKind::NonStandardErp,
    };
    let is_short = script.len() <= LONGEST;
    list.report.check(&name, |values| {
        compare_parsed(values, &script, kind, &members);
        let made = federation(&constants(&emergency, delay), format, &members);
        match made.and_then(|made| made.redeem_script().map(<[u8]>::to_vec)) {
            Ok(made) if is_short && made == script => {}
            Err(_) if !is_short => {}
            other => values.differ("made", &hex::encode(&script), &format!("{:?}", other.map(hex::encode))),
        }
    });
    list.count(if is_short { "made and parsed" } else { "parsed, too long to be made" });
    if is_short {
        spend(&name, format, members.len(), emergency.len(), delay, list);
    }
}

fn compare_parsed(values: &mut Values, script: &[u8], kind: RedeemScriptKind, members: &[Vec<u8>]) {
    let parsed = || -> Result<_, ScriptError> {
        let redeem = Script::parse(script)?.redeem_script()?;
        let mut keys: Vec<_> = redeem.public_keys()?.iter().map(|key| key.as_bytes().to_vec()).collect();
        keys.sort();
        Ok((redeem.kind(), redeem.threshold(), keys))
    };
    let mut expected = members.to_vec();
    expected.sort();
    let expected = Ok((kind, members.len() as i32 / 2 + 1, expected));
    let found = parsed();
    if found != expected {
        values.differ("parsed", &format!("{expected:?}"), &format!("{found:?}"));
    }
}

/// Inputs that spend an output of a federation of the same size through either branch, and the same inputs with a
/// fault.
fn spend(name: &str, format: FederationFormat, members: usize, emergency: usize, delay: u64, list: &mut Checked) {
    let (members, emergency) = (own_keys(1, members), own_keys(101, emergency));
    let public = |keys: &[(B256, Vec<u8>)]| keys.iter().map(|(_, key)| key.clone()).collect::<Vec<_>>();
    let spec = constants(&public(&emergency), delay);
    let made = federation(&spec, format, &public(&members)).and_then(|made| made.redeem_script().map(<[u8]>::to_vec));
    let mut questions = Vec::new();
    list.report.check(&format!("{name}, spent"), |values| {
        let Ok(redeem) = made else { return values.differ("made", "a script", "none") };
        let spending = Spending { redeem: &redeem, members: &members, emergency: &emergency, delay: delay as u32 };
        for (what, transaction, expected) in spending.cases() {
            let output = spending.output();
            let found = verdict(&transaction, 0, &output);
            if found != if expected { Verdict::Spends } else { Verdict::DoesNot } {
                values.differ(what, &expected.to_string(), &format!("{found:?}"));
            }
            questions.push(question(&transaction, 0, &output));
        }
    });
    list.count("executed");
    questions.into_iter().for_each(|given| list.ask("correctlySpends", given));
}

/// `script` is `powpegScript` with the hash in front.
pub(super) fn flyover(bytes: &[u8], list: &mut Checked) {
    for case in cases(bytes) {
        let decode = |name: &str| hex::decode(case[name].as_str().unwrap_or_default()).unwrap_or_default();
        let (script, inner, hash) = (decode("script"), decode("powpegScript"), decode("derivationHash"));
        for program in [&script, &inner] {
            list.ask("script", json!({"program": hex::encode_prefixed(program)}));
        }
        list.report.check(&hex::encode(&hash), |values| {
            let hash = if hash.len() == 32 { B256::from_slice(&hash) } else { B256::ZERO };
            let made = flyover_script(hash, &inner);
            if made.as_ref().ok() != Some(&script) {
                values.differ("made", &hex::encode(&script), &format!("{:?}", made.map(hex::encode)));
            }
            let standard = |script: &[u8]| -> Result<_, ScriptError> {
                let parsed = Script::parse(script)?;
                let redeem = parsed.redeem_script()?;
                Ok((redeem.is_flyover(), redeem.kind(), redeem.standard_script()?))
            };
            let expected = standard(&inner).map(|(_, kind, script)| (true, kind, script));
            let found = standard(&script);
            if found.is_err() || found != expected {
                values.differ("parsed", &format!("{expected:?}"), &format!("{found:?}"));
            }
        });
        list.count("made and parsed");
    }
}
