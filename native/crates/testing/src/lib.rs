//! Networks and states for the tests, examples and tools of the other crates. A network has the constants of the Bridge
//! in `native/fixtures/bridge` and freely chosen rules; a state is held in memory.

mod ancestor;
mod memory_state;

pub use ancestor::ancestor;
pub use memory_state::MemoryState;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use serde_json::{Map, Value, json};

const MAIN: &str = include_str!("../../../fixtures/bridge/main.json");
const TESTNET: &str = include_str!("../../../fixtures/bridge/testnet.json");
const TESTNET2: &str = include_str!("../../../fixtures/bridge/testnet2.json");
const DEVNET: &str = include_str!("../../../fixtures/bridge/devnet.json");
const REGTEST: &str = include_str!("../../../fixtures/bridge/regtest.json");

const LABS: &str = "0xdabadabadabadabadabadabadabadabadaba0001";

/// A network that is being configured. Unset constants are those of regtest.
#[derive(Clone, Debug)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// Its chain id.
    pub chain_id: u8,
    /// Constants of the Bridge.
    pub bridge: Value,
    /// Constants of REMASC.
    pub remasc: Value,
    /// Activation heights of all rules by their names; a negative one is never.
    pub heights: Map<String, Value>,
}

impl Network {
    /// A network by the name of its constants (`main`, `testnet`, `testnet2`, `devnet`, `regtest`), with an activation
    /// height for each rule.
    ///
    /// # Panics
    /// For another name.
    #[must_use]
    pub fn new(name: &str, height: impl Fn(Rule) -> i64) -> Self {
        let chain_id = match name {
            "main" => 30,
            "testnet" => 31,
            "devnet" => 32,
            "testnet2" => 34,
            _ => 33,
        };
        Self {
            name: name.to_owned(),
            chain_id,
            bridge: bridge_constants(name).unwrap_or_else(|| panic!("no constants: {name}")),
            remasc: json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": LABS, "labsAddressRskip218": LABS}),
            heights: Rule::ALL.iter().map(|rule| (rule.name().to_owned(), json!(height(*rule)))).collect(),
        }
    }

    /// Builds the specification that the crates read.
    ///
    /// # Errors
    /// A message, when a constant is invalid.
    pub fn spec(self) -> Result<ChainSpec, String> {
        let document = json!({
            "name": self.name,
            "chainId": self.chain_id,
            "minimumSequentialGas": 6_800_000,
            "remasc": self.remasc,
            "bridge": self.bridge,
            "activationHeights": self.heights,
        });
        ChainSpec::from_json(&document.to_string()).map_err(|error| error.to_string())
    }
}

/// The development network on which these rules are active from the first block on, and no others.
///
/// # Panics
/// Panics when the fixture does not fit the specification any more.
#[must_use]
pub fn regtest(active: impl Fn(Rule) -> bool) -> ChainSpec {
    let network = Network::new("regtest", |rule| if active(rule) { 0 } else { -1 });
    network.spec().unwrap_or_else(|error| panic!("{error}"))
}

/// Every rule that there is.
#[must_use]
pub fn all_rules() -> RuleSet {
    Rule::ALL.iter().copied().collect()
}

/// Constants of the Bridge by the name of a network: `main` or `mainnet`, `testnet`, `testnet2`, `devnet`,
/// `regtest`.
#[must_use]
pub fn bridge_constants(network: &str) -> Option<Value> {
    let text = match network {
        "mainnet" | "main" => MAIN,
        "testnet" => TESTNET,
        "testnet2" => TESTNET2,
        "devnet" => DEVNET,
        "regtest" => REGTEST,
        _ => return None,
    };
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_the_rules_that_are_chosen() {
        let spec = regtest(|rule| rule == Rule::Rskip88);
        assert_eq!(spec.rules_at(1), [Rule::Rskip88].into_iter().collect());
        assert_eq!(regtest(|_| true).rules_at(0), all_rules());
        let main = Network::new("main", |rule| if rule == Rule::Rskip88 { 729_000 } else { -1 }).spec();
        let main = main.expect("a specification");
        assert_eq!((main.chain_id, main.name.as_str()), (30, "main"));
        assert!(!main.rules_at(728_999).active(Rule::Rskip88) && main.rules_at(729_000).active(Rule::Rskip88));
        assert!(bridge_constants("sonata").is_none());
    }
}
