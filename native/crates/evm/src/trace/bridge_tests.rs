//! Payments of the Bridge in traces: the amount that it burns when it pays out (evm.md §6.3, bridge.md §4.3).

use rhizome_bridge::recorded::{Federation, ReleaseRequest, Utxo, encode_requests, encode_utxos};
use rhizome_primitives::abi::selector;
use rhizome_primitives::{Address, B256, U256, address};
use serde_json::{Value, json};

use super::{BlockId, TraceOptions, Tracer, trace_block, trace_call};
use crate::block::BlockInput;
use crate::local::{LocalCall, Message};
use crate::testing::{MemoryState, all_rules, context};
use crate::transaction::Transaction;

/// First member of the first federation of regtest.
const MEMBER: Address = address!("6b045752f4d650a510a353bbf7e52988331e7f5b");
const BURNT: Address = Address::repeat_byte(0xff);
/// Change that is left of an output, and what it is raised to, in satoshi.
const CHANGE: i64 = 100;
const MIN_OUTPUT_SATOSHI: i64 = 2_700;
const WEI_PER_SATOSHI: u64 = 10_000_000_000;

/// A Bridge with one output and one request, which leaves too little change.
fn state() -> MemoryState {
    let block = context(all_rules());
    let federation = Federation::genesis(&block.spec.bridge, block.rules).expect("a federation");
    let script = federation.output_script().expect("a script");
    let amount = 1_000_000;
    let transaction = B256::repeat_byte(1);
    let output =
        Utxo { value: amount + CHANGE, script: script.into(), transaction, index: 0, height: 0, coinbase: false };
    let hash = Some(B256::repeat_byte(2));
    let request = ReleaseRequest { destination: [2; 20], amount, transaction_hash: hash };
    let mut state = MemoryState::default().with_balance(rhizome_bridge::ADDRESS, 1 << 60).with_balance(MEMBER, 1 << 60);
    let mut put = |name: &str, cell: Vec<u8>| {
        let word = U256::from_be_slice(name.as_bytes());
        state.cells.insert((rhizome_bridge::ADDRESS.into(), word), cell.into());
    };
    put("newFederationBtcUTXOs", encode_utxos(&[output]));
    put("releaseRequestQueueWithTxHash", encode_requests(&[request], true));
    state
}

fn burnt() -> Value {
    json!(format!("{:#x}", U256::from(MIN_OUTPUT_SATOSHI - CHANGE) * U256::from(WEI_PER_SATOSHI)))
}

fn options(tracer: Tracer) -> TraceOptions {
    TraceOptions { tracer, max_bytes: 1 << 20, max_initial_cells: 0, interrupt: None }
}

fn parsed(texts: &[String]) -> Vec<Value> {
    texts.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
}

/// The method that pays, called by a member.
fn called(tracer: Tracer) -> Vec<Value> {
    let message = Message {
        from: Some(MEMBER),
        to: Some(rhizome_bridge::ADDRESS),
        data: selector("updateCollections()").to_vec().into(),
        ..Message::default()
    };
    let context = context(all_rules());
    let call = LocalCall { context, message, gas: 1_000_000, overrides: &[], interrupt: None, effort: None };
    parsed(&trace_call(&call, state().shared(), &options(tracer)).expect("a trace").texts)
}

/// The same in a block.
fn mined(tracer: Tracer) -> Vec<Value> {
    let transaction = Transaction {
        hash: B256::repeat_byte(3),
        sender: MEMBER.into(),
        nonce: U256::ZERO,
        gas_price: U256::ZERO,
        gas_limit: 1_000_000,
        to: Some(rhizome_bridge::ADDRESS),
        value: U256::ZERO,
        data: selector("updateCollections()").to_vec().into(),
        signature_accepted: true,
        signature: None,
        remasc: false,
    };
    let input = BlockInput {
        context: context(all_rules()),
        transactions: &[transaction],
        edges: None,
        interrupt: None,
        one_thread: true,
        system_contracts_in_parallel: false,
    };
    let id = BlockId { hash: B256::repeat_byte(4), number: 5_000 };
    let traces = trace_block(&input, state().shared(), id, None, &options(tracer)).expect("traces");
    traces.iter().flat_map(|trace| parsed(&trace.texts)).collect()
}

#[test]
fn a_burn_is_a_call_below_the_one_that_pays() {
    for flat in [called(Tracer::Flat), mined(Tracer::Flat)] {
        assert_eq!(flat.len(), 2, "{flat:#?}");
        assert_eq!((&flat[0]["subtraces"], &flat[0]["traceAddress"]), (&json!(1), &json!([])));
        let (top, burn) = (&flat[0]["action"], &flat[1]["action"]);
        assert_eq!(top["to"], json!(format!("{:#x}", rhizome_bridge::ADDRESS)));
        assert_eq!((&flat[1]["type"], &burn["callType"]), (&json!("call"), &json!("call")));
        assert_eq!(flat[1]["traceAddress"], json!([0]));
        assert_eq!(burn["from"], json!(format!("{:#x}", rhizome_bridge::ADDRESS)));
        assert_eq!(burn["to"], json!(format!("{BURNT:#x}")));
        assert_eq!(burn["value"], burnt());
        assert!(flat[1]["error"].is_null());
    }
}

#[test]
fn it_stands_in_the_other_traces_too() {
    let tracer = Tracer::Calls { only_top_call: false, with_log: false };
    for tree in [called(tracer), mined(tracer)] {
        let calls = tree[0]["calls"].as_array().expect("a call below");
        assert_eq!(calls.len(), 1);
        assert_eq!((&calls[0]["type"], &calls[0]["value"]), (&json!("CALL"), &burnt()));
        assert_eq!(calls[0]["to"], json!(format!("{BURNT:#x}")));
    }
}

#[test]
fn the_references_object_has_it() {
    let tracer = Tracer::StructLogs { disable_memory: false, disable_stack: false, disable_storage: false };
    for object in [called(tracer), mined(tracer)] {
        let payments = object[0]["subtraces"].as_array().expect("payments");
        assert_eq!(payments.len(), 1);
        let word = |value: U256| json!(format!("{value:064x}"));
        let invoke = &payments[0]["invokeData"];
        assert_eq!(invoke["ownerAddress"], word(U256::from_be_slice(BURNT.as_slice())));
        let amount = U256::from(MIN_OUTPUT_SATOSHI - CHANGE) * U256::from(WEI_PER_SATOSHI);
        assert_eq!(invoke["callValue"], word(amount));
    }
}
