//! Traces of small programs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rhizome_primitives::{Address, Bytes, U256, address, hex};
use serde_json::{Value, json};

use super::{CallTrace, TraceError, TraceOptions, Tracer, trace_call};
use crate::error::{ExecutionError, TransactionError};
use crate::local::{LocalCall, Message};
use crate::testing::{MemoryState, all_rules, context};

const SENDER: Address = address!("1000000000000000000000000000000000000001");
const CONTRACT: Address = address!("2000000000000000000000000000000000000002");
const OTHER: Address = address!("3000000000000000000000000000000000000003");

const STRUCT_LOGS: Tracer = Tracer::StructLogs { disable_memory: false, disable_stack: false, disable_storage: false };
const CALLS: Tracer = Tracer::Calls { only_top_call: false, with_log: true };

fn options(tracer: Tracer) -> TraceOptions {
    TraceOptions { tracer, max_bytes: 1 << 20, max_initial_cells: 10_000, interrupt: None }
}

fn run(state: MemoryState, message: Message, options: &TraceOptions) -> Result<CallTrace, TraceError> {
    let call = LocalCall {
        context: context(all_rules()),
        message,
        gas: 1_000_000,
        overrides: &[],
        interrupt: None,
        effort: None,
    };
    trace_call(&call, state.shared(), options)
}

fn state(contract: &str, other: &str) -> MemoryState {
    let code = |text: &str| Bytes::from(hex::decode(text).expect("hex digits"));
    let state = MemoryState::default().with_balance(SENDER, 1_000_000_000).with_code(CONTRACT, code(contract));
    if other.is_empty() { state } else { state.with_code(OTHER, code(other)) }
}

fn message() -> Message {
    Message { from: Some(SENDER), to: Some(CONTRACT), ..Message::default() }
}

fn trace(contract: &str, other: &str, tracer: Tracer) -> Value {
    let trace = run(state(contract, other), message(), &options(tracer)).expect("a trace");
    let text = if tracer == Tracer::Flat { format!("[{}]", trace.texts.join(",")) } else { trace.texts[0].clone() };
    serde_json::from_str(&text).expect("JSON")
}

/// Calls OTHER with the opcode, 65,535 gas, four bytes 0xaabbccdd, and returns 32 bytes of output.
fn calling(opcode: &str) -> String {
    let value = if matches!(opcode, "f1" | "f2") { "5f" } else { "" };
    format!("63aabbccdd5f5260205f6004601c{value}73{OTHER:x}61ffff{opcode}60205ff3").replace("0x", "")
}

/// Returns the word 7.
const SEVEN: &str = "60075f5260205ff3";

#[test]
fn nested_calls_show_their_own_data() {
    for (opcode, name, from, to) in [
        ("f1", "CALL", CONTRACT, OTHER),
        ("fa", "STATICCALL", CONTRACT, OTHER),
        ("f4", "DELEGATECALL", CONTRACT, OTHER),
    ] {
        let found = trace(&calling(opcode), SEVEN, CALLS);
        let call = &found["calls"][0];
        assert_eq!(call["type"], name);
        assert_eq!(call["from"], json!(format!("{from:#x}")));
        assert_eq!(call["to"], json!(format!("{to:#x}")));
        assert_eq!(call["input"], "0xaabbccdd");
        assert_eq!(call["output"], json!(format!("0x{:064x}", 7)));
        assert_eq!(found["output"], call["output"]);
        let flat = trace(&calling(opcode), SEVEN, Tracer::Flat);
        assert_eq!(flat[0]["subtraces"], 1);
        assert_eq!(flat[1]["action"]["callType"], json!(name.to_lowercase()));
        assert_eq!(flat[1]["action"]["input"], "0xaabbccdd");
        assert_eq!(flat[1]["traceAddress"], json!([0]));
        assert_eq!(flat[1]["result"]["output"], call["output"]);
    }
}

