//! Rule sets by their recorded names (`rules`, `upgrade` in BRIDGE.md): those of the main network from
//! the height of an upgrade on, and those of regtest.

use rhizome_primitives::bridge_spec::BridgeSpec;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;

/// Heights of the upgrades on the main network (bridge.md §0.1).
const UPGRADES: &[(&str, i64)] = &[
    ("bahamas", 3_397),
    ("orchid", 729_000),
    ("wasabi100", 1_591_000),
    ("twoToThree", 2_018_000),
    ("papyrus200", 2_392_700),
    ("iris300", 3_614_800),
    ("hop400", 4_598_500),
    ("hop401", 4_976_300),
    ("fingerroot500", 5_468_000),
    ("arrowhead600", 6_223_700),
    ("arrowhead631", 6_549_300),
    ("lovell700", 7_338_024),
    ("reed800", 8_052_200),
    ("vetiver900", 8_804_200),
];

/// The block of regtest whose rules `regtest` names.
const REGTEST_HEIGHT: i64 = 100;

/// The rules of a recorded name.
pub(crate) fn rules(name: &str) -> RuleSet {
    let (network, height) = match UPGRADES.iter().find(|(upgrade, _)| *upgrade == name) {
        Some((_, height)) => ("mainnet", *height),
        None if name == "regtest" => ("regtest", REGTEST_HEIGHT),
        None => panic!("unknown rules: {name}"),
    };
    let metadata = rhizome_vectors::json_lines("bridge/bridge-facts.jsonl");
    let heights = metadata.into_iter().find(|line| line["fact"] == "ruleHeights" && line["network"] == network);
    let heights = heights.unwrap_or_else(|| panic!("no heights of {network}"));
    let active = |rule: &Rule| (0..=height).contains(&heights["value"][rule.name()].as_i64().unwrap_or(-1));
    Rule::ALL.iter().copied().filter(active).collect()
}

/// Bridge constants of a network by its recorded name.
pub(crate) fn constants(network: &str) -> BridgeSpec {
    let constants = rhizome_testing::bridge_constants(network).unwrap_or_else(|| panic!("unknown network: {network}"));
    serde_json::from_value(constants).unwrap_or_else(|error| panic!("{network}: {error}"))
}

/// A network with the constants of regtest on which the rules are active from the first block on.
pub(crate) fn regtest_under(rules: RuleSet) -> ChainSpec {
    rhizome_testing::regtest(|rule| rules.active(rule))
}
