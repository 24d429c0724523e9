//! Whole recorded chains, forks included: every REMASC transaction must make the same payments, and leave the same
//! cells and balance.

mod support;

use std::collections::HashMap;
use std::sync::Arc;

use rhizome_contracts::Precompile;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, BlockEnv};
use rhizome_primitives::contract::{ContractError, Log};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_testing::MemoryState;
use serde_json::{Value, json};
use support::blocks::{Branch, decode};
use support::{address, bytes, direct_call, hash, lines, quantity, spec};

fn chain_spec(config: &Value) -> ChainSpec {
    let remasc = &config["remasc"];
    let constants = json!({
        "maturity": remasc["maturity"],
        "syntheticSpan": remasc["syntheticSpan"],
        "labsAddress": remasc["rskLabsAddress"],
        "labsAddressRskip218": remasc["rskLabsAddressRskip218"],
    });
    let network = config["network"].as_str().expect("a network");
    spec(network, &constants, |rule| config["activationHeights"][rule.name()].as_i64())
}

#[derive(Default)]
struct Chain {
    blocks: HashMap<B256, Arc<AncestorBlock>>,
    /// State after each block.
    states: HashMap<B256, MemoryState>,
}

impl Chain {
    fn branch_of(&self, mut parent: B256) -> Branch {
        let mut branch = Vec::new();
        while let Some(block) = self.blocks.get(&parent) {
            branch.push(Some(block.clone()));
            parent = block.parent_hash;
        }
        Branch(branch)
    }

    /// Runs the REMASC transaction of a block; returns its logs.
    fn connect(&mut self, spec: &ChainSpec, line: &Value) -> Vec<Log> {
        self.connect_as(spec, line, |_| {})
    }

    /// The same with other miners of the block and its uncles.
    fn connect_as(&mut self, spec: &ChainSpec, line: &Value, mut replace: impl FnMut(&mut AccountRef)) -> Vec<Log> {
        let uncle_hashes = line["uncleHashes"].as_array().expect("hashes").iter().map(hash).collect();
        let total_difficulty = quantity(&line["totalDifficulty"]);
        let mut block = decode(&bytes(&line["rlp"]), hash(&line["hash"]), total_difficulty, Some(uncle_hashes));
        replace(&mut block.coinbase);
        block.uncles.iter_mut().for_each(|uncle| replace(&mut uncle.coinbase));
        let branch = self.branch_of(block.parent_hash);
        let environment = BlockEnv {
            number: block.number,
            timestamp: block.timestamp,
            difficulty: block.difficulty,
            coinbase: block.coinbase.address(),
            minimum_gas_price: block.minimum_gas_price,
            parent_hash: block.parent_hash,
            ..BlockEnv::default()
        };
        let mut context = direct_call(spec, &environment, &branch);
        context.remasc_transaction = true;
        let mut state = self.states.get(&block.parent_hash).cloned().unwrap_or_default();
        (state.logs, state.transfers) = Default::default();
        let contract = Precompile::Remasc;
        assert_eq!(contract.gas(&context, &mut state, None).ok(), Some(0));
        let output = contract.run(&context, &mut state, None).expect("the REMASC transaction succeeds");
        assert_eq!(output, Some(Bytes::new()));
        state.credit(contract.address(), block.paid_fees);
        let logs = state.logs.clone();
        let traced: Vec<_> = state.transfers.iter().map(|(_, to, _)| to.into_word()).collect();
        assert_eq!(traced, logs.iter().map(|log| log.topics[1]).collect::<Vec<_>>());
        self.states.insert(block.hash, state);
        self.blocks.insert(block.hash, Arc::new(block));
        logs
    }

    fn assert_state(&self, line: &Value) {
        let remasc = Precompile::Remasc.address();
        let state = &self.states[&hash(&line["blockHash"])];
        let recorded = line["remascStorage"].as_object().expect("cells");
        let recorded: HashMap<_, _> = recorded
            .iter()
            .map(|(key, value)| (U256::from_be_slice(&hex::decode(key).expect("hex")), bytes(value)))
            .collect();
        let cells: HashMap<_, _> = state
            .cells
            .iter()
            .map(|((contract, key), value)| {
                assert_eq!(*contract, remasc.into());
                (*key, value.clone())
            })
            .collect();
        assert_eq!(cells, recorded, "cells after {}", line["number"]);
        let balance = &line["balances"][format!("{remasc:#x}")];
        assert_eq!(state.balance_of(remasc), quantity(balance), "balance after {}", line["number"]);
    }
}

