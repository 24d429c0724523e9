//! What the tests of the Bridge share: access to cells, network specifications, recorded vectors.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::contract::{CallType, ContractContext, SignedHash};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
pub use rhizome_testing::MemoryState;
use rhizome_testing::Network;
use serde_json::Value;

/// The Bridge's cells of a state.
pub trait BridgeCells {
    /// The cell at a key, as stored.
    fn bridge_cell(&self, key: U256) -> Option<&Bytes>;
    /// Sets the cell at a key.
    fn set_bridge_cell(&mut self, key: U256, value: Bytes);

    /// A named cell, as stored.
    fn named(&self, name: &str) -> Option<String> {
        self.bridge_cell(U256::from_be_slice(name.as_bytes())).map(hex::encode)
    }
}

impl BridgeCells for MemoryState {
    fn bridge_cell(&self, key: U256) -> Option<&Bytes> {
        self.cell(rhizome_bridge::ADDRESS, key)
    }

    fn set_bridge_cell(&mut self, key: U256, value: Bytes) {
        self.set_cell(rhizome_bridge::ADDRESS, key, value);
    }
}

/// A network under the given rules from block 0 on.
pub fn spec(network: &str, chain_id: u8, active: impl Fn(Rule) -> bool) -> ChainSpec {
    let mut made = Network::new(network, |rule| if active(rule) { 0 } else { -1 });
    made.chain_id = chain_id;
    made.spec().expect("a specification")
}

/// Regtest under all rules that it has.
pub fn regtest() -> ChainSpec {
    let never = [Rule::AreBridgeTxsPaid, Rule::Rskip97, Rule::Rskip434];
    spec("regtest", 33, |rule| !never.contains(&rule))
}

/// A call and its surroundings.
#[derive(Clone)]
pub struct Call {
    pub spec: ChainSpec,
    pub block: BlockEnv,
    pub sender: Address,
    pub value: U256,
    pub from_contract: bool,
    pub call_type: CallType,
    pub local: bool,
    pub signature: Option<SignedHash>,
}

impl Call {
    pub fn new(spec: ChainSpec, number: u64) -> Self {
        Self {
            spec,
            block: BlockEnv { number, ..BlockEnv::default() },
            sender: Address::repeat_byte(0x77),
            value: U256::ZERO,
            from_contract: false,
            call_type: CallType::Call,
            local: false,
            signature: None,
        }
    }

    /// The same call as eth_call makes it.
    pub fn local(mut self) -> Self {
        self.local = true;
        self
    }

    pub fn rules(&self) -> RuleSet {
        self.spec.rules_at(self.block.number)
    }

    pub fn with<T>(&self, use_context: impl FnOnce(&ContractContext<'_>) -> T) -> T {
        let rules = self.rules();
        use_context(&ContractContext {
            spec: &self.spec,
            rules,
            block: &self.block,
            ancestry: &NoAncestry,
            transaction_hash: B256::repeat_byte(0x11),
            origin_hash: B256::repeat_byte(0x22),
            sender: self.sender,
            origin: self.sender,
            signature: self.signature,
            from_contract: self.from_contract,
            call_type: self.call_type,
            is_static: self.call_type == CallType::StaticCall,
            value: self.value,
            call_depth: 1,
            local_call: self.local,
            remasc_transaction: false,
            free_transaction: !self.from_contract
                && !self.local
                && rhizome_bridge::is_free_transaction(&self.spec, rules, self.sender),
        })
    }
}

/// The lines of a recorded file. Left out are the few requests that nest too deeply for the parser: they try
/// the server, not the Bridge.
pub fn lines(name: &str) -> impl Iterator<Item = Value> {
    rhizome_vectors::lines(name).filter_map(|line| serde_json::from_str(&line).ok())
}

pub fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("hexadecimal text")).expect("hexadecimal digits")
}

pub fn quantity(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().expect("a quantity").trim_start_matches("0x"), 16).expect("a quantity")
}
