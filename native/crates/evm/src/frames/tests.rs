//! The small frame vectors of evm.md §7 (V1 to V21).

use revm_interpreter::CallInput;
use revm_interpreter::interpreter::InputsImpl;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{Address, B256, Bytes, U256, address, hex};

use super::{Evm, FrameResult, NewFrame};
use crate::code::initcode_entry;
use crate::internal_transaction::FrameTransaction;
use crate::journal::Journal;
use crate::testing::{MemoryState, all_rules, context};
use crate::trace::{FrameStatus, NoInspector};

const SELF: Address = address!("cd2a3d9f938e13cd947ec05abc7fe734df8dd826");
const MISSING: Address = address!("00000000000000000000000000000000deadbeef");
const GAS: u64 = 6_000_000;
/// Stores the top word and returns it.
const RET: &str = "5f5260205ff3";

fn number(last: u64) -> Address {
    Address::from_word(U256::from(last).into())
}

/// Runs code as the account itself with 6,000,000 gas.
fn run_in(rules: RuleSet, existing: &[Address], code: &str) -> (FrameResult, Evm) {
    let state = existing.iter().fold(MemoryState::default(), |state, id| state.with_balance(*id, 0));
    let mut evm = Evm::new(context(rules), Journal::new(state.with_balance(SELF, 1000).shared()));
    let code = Bytes::from(hex::decode(code).expect("hex digits"));
    let frame = NewFrame {
        entry: initcode_entry(&code),
        input: InputsImpl {
            target_address: SELF,
            bytecode_address: Some(SELF),
            caller_address: SELF,
            input: CallInput::default(),
            call_value: U256::ZERO,
            depth: 0,
        },
        is_static: false,
        gas: GAS,
        transaction: FrameTransaction::Known(B256::ZERO),
    };
    let result = evm.run_top(frame, &mut NoInspector).expect("a readable state");
    (result, evm)
}

fn run(existing: &[Address], code: &str) -> (FrameResult, Evm) {
    run_in(all_rules(), existing, code)
}

/// Output as a number, and gas used.
fn metadata(result: &FrameResult) -> (U256, u64) {
    (U256::from_be_slice(&result.output), GAS - result.gas_left)
}

#[track_caller]
fn expect(existing: &[Address], code: &str, output: impl TryInto<U256, Error: std::fmt::Debug>, gas: u64) {
    let (result, _) = run(existing, code);
    assert_eq!(metadata(&result), (output.try_into().expect("a word"), gas));
}

#[test]
fn v1_reverted_create_leaves_no_return_data() {
    expect(&[], &format!("6460206000fd5f526005601b5ff0503d{RET}"), U256::ZERO, 32_044);
}

#[test]
fn v2_v3_precompiles_are_found_by_the_whole_word() {
    expect(&[], &format!("60013b{RET}"), U256::MAX, 716);
    expect(&[], &format!("7f01{}013b{RET}", "00".repeat(30)), U256::ZERO, 716);
}

#[test]
fn v4_v5_a_call_pays_for_a_missing_account_and_for_value() {
    let call = |value: &str, target: Address| format!("5a5f5f5f5f{value}73{target:x}5ff1505a9003{RET}");
    let missing = format!("5a5f5f5f5f5f73{MISSING:x}5af1505a9003{RET}");
    expect(&[], &missing, U256::from(25_719), 25_740);
    expect(&[MISSING], &call("6001", MISSING), U256::from(9_720), 9_741);
}

#[test]
fn v6_input_beyond_the_maximum_is_paid_but_not_there() {
    let code = format!("5f5f6102005f5f60015af15059{RET}");
    expect(&[number(1)], &code, U256::from(0x80), 3_778);
    let (result, _) = run_in(all_rules().without(Rule::Rskip516), &[number(1)], &code);
    assert_eq!(metadata(&result), (U256::from(0x200), 3_778));
}

#[test]
fn v7_static_call_creates_the_account() {
    let (_, mut evm) = run(&[], &format!("5f5f5f5f73{MISSING:x}5afa"));
    assert!(evm.journal_mut().exists(MISSING.into()).expect("readable"));
}

#[test]
fn v8_v10_blake2f_fails_cheaply_and_is_cut() {
    let (result, _) = run(&[number(9)], &format!("5a5f5f60015f5f600961fffff1505a9003{RET}"));
    assert_eq!(metadata(&result).0, U256::from(0x2d4));
    let (result, _) = run(&[number(9)], &format!("5f5f61012c5f5f600961fffff1{RET}"));
    assert_eq!(metadata(&result).0, U256::ONE);
}

#[test]
fn v9_v11_refunds_of_constructors_are_lost() {
    let (result, _) = run(&[], &format!("6660015f555f5f555f52600760195ff0{RET}"));
    assert_eq!((GAS - result.gas_left, result.refund), (57_040, 0));
    let (result, _) = run(&[], "60015f555f5f55");
    assert_eq!((GAS - result.gas_left, result.refund), (25_009, 15_000));
}

