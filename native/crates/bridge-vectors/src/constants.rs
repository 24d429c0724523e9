//! Constants of the networks, as the native tests have them (`native/fixtures/bridge`).

use serde_json::Value;

const MAIN: &str = include_str!("../../../fixtures/bridge/main.json");
const TESTNET: &str = include_str!("../../../fixtures/bridge/testnet.json");
const REGTEST: &str = include_str!("../../../fixtures/bridge/regtest.json");

/// Bridge constants of a network by its recorded name: `mainnet`, `testnet` or `regtest`.
pub(crate) fn bridge(network: &str) -> Option<Value> {
    let text = match network {
        "mainnet" | "main" => MAIN,
        "testnet" => TESTNET,
        "regtest" => REGTEST,
        _ => return None,
    };
    serde_json::from_str(text).ok()
}
