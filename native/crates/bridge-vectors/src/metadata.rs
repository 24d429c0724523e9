//! bridge-facts lines: compares them with the tables of this repository.

use rhizome_bitcoin::BlockHeader;
use rhizome_bitcoin::difficulty::{TARGET_TIMESPAN, easiest_target};
use rhizome_bridge::method::{Definition, by_selector};
use rhizome_bridge::recorded::{Federation, FederationMember, MemberKey, format_of, version};
use rhizome_primitives::Address;
use rhizome_primitives::bridge_spec::BridgeSpec;
use rhizome_primitives::contract::{CallType, ContractError};
use rhizome_primitives::rules::Rule;
use serde_json::{Map, Value, json};

use crate::checkpoints;
use crate::hex::{bytes, integer, shown, text};
use crate::outcome::{Throw, or_throws};
use crate::report::{Report, Values};
use crate::rules::{constants, rules};

/// A table that is compared with a fact.
type Check = fn(&Value, &mut Values);

const FACTS: &[(&str, Check)] = &[
    ("constants", check_constants),
    ("genesisFederation", check_genesis),
    ("genesis members as federation of another version", check_version),
    ("btcParams", check_bitcoin),
    ("checkpointFile", checkpoints::check_file),
    ("checkpointEntry", checkpoints::check_entry),
    ("checkpointBefore", checkpoints::check_before),
    ("ruleHeights", check_rules),
    ("method", check_method),
];

/// Runs the lines.
pub(crate) fn run(lines: &mut dyn Iterator<Item = Value>, report: &mut Report) {
    for (index, line) in lines.enumerate() {
        let fact = line["fact"].as_str().unwrap_or_default();
        report.check(&format!("line {} {fact}", index + 1), |values| {
            match FACTS.iter().find(|(name, _)| *name == fact) {
                Some((_, check)) => check(&line, values),
                None => values.differ("fact", "a known fact", fact),
            }
        });
    }
}

fn check_bitcoin(line: &Value, values: &mut Values) {
    let bitcoin = constants(text(&line["network"])).bitcoin;
    let genesis = BlockHeader::parse(&bitcoin.genesis_header).expect("a header");
    let ours = json!({
        "fact": "btcParams",
        "network": line["network"],
        "genesisHash": shown(genesis.hash()),
        "genesisHeader": shown(genesis.as_bytes()),
        "maxTarget": format!("{:#x}", easiest_target(&bitcoin)),
        "interval": bitcoin.difficulty_interval,
        "targetTimespan": TARGET_TIMESPAN,
        "addressHeader": bitcoin.address_version,
        "p2shHeader": bitcoin.script_address_version,
    });
    values.equal("", line, &ours);
}

/// The heights are defined in the networks of the TypeScript code, whose test of activations compares them.
fn check_rules(line: &Value, values: &mut Values) {
    for name in line["value"].as_object().into_iter().flatten().map(|(name, _)| name) {
        if name.parse::<Rule>().is_err() {
            values.differ(name, "a known rule", "none");
        }
    }
}

fn check_method(line: &Value, values: &mut Values) {
    let selector = bytes(&line["selector"]).try_into().ok().and_then(by_selector);
    let Some(definition) = selector else { return values.differ("selector", "a method", "none") };
    values.equal("", line, &method(line, definition));
}

fn method(line: &Value, definition: &Definition) -> Value {
    let names = line["enabled"].as_object().into_iter().flatten().map(|(name, _)| name);
    let enabled = names.map(|name| (name.clone(), json!(definition.is_enabled(rules(name)))));
    json!({
        "fact": "method",
        "name": definition.name,
        "signature": definition.signature(),
        "selector": line["selector"],
        "enabled": enabled.collect::<Map<_, _>>(),
        "acceptsStaticCallFromRskip417": definition.accepts(CallType::StaticCall),
        "acceptsDelegateCall": definition.accepts(CallType::DelegateCall),
        "acceptsCallCode": definition.accepts(CallType::CallCode),
    })
}

fn check_genesis(line: &Value, values: &mut Values) {
    let spec = constants(text(&line["network"]));
    let computed = || -> Result<Value, ContractError> {
        let federation = Federation::genesis(&spec, rules("regtest"))?;
        let member = |member: &FederationMember| {
            let key = rhizome_bitcoin::PublicKey::parse(&member.btc_key).expect("a key");
            json!({"btc": shown(&*member.btc_key), "rskAddress": shown(key.rsk_address())})
        };
        Ok(json!({
            "fact": "genesisFederation",
            "network": line["network"],
            "formatVersion": version(federation.format),
            "address": federation.address(&spec)?.to_base58(),
            "redeemScript": shown(federation.redeem_script()?),
            "outputScript": shown(federation.output_script()?),
            "threshold": federation.threshold(),
            "creationTimeMillisField": federation.creation_time,
            "creationBlock": federation.creation_block,
            "members": federation.members.iter().map(member).collect::<Vec<_>>(),
        }))
    };
    values.equal("", line, &or_throws(computed().map_err(Throw::from)));
}

fn check_version(line: &Value, values: &mut Values) {
    let spec = constants(text(&line["network"]));
    let computed = || -> Result<Value, ContractError> {
        let keys = spec.federation.genesis_keys.iter().map(|key| MemberKey::Point(key.0));
        let members = keys.map(FederationMember::of_one_key).collect();
        let format = format_of(integer(&line["formatVersion"]) as i32);
        let federation = Federation::new(&spec, rules("regtest"), format, members, 0, 0)?;
        Ok(json!({
            "address": federation.address(&spec)?.to_base58(),
            "redeemScript": shown(federation.redeem_script()?),
        }))
    };
    values.equal("value", &line["value"], &or_throws(computed().map_err(Throw::from)));
}

