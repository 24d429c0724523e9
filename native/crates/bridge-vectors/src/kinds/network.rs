//! Networks by their recorded names.

use rhizome_primitives::bridge_spec::{BitcoinSpec, BridgeSpec};
use serde_json::Value;

/// The recorded names.
pub(super) const NAMES: [&str; 3] = ["mainnet", "testnet", "regtest"];

/// Bridge constants of the network that a value names.
pub(crate) fn bridge(name: &Value) -> BridgeSpec {
    let name = crate::hex::text(name);
    let constants = rhizome_testing::bridge_constants(name).unwrap_or_else(|| panic!("no network: {name}"));
    serde_json::from_value(constants).unwrap_or_else(|error| panic!("constants of {name}: {error}"))
}

/// Parameters of the Bitcoin network that a value names.
pub(crate) fn bitcoin(name: &Value) -> BitcoinSpec {
    bridge(name).bitcoin
}
