//! Traces of the recorded chain compared with the reference, except where its defects are corrected (decisions.md D47).

#[path = "recorded/chain.rs"]
mod chain;
#[path = "recorded/decode.rs"]
mod decode;
#[path = "../../contracts/tests/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rhizome_evm::trace::{BlockId, TraceError, TraceOptions, Tracer, TransactionTrace, trace_block};
use rhizome_evm::{BlockContext, BlockInput, execute_block};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::ordered::ordered_root;
use serde_json::{Value, json};
use support::{bytes, hash, quantity};

const MAX_BYTES: usize = 10 * 1024 * 1024;

/// The lines that contain one of the words.
fn read(name: &str, words: &[&str]) -> Vec<Value> {
    let wanted = rhizome_vectors::lines(name).filter(|line| words.iter().any(|word| line.contains(word)));
    wanted.map(|line| serde_json::from_str(&line).expect("a JSON line")).collect()
}

struct Chain {
    spec: Arc<ChainSpec>,
    store: Arc<StateStore>,
    blocks: HashMap<B256, chain::Block>,
    roots: HashMap<B256, B256>,
    /// Canonical blocks by height.
    heights: BTreeMap<u64, B256>,
    /// Canonical transactions.
    transactions: HashMap<B256, (B256, usize)>,
    system_contracts_in_parallel: bool,
}

/// Imports the blocks that were connected and can be executed.
fn import(lines: &[Value], system_contracts_in_parallel: bool) -> Chain {
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let remasc = json!({"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs});
    let heights = &lines[0]["activationHeights"];
    let spec = Arc::new(support::spec("regtest", &remasc, |rule: Rule| heights[rule.name()].as_i64()));
    let store = StateStore::in_memory(&StoreOptions::default());
    let mut imported = Chain {
        spec: spec.clone(),
        store: store.clone(),
        blocks: HashMap::new(),
        roots: HashMap::new(),
        heights: BTreeMap::new(),
        transactions: HashMap::new(),
        system_contracts_in_parallel,
    };
    for line in &lines[1..] {
        let (hash_of, rlp) = (hash(&line["hash"]), bytes(&line["rlp"]));
        let total =
            if line["totalDifficulty"].is_null() { Default::default() } else { quantity(&line["totalDifficulty"]) };
        let uncles = line["uncles"].as_array().map(|uncles| {
            uncles.iter().map(|uncle| hash(if uncle.is_string() { uncle } else { &uncle["hash"] })).collect()
        });
        store.put_ancestor(support::blocks::decode(&rlp, hash_of, total, uncles));
        let writes = if line["genesisTrie"].is_null() {
            let block = chain::block(&rlp, &spec);
            let Some(&parent) = imported.roots.get(&block.env.parent_hash) else { continue };
            if line["inStore"] == false {
                continue;
            }
            let outcome =
                execute_block(&imported.input(&block), store.reader(parent).expect("a state")).expect("a valid block");
            assert_eq!((outcome.gas_used, outcome.paid_fees), (block.gas_used, block.paid_fees));
            assert_eq!(block.logs_bloom[..], outcome.logs_bloom[..]);
            let receipts: Vec<Bytes> = outcome.transactions.iter().map(|done| done.receipt.rlp.clone()).collect();
            assert_eq!(block.receipts_root, ordered_root(&receipts, false).expect("a root"));
            let writes = outcome.write_set;
            if line["main"] == true {
                imported.heights.insert(block.env.number, hash_of);
                for (index, transaction) in block.transactions.iter().enumerate() {
                    imported.transactions.insert(transaction.hash, (hash_of, index));
                }
            }
            imported.blocks.insert(hash_of, block);
            (parent, writes)
        } else {
            (EMPTY_ROOT, chain::state_of(&line["genesisTrie"]))
        };
        let applied = store.apply(writes.0, &writes.1).expect("a state");
        imported.roots.insert(hash_of, applied.root());
        store.keep(applied);
    }
    imported
}

impl Chain {
    fn input<'a>(&self, block: &'a chain::Block) -> BlockInput<'a> {
        let ancestry = self.store.ancestry(block.env.parent_hash);
        BlockInput {
            context: BlockContext::new(self.spec.clone(), block.env.clone(), ancestry),
            transactions: &block.transactions,
            edges: Some(&block.edges),
            interrupt: None,
            one_thread: false,
            system_contracts_in_parallel: self.system_contracts_in_parallel,
        }
    }

    fn trace(&self, at: B256, wanted: Option<usize>, tracer: Tracer) -> Result<Vec<TransactionTrace>, TraceError> {
        let block = &self.blocks[&at];
        let state = self.store.reader(self.roots[&block.env.parent_hash]).expect("a state");
        let block_id = BlockId { hash: at, number: block.env.number };
        let options = TraceOptions { tracer, max_bytes: MAX_BYTES, max_initial_cells: 10_000, interrupt: None };
        let wanted = wanted.map(|index| [index]);
        trace_block(&self.input(block), state, block_id, wanted.as_ref().map(|one| &one[..]), &options)
    }

    /// The answer to a recorded request; None when the request is about parameters.
    fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        let named = params[0].as_str().filter(|text| text.len() == 66).map(|_| hash(&params[0]));
        let options = params.get(1).cloned().unwrap_or(Value::Null);
        let tracer = tracer(&options)?;
        match method {
            "debug_traceTransaction" => {
                let &(block, index) = self.transactions.get(&named?)?;
                one(self.trace(block, Some(index), tracer), |texts| texts[0].clone())
            }
            "trace_transaction" => {
                let &(block, index) = self.transactions.get(&named?)?;
                one(self.trace(block, Some(index), Tracer::Flat), |texts| format!("[{}]", texts.join(",")))
            }
            "debug_traceBlockByHash" | "debug_traceBlockByNumber" | "trace_block" => {
                let height = params[0].as_str().and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
                let block = named.or_else(|| self.heights.get(&height?).copied())?;
                self.blocks.get(&block)?;
                let flat = method == "trace_block";
                let traces = match self.trace(block, None, if flat { Tracer::Flat } else { tracer }) {
                    Ok(traces) => traces,
                    Err(error) => return Some(error_answer(&error)),
                };
                let nested = matches!(tracer, Tracer::Calls { .. }) && !flat;
                let texts = traces.iter().map(|trace| {
                    let text = trace.texts.join(",");
                    let hash = self.blocks[&block].transactions[trace.index].hash;
                    if nested { format!("{{\"txHash\":\"{hash}\",\"result\":{text}}}") } else { text }
                });
                Some(serde_json::from_str(&format!("[{}]", texts.collect::<Vec<_>>().join(","))).expect("JSON"))
            }
            _ => None,
        }
    }
}

