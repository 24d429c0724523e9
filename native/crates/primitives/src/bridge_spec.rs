//! Constants of the Bridge that differ between networks.

use serde::Deserialize;

/// Bridge and federation constants of a network (bridge.md §6).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BridgeSpec {}
