//! Single transactions on small states, as recorded from the reference at heights with different rules.

#[path = "recorded/decode.rs"]
mod decode;
#[path = "recorded/state.rs"]
mod state;
#[path = "../../contracts/tests/support/mod.rs"]
mod support;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{BlockContext, Evm, FeePayment, Journal, Position, Receipt, TransactionError, TransactionOutcome};
use rhizome_primitives::block::{AncestorBlock, Ancestry, BlockEnv};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, U256, hex};
use rhizome_store::StateStore;
use rhizome_trie::EMPTY_ROOT;
use serde_json::{Value, json};
use support::{address, bytes, hash, lines, number, quantity};

/// Recorded ancestors: blocks for the newest, hashes for all.
struct Branch {
    hashes: Vec<B256>,
    blocks: support::blocks::Branch,
}

impl Ancestry for Branch {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        self.blocks.ancestor(depth)
    }

    fn ancestor_hash(&self, depth: u64) -> Option<B256> {
        self.hashes.get(depth as usize).copied()
    }
}

struct Environment {
    spec: Arc<ChainSpec>,
    ancestry: Arc<Branch>,
    precompiles: Vec<Value>,
}

fn environment(line: &Value) -> Environment {
    let rules = line["activeRules"].as_array().expect("rules");
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs});
    let ancestors = line["ancestors"].as_array().expect("ancestors");
    let block = |line: &Value| {
        let rlp = Some(&line["rlp"]).filter(|rlp| !rlp.is_null())?;
        let total = quantity(&line["totalDifficulty"]);
        Some(Arc::new(support::blocks::decode(&bytes(rlp), hash(&line["hash"]), total, None)))
    };
    Environment {
        spec: Arc::new(support::spec(line["network"].as_str().expect("a network"), &remasc, |rule: Rule| {
            rules.iter().any(|name| name == rule.name()).then_some(0)
        })),
        ancestry: Arc::new(Branch {
            hashes: ancestors.iter().map(|line| hash(&line["hash"])).collect(),
            blocks: support::blocks::Branch(ancestors.iter().map(block).collect()),
        }),
        precompiles: line["activePrecompiles"].as_array().expect("addresses").clone(),
    }
}

/// The outcome of a case in the form of the recording.
fn run(store: &Arc<StateStore>, case: &Value, environment: &Environment) -> Value {
    let precompiles = (case["precompileAccounts"] == true).then_some(&environment.precompiles[..]);
    let pre = state::pre_state(&case["pre"], precompiles);
    let applied = store.apply(EMPTY_ROOT, &pre).expect("a pre-state");
    let root = applied.root();
    assert_eq!(root, hash(&case["preStateRoot"]), "{}: pre-state", case["name"]);
    store.keep(applied);

    let Some(transaction) = decode::decode(&bytes(&case["tx"]["raw"]), environment.spec.chain_id, false) else {
        return json!({"executed": false});
    };
    let env = &case["blockEnv"];
    let optional = |key: &str| if env[key].is_null() { 0 } else { number(&env[key]) };
    let block = BlockEnv {
        number: number(&env["number"]),
        timestamp: number(&env["timestamp"]),
        difficulty: quantity(&env["difficulty"]),
        gas_limit: number(&env["gasLimit"]),
        gas_limit_width: 0,
        coinbase: address(&env["coinbase"]),
        minimum_gas_price: quantity(&env["minimumGasPrice"]),
        parent_hash: hash(&env["parentHash"]),
    };
    let used = optional("gasUsedBefore");
    let index = match &env["txIndex"] {
        Value::Number(index) => index.as_u64().expect("an index"),
        _ => optional("txIndex"),
    };
    let position = Position { index: index as u32, gas_used: used, gas_limit: block.gas_limit };
    let context = BlockContext::new(environment.spec.clone(), block, environment.ancestry.clone());
    let journal = Journal::new(store.reader(root).expect("the pre-state"));
    let mut evm = Evm::new(context, journal);
    let outcome = match evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector) {
        Ok(outcome) => outcome,
        Err(TransactionError::Invalid(_)) => return json!({"executed": false}),
        Err(error) => panic!("{}: {error}", case["name"]),
    };
    let state_root = store.apply(root, &evm.journal().write_set()).expect("a post-state").root();
    describe(&outcome, used, state_root)
}

