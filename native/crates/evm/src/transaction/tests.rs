//! Ends of frames for which the reference has no message (evm.md §8 row 5). A transaction whose own frame ends so is in
//! no block; below it, and in local calls, they are ordinary halts.

use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{Address, B256, Bytes, U256, address, hex};

use super::Transaction;
use crate::block::{BlockError, BlockInput, BuiltBlock, Candidates, build_block, execute_block};
use crate::error::{HaltKind, InvalidTransaction};
use crate::host::BlockContext;
use crate::local::{CallStatus, EstimateError, EstimateInput, LocalCall, Message, call, estimate_gas};
use crate::testing::{MemoryState, all_rules, context};
use crate::trace::{TraceOptions, Tracer, trace_call};

const FAULTY: Address = address!("f000000000000000000000000000000000000001");
const CALLER: Address = address!("c000000000000000000000000000000000000001");
const SENDER: Address = address!("5000000000000000000000000000000000000001");
/// Returns the top word.
const RET: &str = "60005260206000f3";

/// STATICCALL to account 0 with so many words on the stack, of which the value would be the third.
fn static_call(words: usize) -> String {
    format!("{}5afa{RET}", "6000".repeat(words - 1))
}

/// Calls FAULTY with 100,000 gas and returns the word that CALL pushed.
fn calls_faulty() -> String {
    format!("600060006000600060007{}620186a0f1{RET}", format_args!("3{FAULTY:x}"))
}

/// Faults without message: rules, and the code of a contract that ends so.
fn faults() -> [(RuleSet, String); 2] {
    let bridge = format!("6000600060006000600063010000065af1{RET}");
    [(before(Rule::Rskip103), static_call(6)), (before(Rule::Rskip88), bridge)]
}

fn before(rule: Rule) -> RuleSet {
    all_rules().without(rule).without(Rule::Rskip144)
}

fn bytes(text: &str) -> Bytes {
    hex::decode(text).expect("hex digits").into()
}

fn state(faulty: &str) -> MemoryState {
    MemoryState::default()
        .with_balance(SENDER, 1_000_000_000)
        .with_code(FAULTY, bytes(faulty))
        .with_code(CALLER, bytes(&calls_faulty()))
}

fn block(rules: RuleSet) -> BlockContext {
    // So early that REMASC has nothing to pay yet.
    let mut context = context(rules);
    context.block.number = 1;
    context
}

fn transaction(nonce: u64, to: Option<Address>, data: Bytes) -> Transaction {
    Transaction {
        hash: B256::with_last_byte(nonce as u8 + 1),
        sender: SENDER.into(),
        nonce: U256::from(nonce),
        gas_price: U256::ONE,
        gas_limit: 300_000,
        to,
        value: U256::ZERO,
        data,
        signature_accepted: true,
        signature: None,
        remasc: false,
    }
}

fn build(rules: RuleSet, transactions: &[Transaction], faulty: &str) -> BuiltBlock {
    let candidates = Candidates { context: block(rules), transactions };
    build_block(&candidates, state(faulty).shared()).expect("the state can be read")
}

fn execute(rules: RuleSet, transactions: &[Transaction], faulty: &str) -> Result<Vec<bool>, BlockError> {
    let input = BlockInput {
        context: block(rules),
        transactions,
        edges: None,
        interrupt: None,
        one_thread: true,
        system_contracts_in_parallel: false,
    };
    let outcome = execute_block(&input, state(faulty).shared())?;
    Ok(outcome.transactions.iter().map(|transaction| transaction.receipt.succeeded).collect())
}

fn is_internal(reason: &InvalidTransaction) -> bool {
    matches!(reason, InvalidTransaction::Internal(_))
}

#[test]
fn a_transaction_whose_own_frame_ends_so_is_in_no_block() {
    for (rules, faulty) in faults() {
        let ends = [transaction(0, Some(FAULTY), Bytes::new()), transaction(0, None, bytes(&faulty))];
        for bad in ends {
            let good = transaction(0, Some(SENDER), Bytes::new());
            let candidates = [bad.clone(), good.clone()];
            let built = build(rules, &candidates, &faulty);
            assert_eq!(built.included, [1], "the nonce is that of before");
            assert_eq!(built.skipped.len(), 1);
            assert!(is_internal(&built.skipped[0].reason));
            let alone = build(rules, std::slice::from_ref(&good), &faulty).outcome;
            assert_eq!(built.outcome.gas_used, alone.gas_used);
            assert_eq!(built.outcome.write_set.accounts, alone.write_set.accounts, "and nothing is charged");

            let refused = execute(rules, &[bad, good], &faulty).expect_err("an invalid block");
            assert!(matches!(refused, BlockError::Transaction { index: 0, reason } if is_internal(&reason)));
        }
    }
}