#[test]
fn v12_dupn_skips_a_byte() {
    let until_papyrus = [Rule::Rskip120, Rule::Rskip125, Rule::Rskip126, Rule::Rskip140, Rule::Rskip150];
    let (result, _) = run_in(until_papyrus.into_iter().collect(), &[], "602a6000a8fe60005260206000f3");
    assert_eq!(metadata(&result), (U256::from(0x2a), 24));
}

#[test]
fn v13_execution_starts_after_the_header() {
    expect(&[], &format!("fc0000025b5b602a{RET}"), U256::from(0x2a), 16);
    let (result, _) = run(&[], "fc0000ff602a");
    assert!(matches!(result.status, FrameStatus::Halt(_)));
    assert_eq!(result.gas_left, 0);
}

/// `ecrecover(hash, v, Gx, 5)` by CALL, returning its output.
fn recover(hash: u8, v: &str) -> (FrameResult, Evm) {
    let gx = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let store = format!("60{hash:02x}5f527f{v}6020527f{gx}6040526005606052");
    run(&[number(1)], &format!("{store}60205f60805f5f60015af15060205ff3"))
}

#[test]
fn v14_v15_ecrecover_knows_infinity_and_reads_one_byte_of_v() {
    let v27 = format!("{}1b", "00".repeat(31));
    let low = |result: &FrameResult| Address::from_slice(&result.output[12..]);
    assert_eq!(low(&recover(5, &v27).0), address!("dcc703c0e500b653ca82273b7bfad8045d85a470"));
    let dirty = format!("{}1b", "ff".repeat(31));
    assert_eq!(low(&recover(7, &dirty).0), address!("bfe50111d3c73a6fd6cc132985b0227ea4508b32"));
}

#[test]
fn v16_a_refused_create_keeps_the_return_data() {
    expect(&[number(4)], &format!("5f5f60035f5f60045af1505f5f6207a120f0503d{RET}"), U256::from(3), 32_760);
}

#[test]
fn v17_delegate_call_marks_a_missing_precompile() {
    let (_, mut evm) = run(&[], "5f5f5f5f60045af4");
    let journal = evm.journal_mut();
    assert!(!journal.exists(number(4).into()).expect("readable"));
    assert!(journal.is_contract(number(4).into()).expect("readable"));
}

#[test]
fn v18_selfdestruct_to_a_missing_account() {
    let (result, _) = run(&[], &format!("73{MISSING:x}ff"));
    assert_eq!(GAS - result.gas_left, 30_003);
}

/// getCoinbaseAddress of BlockHeader with the given bytes after the selector, by CALL: success and return size.
fn coinbase(argument: &str) -> (U256, U256) {
    let selector = hex::encode(&rhizome_crypto::keccak256(b"getCoinbaseAddress(int256)")[..4]);
    let length = 4 + argument.len() / 2;
    let store = match argument.len() {
        0 => String::new(),
        _ => format!("7f{argument}600452"),
    };
    let prefix = format!("63{selector}60e01b5f52{store}5f5f60{length:02x}5f5f6301000010620186a0f1");
    let target = number(0x0100_0010);
    let (success, _) = run(&[target], &format!("{prefix}{RET}"));
    let (size, _) = run(&[target], &format!("{prefix}503d{RET}"));
    (metadata(&success).0, metadata(&size).0)
}

#[test]
fn v19_v20_v21_block_header_depths() {
    // A depth beyond the chain or the limit returns empty bytes; a negative depth fails; a missing depth is depth 0.
    assert_eq!(coinbase(&format!("{:064x}", 4000)), (U256::ONE, U256::from(96)));
    assert_eq!(coinbase(&"f".repeat(64)), (U256::ZERO, U256::ZERO));
    assert_eq!(coinbase(""), (U256::ONE, U256::from(96)));
}

#[test]
fn recursion_ends_at_depth_400() {
    // Calls itself and counts the frames in cell 0.
    let state = MemoryState::default()
        .with_balance(SELF, 0)
        .with_code(SELF, hex::decode("5f546001015f555f5f5f5f5f305af1").expect("hex digits"));
    let mut evm = Evm::new(context(all_rules()), Journal::new(state.shared()));
    let code = evm.journal_mut().code(SELF.into()).expect("readable").expect("code");
    let frame = NewFrame {
        entry: code.entry(),
        input: InputsImpl { target_address: SELF, caller_address: SELF, ..InputsImpl::default() },
        is_static: false,
        gas: 1 << 40,
        transaction: FrameTransaction::Known(B256::ZERO),
    };
    let result = evm.run_top(frame, &mut NoInspector).expect("a readable state");
    assert_eq!(result.status, FrameStatus::Success);
    assert_eq!(evm.journal_mut().cell(SELF.into(), U256::ZERO).expect("readable").word(), Some(U256::from(401)));
}