/// A recorded chain in which another miner is paid: each block that named one miner names `miner` instead, and keeps its
/// recorded hash. Returns what that miner has in the state after each block.
fn balances_with(miner: AccountRef) -> Vec<U256> {
    let mut lines = lines("remasc.jsonl");
    let config = lines.next().expect("a line");
    let spec = chain_spec(&config);
    let mut chain = Chain::default();
    let genesis = decode(&bytes(&config["genesisRlp"]), hash(&config["genesisHash"]), U256::ZERO, None);
    chain.blocks.insert(genesis.hash, Arc::new(genesis));
    let mut replaced = None;
    let mut balances = Vec::new();
    for line in lines.filter(|line| line["type"] != "state") {
        let replace = |found: &mut AccountRef| {
            if *found == *replaced.get_or_insert(*found) {
                *found = miner;
            }
        };
        let hash = hash(&line["hash"]);
        let logs = chain.connect_as(&spec, &line, replace);
        assert_eq!(logs.len(), recorded_logs(&line).len());
        let state = &chain.states[&hash];
        balances.push(state.accounts.get(&miner).map_or(U256::ZERO, |account| account.balance.word()));
        assert!(!state.accounts.contains_key(&Address::ZERO.into()), "the zero address is somebody else");
    }
    balances
}

#[test]
fn a_miner_without_an_address_is_paid_like_any_other() {
    let paid = balances_with(AccountRef::NoAddress);
    assert!(paid.last().is_some_and(|balance| !balance.is_zero()), "it was paid");
    assert_eq!(paid, balances_with(Address::repeat_byte(0x77).into()));
}

fn recorded_logs(line: &Value) -> Vec<Log> {
    let logs = line["remascLogs"].as_array().expect("logs").iter();
    logs.map(|log| Log {
        address: address(&log["address"]),
        topics: log["topics"].as_array().expect("topics").iter().map(hash).collect(),
        data: bytes(&log["data"]),
    })
    .collect()
}

fn replay(name: &str) {
    let mut lines = lines(name);
    let config = lines.next().expect("a line");
    let spec = chain_spec(&config);
    let mut chain = Chain::default();
    let genesis = decode(&bytes(&config["genesisRlp"]), hash(&config["genesisHash"]), U256::ZERO, None);
    chain.blocks.insert(genesis.hash, Arc::new(genesis));
    let (mut payments, mut states) = (0, 0);
    for line in lines {
        if line["type"] == "state" {
            chain.assert_state(&line);
            states += 1;
        } else {
            let logs = chain.connect(&spec, &line);
            assert_eq!(logs, recorded_logs(&line), "payments of block {} {}", line["number"], line["hash"]);
            payments += logs.len();
        }
    }
    assert!(payments > 0 && states > 0, "{name} pays nothing");
    println!("{name}: {payments} payments and {states} states equal");
}

#[test]
fn regtest() {
    replay("remasc.jsonl");
}

#[test]
fn long_regtest() {
    replay("remasc-long.jsonl");
}

#[test]
fn regtest_with_late_activations() {
    replay("remasc-history.jsonl");
}

#[test]
fn testnet() {
    replay("remasc-testnet.jsonl");
}

#[test]
fn only_the_remasc_transaction_may_pay() {
    let spec = chain_spec(&lines("remasc.jsonl").next().expect("a line"));
    let (environment, branch) = (BlockEnv { number: 100, ..BlockEnv::default() }, Branch(Vec::new()));
    let mut state = MemoryState::default();
    let mut context = direct_call(&spec, &environment, &branch);
    for data in [&[][..], &[0xbe, 0x02, 0x1a, 0x58], &[1, 2, 3, 4], &[0x0d, 0x0c, 0xee], &[0x0d, 0x0c, 0xee, 0x93, 0]] {
        let result = Precompile::Remasc.run(&context, &mut state, Some(data));
        assert!(matches!(result, Err(ContractError::Failed(_))), "{data:?}");
    }
    assert!(state.cells.is_empty());

    // A missing ancestor must not look like a failing contract.
    context.remasc_transaction = true;
    assert!(matches!(Precompile::Remasc.run(&context, &mut state, None), Err(ContractError::State(_))));

    context.remasc_transaction = false;
    let output = Precompile::Remasc.run(&context, &mut state, Some(&[0x0d, 0x0c, 0xee, 0x93])).expect("the state");
    assert_eq!(output.expect("bytes")[..], state_for_debugging(&[0xc4, 0x80, 0x80, 0xc0, 0x00]));
    assert_eq!(state.cells.len(), 1, "the siblings cell is written by every call");
}

fn state_for_debugging(content: &[u8]) -> Vec<u8> {
    let mut expected = vec![0; 96];
    (expected[31], expected[63]) = (32, content.len() as u8);
    expected[64..64 + content.len()].copy_from_slice(content);
    expected
}
