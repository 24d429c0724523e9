//! The network and the block in which a line runs.

use std::sync::Arc;

use rhizome_evm::BlockContext;
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_testing::Network;
use serde_json::{Value, json};

use crate::hex::{address, number, quantity};

/// The environment in the header line of a scenario.
pub(super) struct Environment {
    spec: Arc<ChainSpec>,
    defaults: Value,
}

impl Environment {
    pub(super) fn read(header: &Value) -> Result<Self, String> {
        Ok(Self { spec: Arc::new(spec(header)?), defaults: header["blockDefaults"].clone() })
    }

    pub(super) fn chain_id(&self) -> u8 {
        self.spec.chain_id
    }

    /// The block of a line: its own fields, and the scenario's defaults for the others.
    pub(super) fn block(&self, fields: &Value) -> BlockContext {
        let field = |name: &str| if fields[name].is_null() { &self.defaults[name] } else { &fields[name] };
        let block = BlockEnv {
            number: number(field("number")),
            timestamp: number(field("timestamp")),
            difficulty: quantity(field("difficulty")),
            gas_limit: number(field("gasLimit")),
            coinbase: address(field("coinbase")),
            minimum_gas_price: quantity(field("minimumGasPrice")),
            ..BlockEnv::default()
        };
        BlockContext::new(self.spec.clone(), block, Arc::new(NoAncestry))
    }
}

fn spec(header: &Value) -> Result<ChainSpec, String> {
    let constants = &header["constants"];
    let network = constants["bridge"].as_str().unwrap_or_default();
    let recorded = header["activationHeights"].as_object().ok_or("no activation heights")?;
    if let Some(unknown) = recorded.keys().find(|name| name.parse::<Rule>().is_err()) {
        return Err(format!("unknown rule: {unknown}"));
    }
    let name = if network == "mainnet" { "main" } else { network };
    if rhizome_testing::bridge_constants(name).is_none() {
        return Err(format!("unknown constants: {network}"));
    }
    let mut made = Network::new(name, |rule| recorded.get(rule.name()).and_then(Value::as_i64).unwrap_or(-1));
    made.chain_id = constants["chainId"].as_u64().map_or(made.chain_id, |id| id as u8);
    let bridge = &mut made.bridge;
    let federation = &mut bridge["federation"];
    if let Some(keys) = constants.get("genesisFederationKeys") {
        federation["genesisKeys"] = keys.clone();
    }
    if let Some(format) = constants.get("genesisFederationFormat") {
        federation["genesisFormat"] = json!(match format.as_u64() {
            Some(2000) => "nonStandardErp",
            Some(3000) => "p2shErp",
            Some(4000) => "p2shP2wshErp",
            _ => "standard",
        });
    }
    for (role, addresses) in constants["authorisers"].as_object().into_iter().flatten() {
        bridge["authorisers"][role.as_str()] = addresses.clone();
    }
    made.spec()
}
