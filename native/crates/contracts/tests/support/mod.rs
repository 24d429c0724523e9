//! Shared by the tests over recorded vectors.
#![allow(dead_code, reason = "each test binary uses its part")]

pub(crate) mod blocks;

use rhizome_primitives::contract::{CallType, ContractContext};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_testing::Network;
use serde_json::Value;

/// Lines of a recorded file of the folder `consensus`.
pub(crate) fn lines(name: &str) -> impl Iterator<Item = Value> {
    rhizome_vectors::json_lines(&format!("consensus/{name}"))
}

/// A network with these REMASC constants and activation heights; rules that are not named are never active.
pub(crate) fn spec(network: &str, remasc: &Value, heights: impl Fn(Rule) -> Option<i64>) -> ChainSpec {
    let mut made = Network::new(network, |rule| heights(rule).unwrap_or(-1));
    made.remasc = remasc.clone();
    made.spec().expect("a chain specification")
}

/// The call of a transaction to a contract.
pub(crate) fn direct_call<'a>(
    spec: &'a ChainSpec,
    block: &'a rhizome_primitives::block::BlockEnv,
    ancestry: &'a dyn rhizome_primitives::block::Ancestry,
) -> ContractContext<'a> {
    ContractContext {
        spec,
        rules: spec.rules_at(block.number),
        block,
        ancestry,
        transaction_hash: B256::ZERO,
        origin_hash: B256::ZERO,
        sender: Address::ZERO,
        origin: Address::ZERO,
        signature: None,
        from_contract: false,
        call_type: CallType::Call,
        is_static: false,
        value: U256::ZERO,
        call_depth: 1,
        local_call: false,
        remasc_transaction: false,
        free_transaction: false,
    }
}

pub(crate) fn bytes(value: &Value) -> Bytes {
    Bytes::from(hex::decode(value.as_str().expect("a byte string")).expect("hex digits"))
}

pub(crate) fn hash(value: &Value) -> B256 {
    B256::from_slice(&bytes(value))
}

pub(crate) fn address(value: &Value) -> Address {
    Address::from_slice(&bytes(value))
}

pub(crate) fn quantity(value: &Value) -> U256 {
    value.as_str().expect("a quantity").parse().expect("a number")
}

pub(crate) fn number(value: &Value) -> u64 {
    quantity(value).to()
}