#[test]
fn failures_are_worded_as_clients_know_them() {
    for (code, geth, parity) in [
        ("fe", "invalid opcode: INVALID", "Bad instruction"),
        ("0c", "invalid opcode: opcode 0xc not defined", "Bad instruction"),
        ("5f56", "invalid jump destination", "Bad jump destination"),
        ("01", "stack underflow", "Stack underflow"),
        ("5b5f600056", "stack limit reached 1024", "Out of stack"),
        ("5b5f5f52600056", "out of gas", "Out of gas"),
        ("60205f5f3e", "return data out of bounds", "Out of bounds"),
        ("5f5ffd", "execution reverted", "Reverted"),
    ] {
        let found = trace(&calling("f1"), code, CALLS);
        assert_eq!(found["calls"][0]["error"], geth, "{code}");
        assert_eq!(found["error"], Value::Null);
        let flat = trace(&calling("f1"), code, Tracer::Flat);
        assert_eq!(flat[1]["error"], parity, "{code}");
        assert_eq!(flat[1]["result"], Value::Null);
    }
    let written = trace(&calling("fa"), "60015f55", CALLS);
    assert_eq!(written["calls"][0]["error"], "write protection");
}

#[test]
fn selfdestruct_is_a_call_of_its_own() {
    let code = format!("73{OTHER:x}ff").replace("0x", "");
    let found = trace(&code, "", CALLS);
    let expected = json!({
        "type": "SELFDESTRUCT",
        "from": format!("{CONTRACT:#x}"),
        "to": format!("{OTHER:#x}"),
        "value": "0x0",
        "gas": "0x0",
        "gasUsed": "0x0",
        "input": "0x",
    });
    assert_eq!(found["calls"], json!([expected]));
    let flat = trace(&code, "", Tracer::Flat);
    assert_eq!(flat[1]["type"], "suicide");
    assert_eq!(flat[1]["action"]["refundAddress"], json!(format!("{OTHER:#x}")));
}

#[test]
fn failed_creations_and_calls_of_precompiled_contracts_are_absent() {
    // CREATE with initcode `fe`, then CALL of the identity contract.
    let code = "60fe5f5360015f5ff0505f5f5f5f5f60045af1";
    assert_eq!(trace(code, "", CALLS)["calls"], Value::Null);
    assert_eq!(trace(code, "", Tracer::Flat).as_array().map(Vec::len), Some(1));
    // CREATE2 with initcode `00`: code that is empty.
    let flat = trace("5f60015f5ff5", "", Tracer::Flat);
    assert_eq!(flat[1]["action"]["creationMethod"], "create2");
    // CREATE of code `ef` fails when it is stored: shown with its error.
    let flat = trace("6860ef5f5360015ff3005f52600860175ff0", "", Tracer::Flat);
    assert_eq!(flat[1]["type"], "create");
    assert_eq!(flat[1]["error"], "Invalid code");
}

#[test]
fn logs_that_were_undone_are_not_shown() {
    let log = "5f5fa0";
    let kept = trace(&format!("{log}{}", calling("f1")), &format!("{log}{SEVEN}"), CALLS);
    assert_eq!(kept["logs"].as_array().map(Vec::len), Some(2));
    assert_eq!(kept["calls"][0]["logs"][0]["index"], 1);
    let undone = trace(&format!("{log}{}", calling("f1")), &format!("{log}5f5ffd"), CALLS);
    assert_eq!(undone["logs"].as_array().map(Vec::len), Some(1));
    assert_eq!(undone["calls"][0]["logs"], Value::Null);
    let top = trace(&format!("{log}{}", calling("f1")), SEVEN, Tracer::Calls { only_top_call: true, with_log: false });
    assert_eq!(top["calls"], Value::Null);
    assert_eq!(top["logs"], Value::Null);
}

