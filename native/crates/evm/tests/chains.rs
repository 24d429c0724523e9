//! Whole chains through the block executor, as recorded from the reference: the recorded chain, and the chains of the
//! reference's scenario tests with their sublists.

#[path = "recorded/chain.rs"]
mod chain;
#[path = "recorded/decode.rs"]
mod decode;
#[path = "../../contracts/tests/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::sync::Arc;

use rhizome_evm::{BlockContext, BlockInput, BlockOutcome, execute_block, precompile_accounts};
use rhizome_primitives::account::Account;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::ordered::ordered_root;
use serde_json::{Value, json};
use support::{bytes, hash, quantity};

/// Accounts funded on the development network and in the recorded test network.
const FUNDED: [&str; 10] = [
    "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
    "0x7986b3df570230288501eea3d890bd66948c9b79",
    "0x0a3aa774752ec2042c46548456c094a76c7f3a79",
    "0xcf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036",
    "0x39b12c05e8503356e3a7df0b7b33efa4c054c409",
    "0xc354d97642faa06781b76ffb6786f72cd7746c97",
    "0xdebe71e1de41fc77c44df4b6db940026e31b0e71",
    "0x7857288e171c6159c5576d1bd9ac40c0c48a771c",
    "0xa4dea4d5c954f5fd9e87f0e9752911e83a3d18b3",
    "0x09a1eda29f664ac8f68106f6567276df0c65d859",
];

fn read(name: &str) -> Vec<Value> {
    rhizome_vectors::json_lines(name).collect()
}

fn spec(line: &Value) -> Arc<ChainSpec> {
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let mut remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs});
    let recorded = &line["remasc"];
    if recorded.is_object() {
        remasc = json!({
            "maturity": recorded["maturity"],
            "syntheticSpan": recorded["syntheticSpan"],
            "labsAddress": recorded["rskLabsAddress"],
            "labsAddressRskip218": recorded["rskLabsAddressRskip218"],
        });
    }
    let network = if line["network"] == "testnet" { "testnet" } else { "regtest" };
    let heights = &line["activationHeights"];
    Arc::new(support::spec(network, &remasc, |rule: Rule| heights[rule.name()].as_i64()))
}