fn error_answer(error: &TraceError) -> Value {
    match error {
        TraceError::TooLarge(limit) => {
            json!({"code": -32011, "message": format!("Response size limit of {limit} bytes exceeded")})
        }
        other => json!(other.to_string()),
    }
}

fn one(traces: Result<Vec<TransactionTrace>, TraceError>, text: impl Fn(&[String]) -> String) -> Option<Value> {
    Some(match traces {
        Ok(traces) => serde_json::from_str(&text(&traces[0].texts)).expect("JSON"),
        Err(error) => error_answer(&error),
    })
}

fn tracer(options: &Value) -> Option<Tracer> {
    let flag = |name: &str| {
        let value = [&options[name], &options["tracerConfig"][name]].into_iter().find(|value| !value.is_null());
        value.is_some_and(|value| value == true || value == "true")
    };
    match options["tracer"].as_str().map(str::to_lowercase).as_deref() {
        None | Some("rsktracer") => Some(Tracer::StructLogs {
            disable_memory: flag("disableMemory"),
            disable_stack: flag("disableStack"),
            disable_storage: flag("disableStorage"),
        }),
        Some("calltracer") => Some(Tracer::Calls { only_top_call: flag("onlyTopCall"), with_log: flag("withLog") }),
        _ => None,
    }
}

/// Gives the call of a transaction that ran no code the gas that the reference shows, which is none.
fn without_code(expected: &Value, found: &mut Value) {
    if let (Some(expected), Some(found)) = (expected.as_array(), found.as_array_mut()) {
        expected.iter().zip(found).for_each(|(expected, found)| without_code(expected, found));
        return;
    }
    let of_transaction = expected["traceAddress"].as_array().is_none_or(Vec::is_empty);
    for path in ["/action/gas", "/gas", "/result/gas"] {
        if of_transaction && expected.pointer(path) == Some(&json!("0x0")) {
            *found.pointer_mut(path).expect("the same form") = json!("0x0");
        }
    }
}

/// Removes the corrected fields on both sides.
fn corrected(value: &mut Value, level: usize) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| corrected(item, level)),
        Value::Object(members) => {
            if let Some(kind) = members.get("type").and_then(Value::as_str).map(str::to_owned) {
                let top = members.get("traceAddress").and_then(Value::as_array).is_some_and(Vec::is_empty);
                if members.contains_key("action") {
                    if !top && let Some(action) = members["action"].as_object_mut() {
                        action.remove("input");
                    }
                    if top && let Some(result) = members["result"].as_object_mut() {
                        result.remove("output");
                    }
                    if let Some(error) = members.get_mut("error").filter(|error| **error != "Reverted") {
                        *error = json!("failed");
                    }
                } else {
                    if ["NONE", "SELFDESTRUCT"].contains(&kind.as_str()) {
                        let from = members.remove("from");
                        members.clear();
                        members.insert("from".into(), from.unwrap_or_default());
                    }
                    if kind == "CREATE" {
                        members.remove("to");
                    }
                    members.remove("output");
                    if level == 0 {
                        members.remove("revertReason");
                    }
                    if let Some(error) = members.get_mut("error").filter(|error| **error != "execution reverted") {
                        *error = json!("failed");
                    }
                }
            } else if let Some(error) = members.get_mut("error").filter(|error| error.is_string() && **error != "") {
                *error = json!("failed");
            }
            for log in members.get_mut("logs").and_then(Value::as_array_mut).into_iter().flatten() {
                log.as_object_mut().and_then(|log| log.remove("position"));
            }
            if let Some(calls) = members.get_mut("calls") {
                corrected(calls, level + 1);
            }
            if let Some(result) = members.get_mut("result") {
                corrected(result, level);
            }
        }
        _ => {}
    }
}