#[test]
fn logs_say_how_many_calls_were_before_them() {
    let log = "5f5fa0";
    let call = format!("5f5f5f5f5f73{OTHER:x}61fffff150").replace("0x", "");
    let positions = |call: &Value| -> Vec<Value> {
        call["logs"].as_array().into_iter().flatten().map(|log| log["position"].clone()).collect()
    };
    let program = format!("{log}{call}{log}{call}{call}{log}");
    let found = trace(&program, &format!("{log}{log}"), CALLS);
    // With those of the calls below, as the reference lists them.
    assert_eq!(positions(&found), ["0x0", "0x0", "0x0", "0x1", "0x1", "0x1", "0x2", "0x2", "0x3"]);
    assert_eq!(positions(&found["calls"][2]), ["0x0", "0x0"]);
    let undone = trace(&program, &format!("{log}5f5ffd"), CALLS);
    assert_eq!(positions(&undone), ["0x0", "0x1", "0x3"]);
    let silent = trace(&program, "00", CALLS);
    assert_eq!(positions(&silent), ["0x0", "0x1", "0x3"]);
    let top = trace(&program, "00", Tracer::Calls { only_top_call: true, with_log: true });
    assert_eq!(positions(&top), ["0x0", "0x0", "0x0"]);
}

#[test]
fn the_gas_of_a_transaction_is_its_limit_also_where_no_code_runs() {
    let identity = address!("0000000000000000000000000000000000000004");
    for to in [Some(CONTRACT), Some(OTHER), Some(identity), None] {
        let message = Message { from: Some(SENDER), to, ..Message::default() };
        for tracer in [CALLS, Tracer::Flat] {
            let trace = run(state("00", ""), message.clone(), &options(tracer)).expect("a trace");
            let top: Value = serde_json::from_str(&trace.texts[0]).expect("JSON");
            let gas = if tracer == Tracer::Flat { &top["action"]["gas"] } else { &top["gas"] };
            assert_eq!(gas, "0xf4240", "{to:?}");
        }
    }
}

#[test]
fn struct_logs_put_the_cost_of_a_call_at_its_last_instruction() {
    let found = trace(&calling("f1"), SEVEN, STRUCT_LOGS);
    let logs = found["structLogs"].as_array().expect("instructions");
    let call = logs.iter().position(|log| log["op"] == "CALL").expect("the call");
    assert_eq!(logs[call]["gasCost"], 0);
    let last = logs.iter().rposition(|log| log["depth"] == 1).expect("the callee");
    assert!(logs[last]["gasCost"].as_u64() > Some(700));
    assert_eq!(logs[last]["op"], "RETURN");
    assert_eq!(found["result"], json!(format!("{:064x}", 7)));
    assert_eq!(found["reverted"], false);
    let short = Tracer::StructLogs { disable_memory: true, disable_stack: true, disable_storage: true };
    let first = &trace(&calling("f1"), SEVEN, short)["structLogs"][0];
    assert_eq!(first, &json!({"op": "PUSH4", "depth": 0, "pc": 0, "gas": 979_000, "gasCost": 3}));
}

#[test]
fn struct_logs_follow_the_storage() {
    // Stores 7 at 1, loads it, clears it, stops.
    let found = trace("6007600155600154505f600155005b", "", STRUCT_LOGS);
    let logs = found["structLogs"].as_array().expect("instructions");
    let cell = |at: usize| logs[at]["storage"][format!("{:064x}", 1)].clone();
    let seven = json!(format!("{:064x}", 7));
    assert_eq!((cell(2), cell(3), cell(4)), (Value::Null, seven.clone(), seven));
    // SLOAD made a new view. The cleared cell is gone from it, even for instructions that showed it before.
    assert_eq!((cell(5), cell(8)), (Value::Null, Value::Null));
    assert_eq!(found["currentStorage"], json!({}));
    assert_eq!(found["storageSize"], 0);
    assert_eq!(found["error"], "");
}

#[test]
fn constructors_have_no_struct_logs() {
    let found = trace("6000600053600160005ff050", "", STRUCT_LOGS);
    let logs = found["structLogs"].as_array().expect("instructions");
    assert!(logs.iter().all(|log| log["depth"] == 0));
    let create = logs.iter().find(|log| log["op"] == "CREATE").expect("the creation");
    assert_eq!(create["gasCost"], 32_002);
}