/// Differences between a block and its recording, or the error that stops the chain.
fn check(line: &Value, block: &chain::Block, outcome: &BlockOutcome, root: B256) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, expected: String, found: String| {
        if expected != found {
            wrong.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    let receipts: Vec<Bytes> = outcome.transactions.iter().map(|done| done.receipt.rlp.clone()).collect();
    for (index, (recorded, receipt)) in line["txs"].as_array().into_iter().flatten().zip(&receipts).enumerate() {
        compare(&format!("receipt {index}"), bytes(&recorded["receiptRlp"]).to_string(), receipt.to_string());
    }
    compare("gas used", block.gas_used.to_string(), outcome.gas_used.to_string());
    compare("paid fees", block.paid_fees.to_string(), outcome.paid_fees.to_string());
    let receipts_root = ordered_root(&receipts, false).expect("a root");
    compare("receipts root", block.receipts_root.to_string(), receipts_root.to_string());
    let bloom = Bytes::copy_from_slice(&outcome.logs_bloom[..]);
    compare("bloom", block.logs_bloom.to_string(), bloom.to_string());
    compare("state root", hash(&line["stateRoot"]).to_string(), root.to_string());
    wrong
}

/// Number of equal blocks, and the first differences with their block numbers.
fn import(name: &str, lines: &[Value], one_thread: bool) -> (usize, Vec<String>) {
    let spec = spec(&lines[0]);
    let store = StateStore::in_memory(&StoreOptions::default());
    let mut roots = HashMap::new();
    let (mut equal, mut different) = (0, Vec::new());
    let genesis = &lines[0]["genesisHash"];
    if genesis.is_string() {
        let rlp = bytes(&lines[0]["genesisRlp"]);
        let ancestor = support::blocks::decode(&rlp, hash(genesis), Default::default(), None);
        store.put_ancestor(ancestor);
        let root = funded_genesis(&store, &spec);
        assert_eq!(root, hash(&lines[0]["genesisStateRoot"]), "{name}: genesis");
        roots.insert(hash(genesis), root);
    }
    for line in &lines[1..] {
        let hash_of = hash(&line["hash"]);
        let rlp = bytes(&line["rlp"]);
        let total =
            if line["totalDifficulty"].is_null() { Default::default() } else { quantity(&line["totalDifficulty"]) };
        store.put_ancestor(support::blocks::decode(&rlp, hash_of, total, uncles(line)));
        if !line["genesisTrie"].is_null() {
            let applied = store.apply(EMPTY_ROOT, &chain::state_of(&line["genesisTrie"])).expect("a genesis state");
            let root = applied.root();
            assert_eq!(root, hash(&line["stateRoot"]), "{name}: genesis");
            store.keep(applied);
            roots.insert(hash_of, root);
            continue;
        }
        if line["inStore"] == false {
            continue;
        }
        let block = chain::block(&rlp, &spec);
        let Some(&parent) = roots.get(&block.env.parent_hash) else { continue };
        let number = block.env.number;
        let input = BlockInput {
            context: BlockContext::new(spec.clone(), block.env.clone(), store.ancestry(block.env.parent_hash)),
            transactions: &block.transactions,
            edges: Some(&block.edges),
            interrupt: None,
            one_thread,
            // Three scenarios lift the ban; no other calls these contracts in a parallel sublist.
            system_contracts_in_parallel: name.contains("ShouldGoToParallelIfEnabled"),
        };
        let outcome = match execute_block(&input, store.reader(parent).expect("the parent's state")) {
            Ok(outcome) => outcome,
            Err(error) => {
                different.push(format!("{name} block {number}: {error}"));
                continue;
            }
        };
        let applied = store.apply(parent, &outcome.write_set).expect("a state");
        let root = applied.root();
        let wrong = check(line, &block, &outcome, root);
        if wrong.is_empty() {
            equal += 1;
        } else {
            different.push(format!("{name} block {number}: {}", wrong.join("; ")));
        }
        store.keep(applied);
        roots.insert(hash_of, root);
    }
    (equal, different)
}

fn uncles(line: &Value) -> Option<Vec<B256>> {
    let list = if line["uncles"].is_null() { &line["uncleHashes"] } else { &line["uncles"] };
    Some(list.as_array()?.iter().map(|uncle| hash(if uncle.is_string() { uncle } else { &uncle["hash"] })).collect())
}

fn report(name: &str, equal: usize, different: Vec<String>) {
    println!("{name}: {equal} equal, {} different", different.len());
    for line in &different {
        println!("  {}", &line[..line.len().min(600)]);
    }
    assert!(different.is_empty(), "{name}: {} different", different.len());
}

/// The state of a network whose ten accounts are funded, made as the node makes it (consensus.md §1.4).
fn funded_genesis(store: &Arc<StateStore>, spec: &ChainSpec) -> B256 {
    let mut writes = WriteSet::default();
    let mut fund = |address: &str, coins: u64, zeros: u64| {
        let balance = U256::from(coins) * U256::from(10).pow(U256::from(zeros));
        let account = Account { balance: balance.into(), ..Account::default() };
        writes.accounts.push((address.parse::<Address>().expect("an address").into(), account));
    };
    fund("0x0000000000000000000000000000000001000006", 21, 24);
    for address in FUNDED {
        fund(address, 1, 30);
    }
    let applied = store.apply(EMPTY_ROOT, &writes).expect("accounts");
    let root = applied.root();
    store.keep(applied);
    let reader = store.reader(root).expect("accounts");
    let precompiles = precompile_accounts(spec, 0, reader).expect("precompiled contracts");
    let applied = store.apply(root, &precompiles).expect("a genesis state");
    let root = applied.root();
    store.keep(applied);
    root
}

#[test]
fn reward_chains_are_equal() {
    for name in ["remasc.jsonl", "remasc-long.jsonl", "remasc-history.jsonl", "remasc-testnet.jsonl"] {
        let blocks: Vec<Value> =
            support::lines(name).filter(|line| line["type"] == "config" || line["type"] == "block").collect();
        let (equal, different) = import(name, &blocks, false);
        assert_eq!(equal + different.len() + 1, blocks.len(), "{name}: every block was executed");
        report(name, equal, different);
    }
}

#[test]
fn served_chain_is_equal() {
    let lines = read("rpc/chain-main.jsonl");
    let (equal, different) = import("chain-main", &lines, false);
    report("chain-main", equal, different);
}

#[test]
fn scenario_chains_are_equal_on_threads_and_without() {
    let (mut equal, mut different) = (0, Vec::new());
    for name in rhizome_vectors::names("dsl") {
        let lines = read(&name);
        for one_thread in [false, true] {
            let (good, bad) = import(&name, &lines, one_thread);
            equal += good;
            different.extend(bad);
        }
    }
    report("dsl", equal, different);
}
