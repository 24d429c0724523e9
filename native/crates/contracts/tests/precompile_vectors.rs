//! Direct calls of the precompiled contracts, as recorded from the reference.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rhizome_contracts::Precompile;
use rhizome_primitives::block::{AncestorBlock, BlockEnv};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_testing::MemoryState;
use serde_json::{Value, json};
use support::blocks::{Branch, decode};
use support::{address, bytes, direct_call, hash, lines, number, quantity, spec};

/// The reference refuses to run calls that cost more.
const RECORDED_GAS_LIMIT: u64 = 30_000_000;

struct Environment {
    spec: ChainSpec,
    block: BlockEnv,
    branch: Branch,
    active: Vec<Value>,
}

fn environment(line: &Value) -> Environment {
    let rules = line["activeRules"].as_array().expect("rules");
    let zero = "0x0000000000000000000000000000000000000000";
    let remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": zero, "labsAddressRskip218": zero});
    let network = line["network"].as_str().expect("a network");
    let ancestors = line["ancestors"].as_array().expect("ancestors");
    Environment {
        spec: spec(network, &remasc, |rule: Rule| rules.iter().any(|name| name == rule.name()).then_some(0)),
        block: BlockEnv {
            number: number(&line["number"]),
            parent_hash: hash(&line["parentHash"]),
            ..BlockEnv::default()
        },
        branch: Branch(ancestors.iter().map(ancestor).collect()),
        active: line["activePrecompiles"].as_array().expect("addresses").clone(),
    }
}

fn ancestor(line: &Value) -> Option<Arc<AncestorBlock>> {
    let rlp = Some(&line["rlp"]).filter(|rlp| !rlp.is_null())?;
    Some(Arc::new(decode(&bytes(rlp), hash(&line["hash"]), quantity(&line["totalDifficulty"]), None)))
}

fn environments() -> HashMap<(String, String), Environment> {
    let key = |line: &Value| (line["network"].to_string(), line["number"].to_string());
    lines("vm-environments.jsonl").map(|line| (key(&line), environment(&line))).collect()
}

fn lookup(environment: &Environment, address: &Value) -> Option<Precompile> {
    let rules = environment.spec.rules_at(environment.block.number);
    Precompile::lookup(U256::from_be_bytes(support::address(address).into_word().0), rules)
}

/// The difference from the record, or None.
fn difference(environment: &Environment, line: &Value) -> Option<String> {
    let contract = lookup(environment, &line["address"]);
    if contract.is_some() != line["active"].as_bool()? {
        return Some(format!("found {contract:?}"));
    }
    let contract = contract?;
    let context = direct_call(&environment.spec, &environment.block, &environment.branch);
    let maximum = line["maxInput"].as_u64().map(|maximum| maximum as usize);
    if context.rules.active(Rule::Rskip516) && contract.max_input(context.rules) != maximum {
        return Some(format!("maximum input {:?}", contract.max_input(context.rules)));
    }
    let mut state = MemoryState::default();
    let input = (!line["input"].is_null()).then(|| bytes(&line["input"]).to_vec());
    let gas = match contract.gas(&context, &mut state, input.as_deref()) {
        Ok(gas) => gas,
        Err(ContractError::Failed(_)) if line["gas"].is_null() => return None,
        Err(error) => return Some(format!("gas: {error}")),
    };
    if line["gas"].is_null() || U256::from(gas) != quantity(&line["gas"]) {
        return Some(format!("gas {gas:#x}"));
    }
    if line["executed"] == false {
        return (gas <= RECORDED_GAS_LIMIT).then(|| "was not run".to_owned());
    }
    let expected = (!line["output"].is_null()).then(|| bytes(&line["output"]));
    match contract.run(&context, &mut state, input.as_deref()) {
        Ok(output) if line["exception"].is_null() && output == expected => None,
        Err(ContractError::Failed(_)) if !line["exception"].is_null() => None,
        Ok(output) => Some(format!("output {output:?}")),
        Err(error) => Some(format!("error {error}")),
    }
}

