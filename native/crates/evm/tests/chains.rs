//! Whole chains through the block executor, as recorded from the reference: the served chain, and
//! the chains of its scenario tests with their sublists.

#[path = "recorded/chain.rs"]
mod chain;
#[path = "recorded/decode.rs"]
mod decode;
#[path = "../../contracts/tests/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhizome_evm::{BlockContext, BlockError, BlockInput, BlockOutcome, ExecutionError, execute_block};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::ordered::ordered_root;
use serde_json::{Value, json};
use support::{bytes, hash, quantity};

fn vectors() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/vectors");
    std::env::var_os("RHIZOME_VECTORS").map_or(beside, PathBuf::from)
}

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

fn spec(line: &Value) -> Arc<ChainSpec> {
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs});
    let heights = &line["activationHeights"];
    Arc::new(support::spec("regtest", &remasc, |rule: Rule| heights[rule.name()].as_i64()))
}

/// Differences of a block from its recording, or what stops the chain.
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

/// Blocks equal, and the first differences with their block numbers.
fn import(name: &str, lines: &[Value], one_thread: bool) -> (usize, Vec<String>) {
    let spec = spec(&lines[0]);
    let store = StateStore::in_memory(&StoreOptions::default());
    let mut roots = HashMap::new();
    let (mut equal, mut different) = (0, Vec::new());
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
            Err(BlockError::Execution(ExecutionError::Unsupported(what))) => {
                different.push(format!("{name} block {number}: {what} is not supported"));
                continue;
            }
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
    Some(
        line["uncles"]
            .as_array()?
            .iter()
            .map(|uncle| hash(if uncle.is_string() { uncle } else { &uncle["hash"] }))
            .collect(),
    )
}

fn report(name: &str, equal: usize, different: Vec<String>) {
    println!("{name}: {equal} equal, {} different", different.len());
    for line in &different {
        println!("  {}", &line[..line.len().min(600)]);
    }
    assert!(different.is_empty(), "{name}: {} different", different.len());
}

#[test]
fn served_chain_is_equal() {
    let lines = read(&vectors().join("rpc/chain-main.jsonl"));
    let (equal, different) = import("chain-main", &lines, false);
    report("chain-main", equal, different);
}

#[test]
fn scenario_chains_are_equal_on_threads_and_without() {
    let mut files: Vec<_> =
        std::fs::read_dir(vectors().join("dsl")).expect("a folder").flatten().map(|file| file.path()).collect();
    files.sort();
    let (mut equal, mut different) = (0, Vec::new());
    for path in files {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let lines = read(&path);
        for one_thread in [false, true] {
            let (good, bad) = import(&name, &lines, one_thread);
            equal += good;
            different.extend(bad);
        }
    }
    report("dsl", equal, different);
}
