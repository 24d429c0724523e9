//! What distinguishes one network from another. The tables are defined once, in TypeScript (`src/config/networks`);
//! they reach the core as one JSON document.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::Address;
use crate::bridge_spec::BridgeSpec;
use crate::rules::{Rule, RuleSet, UnknownRule};

/// Constants and activation heights of a network.
#[derive(Clone, Debug)]
pub struct ChainSpec {
    /// Configuration name: `main`, `testnet`, `regtest`, …
    pub name: String,
    /// Chain id of signatures and of CHAINID.
    pub chain_id: u8,
    /// Gas reserved for the sequential sublist (RSKIP144).
    pub minimum_sequential_gas: u64,
    /// Reward constants.
    pub remasc: RemascSpec,
    /// Bridge and federation constants.
    pub bridge: BridgeSpec,
    heights: [i64; Rule::ALL.len()],
}

/// REMASC constants (consensus.md §1.1).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemascSpec {
    /// Blocks between a block and the payment of its fees.
    pub maturity: u64,
    /// Blocks over which the fees of one block are spread.
    pub synthetic_span: u64,
    /// RSK Labs before RSKIP218.
    pub labs_address: Address,
    /// RSK Labs from RSKIP218 on.
    pub labs_address_rskip218: Address,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChainSpecJson {
    name: String,
    chain_id: u8,
    minimum_sequential_gas: u64,
    remasc: RemascSpec,
    bridge: BridgeSpec,
    activation_heights: BTreeMap<String, i64>,
}

/// Reason why a specification was refused.
#[derive(Debug, Error)]
pub enum SpecError {
    /// Not the expected JSON.
    #[error("chain specification: {0}")]
    Json(#[from] serde_json::Error),
    /// An activation height for something that is no rule.
    #[error("chain specification: {0}")]
    UnknownRule(#[from] UnknownRule),
    /// A rule without an activation height.
    #[error("chain specification: no activation height for {0}")]
    MissingRule(&'static str),
}

impl ChainSpec {
    /// Parses the JSON document `{name, chainId, minimumSequentialGas, remasc, bridge,
    /// activationHeights: {rule: height}}`. Every rule must be present; a negative height means never.
    pub fn from_json(json: &str) -> Result<Self, SpecError> {
        let parsed: ChainSpecJson = serde_json::from_str(json)?;
        let mut heights = [None; Rule::ALL.len()];
        for (name, height) in &parsed.activation_heights {
            heights[name.parse::<Rule>()? as usize] = Some(*height);
        }
        let mut filled = [-1; Rule::ALL.len()];
        for rule in Rule::ALL {
            filled[*rule as usize] = heights[*rule as usize].ok_or(SpecError::MissingRule(rule.name()))?;
        }
        Ok(Self {
            name: parsed.name,
            chain_id: parsed.chain_id,
            minimum_sequential_gas: parsed.minimum_sequential_gas,
            remasc: parsed.remasc,
            bridge: parsed.bridge,
            heights: filled,
        })
    }

    /// Height at which the rule starts, or None for never.
    pub fn height(&self, rule: Rule) -> Option<u64> {
        u64::try_from(self.heights[rule as usize]).ok()
    }

    /// Rules active at a height: `0 <= h(rule) <= number`.
    pub fn rules_at(&self, number: u64) -> RuleSet {
        Rule::ALL.iter().copied().filter(|rule| self.height(*rule).is_some_and(|height| height <= number)).collect()
    }

    /// True when the rule starts exactly at this height (one-off state changes, consensus.md §1.5).
    pub fn activating(&self, rule: Rule, number: u64) -> bool {
        self.height(rule) == Some(number)
    }
}