#[test]
fn recorded_traces_are_equal_but_for_the_corrections() {
    let chain = import(&read("rpc/chain-main.jsonl", &[""]), false);
    let (mut equal, mut exact, mut different) = (0, 0, 0);
    let side_blocks: Vec<String> = chain
        .blocks
        .iter()
        .filter(|(hash, block)| chain.heights.get(&block.env.number) != Some(hash))
        .map(|(hash, _)| hash.to_string())
        .collect();
    for line in read("rpc/rpc-main.jsonl", &["\"debug_trace", "\"trace_"]) {
        let method = line["request"]["method"].as_str().unwrap_or_default().to_owned();
        if !method.starts_with("debug_trace") && !method.starts_with("trace_") {
            continue;
        }
        let Some(mut found) = chain.answer(&method, &line["request"]["params"]) else { continue };
        let response = &line["response"];
        if response["error"]["code"] == -32603 {
            continue;
        }
        let mut expected = response.get("result").unwrap_or(&response["error"]).clone();
        // Traces of a side block name that block; the reference names the canonical one with the same
        // reward transaction.
        if line["request"]["params"][0].as_str().is_some_and(|named| side_blocks.iter().any(|hash| hash == named)) {
            for item in [&mut expected, &mut found].into_iter().filter_map(Value::as_array_mut).flatten() {
                item.as_object_mut().and_then(|item| item.remove("blockHash"));
            }
        }
        exact += usize::from(found == expected);
        without_code(&expected, &mut found);
        corrected(&mut expected, 0);
        corrected(&mut found, 0);
        if found == expected {
            equal += 1;
            continue;
        }
        different += 1;
        let (expected, found) = (expected.to_string(), found.to_string());
        let at = expected.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
        let part = |text: &str| text.get(at.saturating_sub(120)..text.len().min(at + 200)).map(str::to_owned);
        println!("{} {method} {}", line["note"], line["request"]["params"]);
        println!("  expected {:?}\n  found    {:?}", part(&expected), part(&found));
    }
    println!("{equal} equal ({exact} of them to the letter), {different} different");
    assert!(equal > 100, "only {equal} recorded traces were compared");
    assert_eq!(different, 0);
}

#[test]
fn blocks_of_scenarios_are_traced_in_every_form_and_sublist() {
    let mut transactions = 0;
    for name in rhizome_vectors::names("dsl") {
        let chain = import(&read(&name, &[""]), name.contains("ShouldGoToParallelIfEnabled"));
        for (at, block) in &chain.blocks {
            let flat = chain.trace(*at, None, Tracer::Flat).expect("traces");
            assert_eq!(flat.len(), block.transactions.len(), "{name}");
            let gas: u64 = flat.iter().filter_map(|trace| gas_used(&trace.texts[0])).sum();
            let calls = chain.trace(*at, None, Tracer::Calls { only_top_call: false, with_log: true }).expect("traces");
            assert_eq!(calls.iter().filter_map(|trace| gas_used(&trace.texts[0])).sum::<u64>(), block.gas_used);
            assert!(gas <= block.gas_used, "{name}: failed calls show no result");
            for tracer in [
                Tracer::StructLogs { disable_memory: false, disable_stack: false, disable_storage: false },
                Tracer::Prestate { diff: false },
                Tracer::Prestate { diff: true },
                Tracer::FourByte,
            ] {
                // Each alone gives the same as in the whole block: each runs on the state that its sublist left.
                let whole = match chain.trace(*at, None, tracer) {
                    Ok(whole) => whole,
                    Err(TraceError::TooLarge(_)) => continue,
                    Err(error) => panic!("{name}: {error}"),
                };
                for trace in whole {
                    let alone = chain.trace(*at, Some(trace.index), tracer).expect("a trace");
                    assert_eq!(alone[0].texts, trace.texts, "{name}");
                    serde_json::from_str::<Value>(&trace.texts[0]).expect("JSON");
                    transactions += 1;
                }
            }
        }
    }
    assert!(transactions > 1000, "only {transactions} transactions were traced");
}

fn gas_used(text: &str) -> Option<u64> {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let used = value.get("gasUsed").or_else(|| value["result"].get("gasUsed"))?.as_str()?;
    u64::from_str_radix(used.strip_prefix("0x")?, 16).ok()
}