#[test]
fn recorded_calls() {
    let environments = environments();
    let mut equal: BTreeMap<String, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for line in lines("precompiles.jsonl") {
        let activation = &line["activation"];
        let environment = &environments[&(activation["network"].to_string(), activation["number"].to_string())];
        match difference(environment, &line) {
            None => *equal.entry(line["address"].to_string()).or_default() += 1,
            Some(difference) => differences.push(format!("{}: {difference}, recorded {line}", line["name"])),
        }
    }
    println!("equal by contract: {equal:?}");
    let shown = differences.len().min(40);
    assert!(differences.is_empty(), "{} calls differ:\n{}", differences.len(), differences[..shown].join("\n"));
    assert!(!equal.is_empty());
}

#[test]
fn active_contracts_are_those_recorded() {
    for environment in environments().values() {
        let rules = environment.spec.rules_at(environment.block.number);
        let active = Precompile::ALL.iter().filter(|contract| contract.is_active(rules));
        let mut found: Vec<_> = active.map(|contract| contract.address()).collect();
        let mut recorded: Vec<_> = environment.active.iter().map(address).collect();
        found.sort();
        recorded.sort();
        assert_eq!(found, recorded, "block {}", environment.block.number);
    }
}

#[test]
fn lookup_compares_all_256_bits() {
    let rules = Rule::ALL.iter().copied().collect();
    for contract in Precompile::ALL.iter().copied() {
        let word = U256::from_be_bytes(contract.address().into_word().0);
        assert_eq!(Precompile::lookup(word, rules), Some(contract));
        assert_eq!(Precompile::lookup(word | U256::ONE << 160, rules), None);
        assert_eq!(Precompile::lookup(word | U256::ONE << 64, rules), None);
    }
    assert_eq!(Precompile::lookup(U256::ZERO, rules), None);
    assert_eq!(Precompile::lookup(U256::from(0x0100_0007), rules), None);
}

#[test]
fn a_rule_brings_its_contracts_at_its_height() {
    let zero = "0x0000000000000000000000000000000000000000";
    let remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": zero, "labsAddressRskip218": zero});
    let spec = spec("main", &remasc, |rule| (rule == Rule::Rskip137).then_some(7));
    let at = |number| Precompile::activating(&spec, number).collect::<Vec<_>>();
    assert_eq!(at(7), [Precompile::Bn128Add, Precompile::Bn128Mul, Precompile::Bn128Pairing]);
    assert_eq!((at(6), at(8)), (Vec::new(), Vec::new()));
    assert_eq!(Precompile::always_active().count(), 7);
}

/// Without a block below it the contract answers with empty bytes; a block without merged-mining
/// fields has neither header nor tags.
#[test]
fn block_header_of_a_block_without_mining_fields() {
    let mut environment = environments().into_values().find(|one| one.spec.name == "regtest").expect("regtest");
    let parent = environment.branch.0[0].clone().expect("a parent");
    let bare =
        AncestorBlock { bitcoin_header: None, bitcoin_coinbase: None, gas_limit: Bytes::new(), ..(*parent).clone() };
    environment.branch = Branch(vec![Some(Arc::new(bare))]);
    let context = direct_call(&environment.spec, &environment.block, &environment.branch);
    let run = |selector: u32, depth: u64| {
        let mut data = selector.to_be_bytes().to_vec();
        data.extend_from_slice(B256::from(U256::from(depth)).as_slice());
        Precompile::BlockHeader.run(&context, &mut MemoryState::default(), Some(&data))
    };
    assert!(matches!(run(0x3073c6eb, 0), Ok(None)), "getBitcoinHeader is null");
    assert!(matches!(run(0x08a06364, 0), Ok(None)), "getGasLimit is null");
    assert!(matches!(run(0x5ca053dd, 0), Err(ContractError::Failed(_))), "getMergedMiningTags throws");
    assert_eq!(run(0x3073c6eb, 1).expect("no block").expect("bytes").len(), 96);
}