/// Constants that the reference does not read in its Bridge.
const UNUSED: &[&str] = &["maxBtcHeadersPerRskBlock", "updateBridgeExecutionPeriod"];

fn check_constants(line: &Value, values: &mut Values) {
    let mut recorded = line["value"].clone();
    if let Value::Object(fields) = &mut recorded {
        fields.retain(|name, _| !UNUSED.contains(&name.as_str()));
    }
    values.equal("", &recorded, &constants_of(&constants(text(&line["network"])), &recorded));
}

/// The constants under the reference's names.
fn constants_of(spec: &BridgeSpec, recorded: &Value) -> Value {
    let satoshis = |value: u64| json!({"satoshis": value});
    let federation = &spec.federation;
    let (fees, cap, union, authorisers) = (&spec.fee_per_kb, &spec.locking_cap, &spec.union, &spec.authorisers);
    let one = |address: &Address| authoriser(&[*address], "ONE");
    let mut out = json!({
        "blockWithTooMuchChainWorkHeight": spec.too_much_work_height.map_or(json!(i32::MAX), |height| json!(height)),
        "btc2RskMinimumAcceptableConfirmations": spec.confirmations.pegin,
        "btcHeightWhenBlockIndexActivates": spec.height_index.activation,
        "btcHeightWhenPegoutTxIndexActivates": spec.pegout_index.activation,
        "btcParamsString": recorded["btcParamsString"],
        "federationConstants": {
            "erpFedActivationDelay": federation.erp_delay,
            "erpFedPubKeysList": federation.erp_keys.iter().map(shown).collect::<Vec<_>>(),
            "federationActivationAge": federation.activation_age.rskip419,
            "federationActivationAgeLegacy": federation.activation_age.legacy,
            "federationChangeAuthorizer": authoriser(&authorisers.federation_change, "MAJORITY"),
            "fundsMigrationAgeSinceActivationBegin": federation.migration.begin,
            "fundsMigrationAgeSinceActivationEnd": federation.migration.end,
            "genesisFederationCreationTime": {"epochMillis": federation.genesis_creation_time},
            "genesisFederationPublicKeys": recorded["federationConstants"]["genesisFederationPublicKeys"],
            "genesisFederationType": recorded["federationConstants"]["genesisFederationType"],
            "oldFederationAddress": federation.old_address,
            "specialCaseFundsMigrationAgeSinceActivationEnd": federation.migration.end_rskip357,
            "validationPeriodDurationInBlocks": federation.validation_period,
        },
        "feePerKbConstants": {
            "feePerKbChangeAuthorizer": authoriser(&authorisers.fee_per_kb, "MAJORITY"),
            "genesisFeePerKb": satoshis(fees.genesis),
            "maxFeePerKb": satoshis(fees.maximum),
        },
        "legacyMinimumPeginTxValue": satoshis(spec.minimum_pegin.legacy),
        "legacyMinimumPegoutTxValue": satoshis(spec.minimum_pegout.legacy),
        "lockingCapConstants": {
            "increaseAuthorizer": authoriser(&authorisers.locking_cap, "ONE"),
            "incrementsMultiplier": cap.multiplier,
            "initialValue": satoshis(cap.initial),
        },
        "maxDepthBlockchainAccepted": spec.max_header_depth,
        "maxDepthToSearchBlocksBelowIndexActivation": spec.height_index.max_depth_below,
        "maxInputsPerPegoutTransaction": spec.max_inputs_per_migration,
        "minSecondsBetweenCallsReceiveHeader": spec.seconds_between_receive_header,
        "minimumPeginTxValue": satoshis(spec.minimum_pegin.rskip219),
        "minimumPegoutTxValue": satoshis(spec.minimum_pegout.rskip219),
        "minimumPegoutValuePercentageToReceiveAfterFee": spec.pegout_fee_gap_percentage,
        "numberOfBlocksBetweenPegouts": spec.blocks_between_pegouts,
        "pegoutTxIndexGracePeriodInBtcBlocks": spec.pegout_index.grace_period,
        "rsk2BtcMinimumAcceptableConfirmations": spec.confirmations.pegout,
        "unionBridgeConstants": {
            "changeLockingCapAuthorizer": one(&authorisers.union_locking_cap),
            "changeTransferPermissionsAuthorizer": one(&authorisers.union_permissions),
            "changeUnionBridgeContractAddressAuthorizer": one(&authorisers.union_address),
            "initialLockingCap": {"wei": format!("{:#x}", union.initial_locking_cap)},
            "lockingCapIncrementsMultiplier": union.multiplier,
            "unionBridgeAddress": shown(union.address),
        },
        "whitelistConstants": {"lockWhitelistChangeAuthorizer": authoriser(&authorisers.whitelist, "ONE")},
    });
    let ages = &federation.activation_age;
    if ages.rskip383 != ages.rskip419 {
        out["federationConstants"]["preLovellActivationAge"] = json!(ages.rskip383);
    }
    out
}

fn authoriser(addresses: &[Address], required: &str) -> Value {
    let mut sorted = addresses.to_vec();
    sorted.sort();
    let count = if required == "ONE" { 1 } else { addresses.len() / 2 + 1 };
    json!({
        "addresses": sorted.iter().map(shown).collect::<Vec<_>>(),
        "required": required,
        "requiredCount": count,
    })
}