#[test]
fn prestate_shows_what_was_touched_and_what_changed() {
    let slot = format!("0x{:064x}", 1);
    let mut state = state("6007600155", "");
    state.cells.insert((CONTRACT.into(), U256::ONE), Bytes::from_static(&[5]));
    let paid = Message { value: U256::from(9), ..message() };
    let run = |diff| {
        let trace = run(state.clone(), paid.clone(), &options(Tracer::Prestate { diff })).expect("a trace");
        serde_json::from_str::<Value>(&trace.texts[0]).expect("JSON")
    };
    let (sender, contract) = (format!("{SENDER:#x}"), format!("{CONTRACT:#x}"));
    let touched = run(false);
    assert_eq!(touched[&sender]["balance"], "0x3b9aca00");
    assert_eq!(touched[&contract]["code"], "0x6007600155");
    assert_eq!(touched[&contract]["storage"][&slot], json!(format!("0x{:064x}", 5)));
    let diff = run(true);
    assert_eq!(diff["post"][&sender], json!({"balance": "0x3b9ac9f7"}));
    assert_eq!(diff["post"][&contract]["storage"][&slot], json!(format!("0x{:064x}", 7)));
    assert_eq!(diff["post"][&contract]["balance"], "0x9");
    assert_eq!(diff["pre"][&contract]["storage"][&slot], json!(format!("0x{:064x}", 5)));
    assert_eq!(diff["pre"].as_object().map(serde_json::Map::len), Some(2));
}

#[test]
fn selectors_are_counted_with_the_size_of_their_arguments() {
    let found =
        trace(&format!("{}{}", &calling("f1")[..calling("f1").len() - 8], calling("f4")), SEVEN, Tracer::FourByte);
    assert_eq!(found, json!({"0xaabbccdd-0": 2}));
}

#[test]
fn a_loop_ends_at_the_limit_of_bytes_or_by_the_flag() {
    let endless = state("5b600056", "");
    let limited = TraceOptions { max_bytes: 10_000, ..options(STRUCT_LOGS) };
    assert!(matches!(run(endless.clone(), message(), &limited), Err(TraceError::TooLarge(10_000))));
    let raised = Arc::new(AtomicBool::new(true));
    let stopped = TraceOptions { interrupt: Some(raised.into()), ..options(CALLS) };
    let Err(TraceError::Transaction(TransactionError::Execution(ExecutionError::Interrupted))) =
        run(endless, message(), &stopped)
    else {
        panic!("not interrupted")
    };
    // Many calls, each with little data.
    let calls = state(&format!("5b5f5f5f5f5f73{OTHER:x}5af150600056").replace("0x", ""), "00");
    let few = TraceOptions { max_bytes: 2_000, ..options(Tracer::Flat) };
    assert!(matches!(run(calls, message(), &few), Err(TraceError::TooLarge(2_000))));
}

#[test]
fn geth_logs_have_costs_depths_cells_and_the_error_of_what_halted() {
    const GETH: Tracer = Tracer::GethLogs { memory: true, stack: true, storage: true, return_data: true, limit: 0 };
    // The callee stores 7 at 1, loads it, and halts.
    let found = trace(&calling("f1"), "6007600155600154fe", GETH);
    assert_eq!(found["failed"], false);
    let logs = found["structLogs"].as_array().expect("entries");
    let of = |name: &str| logs.iter().find(|log| log["op"] == name).expect(name);
    assert_eq!(logs[0], json!({"pc": 0, "op": "PUSH4", "gas": logs[0]["gas"], "gasCost": 3, "depth": 1, "stack": []}));
    assert!(of("CALL")["gasCost"].as_u64().expect("a number") > 65_535, "with the gas handed on");
    assert_eq!(of("MSTORE").get("memory"), None, "there is none yet");
    assert_eq!(of("CALL")["memory"][0], format!("{:0>64}", "aabbccdd"));
    assert_eq!(of("SSTORE")["depth"], 2);
    let (slot, seven) = (format!("{:064x}", 1), format!("{:064x}", 7));
    assert_eq!(of("SSTORE")["storage"], json!({slot.clone(): seven.clone()}));
    assert_eq!(of("SLOAD")["storage"], json!({slot: seven}));
    let halted: Vec<_> = logs.iter().filter(|log| log.get("error").is_some()).collect();
    assert_eq!(halted.len(), 1);
    assert_eq!(halted[0]["error"], "invalid opcode: INVALID");
    assert_eq!(halted[0]["op"], "INVALID");
    assert_eq!(halted[0]["pc"], 8);
    assert_eq!(logs.last().expect("an entry")["depth"], 1, "the caller goes on");
}