fn describe(outcome: &TransactionOutcome, used: u64, state_root: B256) -> Value {
    let receipt = Receipt::new(outcome.succeeded, outcome.gas_used, used + outcome.gas_used, outcome.logs.clone());
    let mut result = json!({
        "executed": true,
        "gasUsed": format!("{:#x}", outcome.gas_used),
        "status": if outcome.succeeded { "0x01" } else { "0x" },
        "output": hex::encode_prefixed(&outcome.output),
        "logs": outcome.logs.iter().map(|log| {
            let mut line = json!({
                "address": hex::encode_prefixed(log.address),
                "topics": log.topics.iter().map(hex::encode_prefixed).collect::<Vec<_>>(),
            });
            if log.data.len() > 1024 {
                line["dataHash"] = json!(keccak256(&log.data));
                line["dataLength"] = json!(log.data.len());
            } else {
                line["data"] = json!(hex::encode_prefixed(&log.data));
            }
            line
        }).collect::<Vec<_>>(),
        "paidFees": format!("{:#x}", outcome.paid_fees),
        "receiptHash": recorded_receipt_hash(&receipt),
        "stateRoot": state_root,
    });
    if outcome.output.len() > 2048 {
        result["output"] = Value::Null;
        result["outputHash"] = json!(keccak256(&outcome.output));
        result["outputLength"] = json!(outcome.output.len());
    }
    if outcome.refund > 0 {
        result["refund"] = json!(format!("{:#x}", outcome.refund));
    }
    if let Some(created) = outcome.contract_address {
        result["contractAddress"] = json!(hex::encode_prefixed(created));
    }
    if !outcome.deleted.is_empty() {
        let deleted: BTreeSet<_> = outcome.deleted.iter().map(hex::encode_prefixed).collect();
        result["deleted"] = json!(deleted);
    }
    result
}

/// The recording has the receipt of the transaction executor, before the block executor sets its first field,
/// postTxState; both forms of that field are one byte long.
fn recorded_receipt_hash(receipt: &Receipt) -> B256 {
    let mut rlp = receipt.rlp.to_vec();
    let header = 1 + usize::from(rlp[0] - 0xf7);
    rlp[header] = 0x80;
    keccak256(&rlp)
}

/// The recorded result without the fields that are only informative.
fn expected(case: &Value) -> Value {
    let mut result = case["result"].as_object().expect("a result").clone();
    if result["executed"] == false {
        return json!({"executed": false});
    }
    for orientation in ["post", "error", "exceptionClass", "innerException", "rejection", "exception"] {
        result.remove(orientation);
    }
    if let Some(deleted) = result.get_mut("deleted") {
        let sorted: BTreeSet<_> = deleted.as_array().expect("addresses").iter().filter_map(Value::as_str).collect();
        *deleted = json!(sorted);
    }
    Value::Object(result)
}

fn differences(expected: &Value, found: &Value) -> String {
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let all: BTreeSet<_> = keys(expected).into_iter().chain(keys(found)).collect();
    let lines = all.into_iter().filter(|key| expected[key] != found[key]);
    lines.map(|key| format!("\n    {key}: expected {}, found {}", expected[&key], found[&key])).collect()
}

#[test]
fn recorded_transactions_are_equal() {
    let key = |network: &Value, number: &Value| (network.to_string(), U256::from(support::number(number)));
    let environments: HashMap<_, _> = lines("vm-environments.jsonl")
        .map(|line| (key(&line["network"], &line["number"]), environment(&line)))
        .collect();
    let store = StateStore::in_memory(&rhizome_store::StoreOptions::default());
    let (mut equal, mut different) = (0, Vec::new());
    for case in lines("vm-transactions.jsonl") {
        let environment = &environments[&key(&case["activation"]["network"], &case["blockEnv"]["number"])];
        let found = run(&store, &case, environment);
        match expected(&case) {
            expected if expected == found => equal += 1,
            expected => different.push(format!("{}{}", case["name"], differences(&expected, &found))),
        }
    }
    println!("vm-transactions: {equal} equal, {} different", different.len());
    if !different.is_empty() {
        panic!(
            "{} different, first:\n{}",
            different.len(),
            different.iter().take(25).cloned().collect::<Vec<_>>().join("\n")
        );
    }
}