#[test]
fn below_it_the_frame_halts() {
    for (rules, faulty) in faults() {
        let candidates = [transaction(0, Some(CALLER), Bytes::new()), transaction(1, None, bytes(&calls_faulty()))];
        assert_eq!(execute(rules, &candidates, &faulty).expect("a valid block"), [true, true]);
        let outcome = build(rules, &candidates, &faulty).outcome;
        for transaction in &outcome.transactions {
            assert_eq!(U256::from_be_slice(&transaction.output), U256::ZERO, "CALL pushed zero");
            assert!(transaction.receipt.gas_used > 100_000, "all gas of the frame is gone");
        }
    }
}

#[test]
fn a_local_call_has_no_receipt() {
    for (rules, faulty) in faults() {
        let message = |to| Message { from: Some(SENDER), to: Some(to), ..Message::default() };
        let local = |to| LocalCall {
            context: block(rules),
            message: message(to),
            gas: 200_000,
            overrides: &[],
            interrupt: None,
            effort: None,
        };
        let halted = call(&local(FAULTY), state(&faulty).shared()).expect("an answer");
        assert!(matches!(&halted.status, CallStatus::Halt(halt) if halt.kind.has_no_message()));
        assert_eq!((halted.output.len(), halted.gas_used), (0, 200_000));
        let nested = call(&local(CALLER), state(&faulty).shared()).expect("an answer");
        assert_eq!((nested.status, U256::from_be_slice(&nested.output)), (CallStatus::Success, U256::ZERO));

        let tracer = Tracer::Calls { only_top_call: false, with_log: false };
        let options = TraceOptions { tracer, max_bytes: 1 << 20, max_initial_cells: 0, interrupt: None };
        for to in [FAULTY, CALLER] {
            let trace = trace_call(&local(to), state(&faulty).shared(), &options).expect("a trace");
            let tree: serde_json::Value = serde_json::from_str(&trace.texts[0]).expect("JSON");
            let frame = if to == FAULTY { &tree } else { &tree["calls"][0] };
            let expected = match halted.status {
                CallStatus::Halt(ref halt) if halt.kind == HaltKind::MissingValue => "stack underflow",
                _ => "contracts cannot call the Bridge before RSKIP88",
            };
            assert_eq!((&frame["error"], &tree["calls"][0]["error"].is_null()), (&expected.into(), &(to == FAULTY)));
        }

        let estimate = |to| {
            let input = EstimateInput {
                context: block(rules),
                message: message(to),
                cap: 300_000,
                overrides: &[],
                interrupt: None,
                effort: None,
            };
            estimate_gas(&input, state(&faulty).shared())
        };
        assert!(matches!(estimate(FAULTY), Err(EstimateError::Invalid(reason)) if is_internal(&reason)));
        assert!(estimate(CALLER).is_ok());
    }
}

/// evm.md §1.3, RSKIP103.
#[test]
fn only_a_missing_value_is_told_from_too_few_words() {
    let ends = |rules, words| execute(rules, &[transaction(0, Some(FAULTY), Bytes::new())], &static_call(words));
    let until = before(Rule::Rskip103);
    assert_eq!(ends(until, 5).expect("a plain halt"), [false]);
    assert!(ends(until, 6).is_err());
    assert_eq!(ends(until, 7).expect("a call with value 0"), [true]);
    assert_eq!(ends(before(Rule::Rskip144), 5).expect("a plain halt"), [false]);
    assert_eq!(ends(before(Rule::Rskip144), 6).expect("a call without a value"), [true]);
}

/// Gas in receipts of the reference for the same contracts on regtest without RSKIP103.
#[test]
fn gas_is_what_the_reference_used() {
    let until = before(Rule::Rskip103);
    let gas = |words, to| {
        let built = build(until, &[transaction(0, Some(to), Bytes::new())], &static_call(words));
        built.outcome.transactions[0].receipt.gas_used
    };
    assert_eq!(gas(6, CALLER), 121_736);
    assert_eq!(gas(7, FAULTY), 21_735);
    assert_eq!(gas(5, FAULTY), 300_000);
}