#[test]
fn geth_logs_show_constructors_and_keep_their_limit() {
    const BARE: Tracer = Tracer::GethLogs { memory: false, stack: false, storage: false, return_data: false, limit: 4 };
    // CREATE with initcode of one STOP.
    let found = trace(
        "60015f5ff0",
        "",
        Tracer::GethLogs { memory: false, stack: false, storage: false, return_data: false, limit: 0 },
    );
    let ops: Vec<_> = found["structLogs"].as_array().expect("entries").iter().map(|log| &log["op"]).collect();
    assert_eq!(ops, ["PUSH1", "PUSH0", "PUSH0", "CREATE", "STOP", "STOP"]);
    assert_eq!(found["structLogs"][4]["depth"], 2);
    assert!(found["structLogs"][4].get("stack").is_none());
    let cut = trace("60015f5ff0", "", BARE);
    assert_eq!(cut["structLogs"].as_array().expect("entries").len(), 4);
}

#[test]
fn geth_logs_have_its_names_and_the_refund_gathered_so_far() {
    const BARE: Tracer = Tracer::GethLogs { memory: false, stack: false, storage: false, return_data: false, limit: 0 };
    // Sets and clears a cell, calls OTHER, which does the same and then hashes, and hashes.
    let clears = "600760015560006001555f";
    let found =
        trace(&format!("{clears}{}5f5f20", calling("f1").trim_end_matches("60205ff3")), &format!("{clears}5f20"), BARE);
    let logs = found["structLogs"].as_array().expect("entries");
    let refunds: Vec<_> =
        logs.iter().filter(|log| log["op"] == "KECCAK256").map(|log| log["refund"].as_u64()).collect();
    assert_eq!(refunds, [Some(30_000), Some(30_000)]);
    assert_eq!(logs[0].get("refund"), None);
    assert_eq!(logs.iter().find(|log| log["depth"] == 2).expect("the callee")["refund"], 15_000);
    let ended = trace("5fff", "", BARE);
    assert_eq!(ended["structLogs"][1]["op"], "SELFDESTRUCT");
}

#[test]
fn code_of_others_is_found_by_their_address() {
    for opcode in ["f2", "f4"] {
        let call = trace(&calling(opcode), SEVEN, CALLS)["calls"][0].clone();
        assert_eq!((&call["from"], &call["to"]), (&json!(format!("{CONTRACT:#x}")), &json!(format!("{OTHER:#x}"))));
    }
}

#[test]
fn prestate_of_an_account_that_is_paid_is_empty_and_what_is_created_has_none() {
    // Pays 1 to an account that does not exist, and creates an account.
    let program = "5f5f5f5f600161beef61fffff1505f5f5ff050";
    let run = |diff| {
        let trace = run(state(program, "").with_balance(CONTRACT, 5), message(), &options(Tracer::Prestate { diff }));
        serde_json::from_str::<Value>(&trace.expect("a trace").texts[0]).expect("JSON")
    };
    let paid = format!("{:#x}", address!("000000000000000000000000000000000000beef"));
    let diff = run(true);
    assert_eq!(diff["pre"][&paid], json!({"balance": "0x0"}));
    assert_eq!(diff["post"][&paid], json!({"balance": "0x1"}));
    let known: Vec<_> = diff["pre"].as_object().expect("accounts").keys().cloned().collect();
    assert_eq!(known.len(), 2, "{known:?}");
    // The sender, the contract, the receiver of the payment and the account of the fees.
    assert_eq!(run(false).as_object().map(serde_json::Map::len), Some(4));
}
