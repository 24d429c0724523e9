//! The status of the Bridge along recorded scenarios: it must equal the results of the Bridge's own methods.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rhizome_bridge_vectors::scenario::{Executed, watch_file};
use rhizome_evm::{DirectCaller, Evm, Journal, bridge_status, bridge_summary};
use rhizome_primitives::abi::selector;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{U256, hex};
use serde_json::Value;

/// Output of a method without arguments, which the Bridge answers to local calls.
fn ask(executed: &Executed<'_>, signature: &str) -> Vec<u8> {
    let mut evm = Evm::new(executed.context(), Journal::new(executed.after().expect("a state")));
    let call = evm.call_directly(DirectCaller::Local, rhizome_bridge::ADDRESS, Some(&selector(signature)), u64::MAX);
    let output = call.and_then(|call| call.output).expect("a call that is paid for");
    output.ok().flatten().unwrap_or_default().to_vec()
}

fn text(executed: &Executed<'_>, signature: &str) -> String {
    let output = ask(executed, signature);
    let length = output.get(32..64).map_or(0, |word| U256::from_be_slice(word).to::<usize>());
    String::from_utf8(output.get(64..64 + length).unwrap_or_default().to_vec()).expect("text")
}

fn quantity(executed: &Executed<'_>, signature: &str) -> String {
    format!("{:#x}", U256::from_be_slice(&ask(executed, signature)))
}

/// Collects every field that had a value at least once.
fn collect(seen: &mut BTreeSet<String>, path: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| collect(seen, &format!("{path}.{name}"), value))
        }
        Value::Array(items) => items.iter().for_each(|item| collect(seen, path, item)),
        Value::Null => {}
        _ => {
            seen.insert(path.to_owned());
        }
    }
}

fn check(executed: &Executed<'_>, seen: &mut BTreeSet<String>) {
    let journal = || Journal::new(executed.after().expect("a state"));
    let name = &executed.line()["note"];
    let status = bridge_status(executed.context(), journal(), None).unwrap_or_else(|error| panic!("{name}: {error}"));
    let reported = serde_json::to_value(&status).expect("JSON");
    collect(seen, "", &reported);
    let raised = || Some(Arc::new(AtomicBool::new(true)).into());
    let stopped = bridge_status(executed.context(), journal(), raised());
    assert!(matches!(stopped, Err(ContractError::Interrupted)), "{name}");
    let stopped = bridge_summary(executed.context(), journal(), raised());
    assert!(matches!(stopped, Err(ContractError::Interrupted)), "{name}");
    let (federations, pegout) = (&reported["federations"], &reported["pegout"]);
    let address = |place: &str| federations[place]["address"].as_str().unwrap_or_default().to_owned();
    assert_eq!(address("active"), text(executed, "getFederationAddress()"), "{name}");
    assert_eq!(address("retiring"), text(executed, "getRetiringFederationAddress()"), "{name}");
    assert_eq!(federations["active"]["threshold"], quantity(executed, "getFederationThreshold()"));
    assert_eq!(federations["active"]["creationBlock"], quantity(executed, "getFederationCreationBlockNumber()"));
    assert_eq!(pegout["feePerKb"], quantity(executed, "getFeePerKb()"));
    assert_eq!(reported["bitcoin"]["height"], quantity(executed, "getBtcBlockchainBestChainHeight()"));
    let proposed = ask(executed, "getProposedFederationAddress()");
    if !proposed.is_empty() {
        assert_eq!(address("proposed"), text(executed, "getProposedFederationAddress()"));
    }
    if !pegout["nextBatchBlock"].is_null() {
        assert_eq!(pegout["nextBatchBlock"], quantity(executed, "getNextPegoutCreationBlockNumber()"));
        let queued = pegout["requests"].as_array().map_or(0, Vec::len);
        assert_eq!(format!("{queued:#x}"), quantity(executed, "getQueuedPegoutsCount()"));
        assert_eq!(pegout["estimatedFee"], quantity(executed, "getEstimatedFeesForNextPegOutEvent()"));
    }
    let waiting = pegout["waitingForSignatures"].as_array().expect("a list");
    let hashes: Vec<_> = waiting.iter().map(|pegout| pegout["transactionHash"].as_str().unwrap_or_default()).collect();
    let expected = bridge_summary(executed.context(), journal(), None).expect("a summary").waiting_for_signatures;
    assert_eq!(hashes, expected.iter().map(hex::encode_prefixed).collect::<Vec<_>>());
    for pegout in waiting {
        let count = |name: &str| {
            pegout["signatures"][name].as_str().and_then(|text| text.parse::<U256>().ok()).expect("a number")
        };
        let signers = pegout["signatures"]["signers"].as_array().map_or(0, Vec::len);
        if signers > 0 {
            seen.insert(format!("signed by {signers}"));
            assert_eq!(U256::from(signers) + count("missing"), count("needed"), "{name}");
        }
    }
    if let Some(stage) = federations["proposed"]["validation"]["stage"].as_str() {
        seen.insert(stage.to_owned());
    }
}

fn statuses(file: &str, expected: &[&str]) {
    let mut seen = BTreeSet::new();
    let path = rhizome_vectors::folder().join("bridge").join(file);
    let report = watch_file(&path, &mut |executed| check(executed, &mut seen));
    assert!(report.equal > 0);
    let missing: Vec<_> = expected.iter().filter(|name| !seen.contains(**name)).collect();
    assert!(missing.is_empty(), "never reported in {file}: {missing:?} of {seen:?}");
}

const OF_ALL_TIMES: &[&str] = &[
    ".bitcoin.hash",
    ".bitcoin.timestamp",
    ".lockedWei",
    ".federations.active.balance",
    ".federations.active.activationBlock",
    ".federations.active.members.btcKey",
    ".federations.active.redeemScript",
    ".federations.next.activationBlock",
    ".federations.pending.hash",
    ".federations.retiring.migration.fromBlock",
    ".federations.retiring.outputs",
    ".pegin.minimum",
    ".pegout.requests.destination",
    ".pegout.waitingForConfirmations.confirmationBlock",
    ".pegout.waitingForConfirmations.outputs.address",
    ".pegout.waitingForConfirmations.remainingBlocks",
    ".pegout.waitingForSignatures.raw",
    "signed by 1",
];

#[test]
fn before_papyrus() {
    statuses("bridge-calls-wasabi100.jsonl", OF_ALL_TIMES);
}

#[test]
fn with_a_validation_of_federations_and_witnesses() {
    let late = [
        ".pegin.lockingCap",
        ".pegout.estimatedFee",
        ".pegout.waitingForSignatures.bitcoinTransaction",
        ".federations.proposed.validation.transaction",
        ".federations.proposed.validation.signatures.signers",
        "registerFund",
        "spend",
        "sign",
        "registerSpend",
    ];
    let expected: Vec<_> = OF_ALL_TIMES.iter().chain(&late).copied().collect();
    statuses("bridge-calls-regtest.jsonl", &expected);
}
