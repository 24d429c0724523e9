//! Calls and estimates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, Bytes, U256, address, hex};

use super::{
    AccountOverride, CallStatus, EstimateError, EstimateInput, LocalCall, Message, SimulatedBlock, SimulatedCall,
    ValueTransfer, call, call_in, estimate_gas, simulate,
};
use crate::error::{ExecutionError, HaltKind, TransactionError};
use crate::frames::Workspace;
use crate::testing::{MemoryState, all_rules, context};

const SENDER: Address = address!("1000000000000000000000000000000000000001");
const CONTRACT: Address = address!("2000000000000000000000000000000000000002");

fn code(text: &str) -> Bytes {
    hex::decode(text).expect("hex digits").into()
}

fn state(contract: &str) -> MemoryState {
    MemoryState::default().with_balance(SENDER, 1_000_000_000).with_code(CONTRACT, code(contract))
}

fn message() -> Message {
    Message { from: Some(SENDER), to: Some(CONTRACT), ..Message::default() }
}

fn local(message: Message, overrides: &[AccountOverride]) -> LocalCall<'_> {
    LocalCall { context: context(all_rules()), message, gas: 1_000_000, overrides, interrupt: None, effort: None }
}

#[test]
fn a_call_answers_and_charges_no_one() {
    // Returns BALANCE of the caller: nothing was bought.
    let outcome = call(&local(message(), &[]), state("33315f5260205ff3").shared()).expect("a call");
    assert_eq!(outcome.status, CallStatus::Success);
    assert_eq!(U256::from_be_slice(&outcome.output), U256::from(1_000_000_000));
    assert_eq!(outcome.gas_used, 21_000 + 2 + 400 + 2 + 3 + 3 + 3 + 2);
}

#[test]
fn a_call_may_send_more_than_there_is() {
    let message = Message { value: U256::from(2_000_000_000), ..message() };
    let outcome = call(&local(message, &[]), state("345f5260205ff3").shared()).expect("a call");
    assert_eq!(U256::from_be_slice(&outcome.output), U256::from(2_000_000_000));
}

#[test]
fn reverts_and_halts_are_told_apart() {
    let reverted = call(&local(message(), &[]), state("602a5f5260205ffd").shared()).expect("a call");
    assert_eq!(reverted.status, CallStatus::Revert);
    assert_eq!(U256::from_be_slice(&reverted.output), U256::from(42));
    let halted = call(&local(message(), &[]), state("fe").shared()).expect("a call");
    assert!(matches!(halted.status, CallStatus::Halt(halt) if halt.kind == HaltKind::InvalidOpcode(0xfe)));
    assert!(halted.output.is_empty());
}

#[test]
fn overrides_replace_balance_code_and_cells() {
    let mut stored = state("00");
    let cell = |key: u64| (CONTRACT.into(), U256::from(key));
    stored.cells.insert(cell(1), Bytes::from_static(&[7]));
    stored.cells.insert(cell(2), Bytes::from_static(&[8]));
    // Returns cells 1, 2 and the balance.
    let program = code("6001545f526002546020524760405260605ff3");
    let read = |overrides: AccountOverride| {
        let overrides = [AccountOverride { address: CONTRACT, code: Some(program.clone()), ..overrides }];
        let outcome = call(&local(message(), &overrides), stored.clone().shared()).expect("a call");
        assert_eq!(outcome.status, CallStatus::Success);
        let word = |at: usize| U256::from_be_slice(&outcome.output[32 * at..][..32]).to::<u64>();
        (word(0), word(1), word(2))
    };
    assert_eq!(read(AccountOverride::default()), (7, 8, 0));
    let slot = (U256::from(1), U256::from(9));
    assert_eq!(read(AccountOverride { state_diff: vec![slot], ..AccountOverride::default() }), (9, 8, 0));
    assert_eq!(read(AccountOverride { state: Some(vec![slot]), ..AccountOverride::default() }), (9, 0, 0));
    let rich = AccountOverride { balance: Some(U256::from(5)), ..AccountOverride::default() };
    assert_eq!(read(rich), (7, 8, 5));
}

#[test]
fn a_raised_flag_stops_a_loop() {
    let flag = Arc::new(AtomicBool::new(false));
    let mut call_forever = local(message(), &[]);
    call_forever.gas = i64::MAX as u64 - 1;
    call_forever.interrupt = Some(flag.clone().into());
    let raise = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        flag.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    let result = call(&call_forever, state("5b5f56").shared());
    assert!(matches!(result, Err(TransactionError::Execution(ExecutionError::Interrupted))));
    assert!(start.elapsed() < Duration::from_secs(5));
    raise.join().expect("the raising thread");
}

/// A state that raises a flag when a cell is read.
struct RaisesOnRead(MemoryState, Arc<AtomicBool>);

impl StateReader for RaisesOnRead {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        self.0.account(account)
    }
    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        self.0.code_info(account)
    }
    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        self.0.code(account)
    }
    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.0.is_contract(account)
    }
    fn storage(&self, account: &AccountRef, key: &U256) -> Result<Option<Bytes>, StateError> {
        self.1.store(true, Ordering::Relaxed);
        self.0.storage(account, key)
    }
    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        self.0.storage_cells(account, after, limit)
    }
}

#[test]
fn a_raised_flag_is_seen_behind_a_long_instruction() {
    let run = |program: &str, interruptible: bool| {
        let flag = Arc::new(AtomicBool::new(false));
        let mut call_once = local(message(), &[]);
        call_once.interrupt = interruptible.then(|| flag.clone().into());
        call(&call_once, Arc::new(RaisesOnRead(state(program), flag)))
    };
    let is_interrupted = |result| matches!(result, Err(TransactionError::Execution(ExecutionError::Interrupted)));
    // A read that raises the flag, the hash of 64 KiB, and four instructions more: much less than between two checks.
    let long = "5f54620100005f20505f505f50";
    assert!(is_interrupted(run(long, true)));
    assert!(!is_interrupted(run(long, false)));
    // With a hash of 32 bytes it ends before the next check.
    assert!(!is_interrupted(run("5f5460205f20505f505f50", true)));
}

#[test]
fn a_raised_flag_ends_contracts_of_the_network() {
    let address = |text: &str| -> Address { text.parse().expect("an address") };
    // 2^(2^64) modulo a number of 8 bytes; a pairing of infinities; a round; the height of the Bitcoin chain.
    let power = ["01", "09", "08"].map(|length| format!("{length:0>64}")).concat()
        + "02"
        + "01"
        + &"00".repeat(8)
        + &"fb".repeat(8);
    let round = format!("00000001{}01", "00".repeat(208));
    let contracts = [
        ("0x0000000000000000000000000000000000000005", power),
        ("0x0000000000000000000000000000000000000008", "00".repeat(192)),
        ("0x0000000000000000000000000000000000000009", round),
        ("0x0000000000000000000000000000000001000006", "14c89c01".into()),
    ];
    for (contract, data) in contracts {
        let size = data.len() / 2;
        // Copies the call data and passes them on with all gas; returns whether that succeeded.
        let hand_on = format!("365f5f375f5f365f73{}5afa5f5260205ff3", &contract[2..]);
        for through in [false, true] {
            let to = if through { CONTRACT } else { address(contract) };
            let run = |raised: bool| {
                let flag = Arc::new(AtomicBool::new(raised));
                let message = Message { to: Some(to), data: code(&data), ..message() };
                let interrupt = Some(flag.into());
                call(&LocalCall { interrupt, ..local(message, &[]) }, state(&hand_on).shared())
            };
            assert_eq!(run(false).expect("ends").status, CallStatus::Success, "{contract}, {size} bytes");
            let interrupted = matches!(run(true), Err(TransactionError::Execution(ExecutionError::Interrupted)));
            assert!(interrupted, "{contract}, {size} bytes");
        }
    }
}

#[test]
fn an_effort_ends_what_is_long_and_changes_nothing_else() {
    let run = |program: &str, effort: u64| {
        let mut call_briefly = local(message(), &[]);
        call_briefly.effort = Some(effort);
        call(&call_briefly, state(program).shared())
    };
    let too_long = |program: &str, effort: u64| {
        matches!(run(program, effort), Err(TransactionError::Execution(ExecutionError::TooLong)))
    };
    // Counts down from 200, 29 gas each time: 5,800 and some.
    let loops = "60c85b6001900380600257005b";
    assert!(!too_long(loops, 10_000) && too_long(loops, 5_000));
    // Reads three cells for 200 gas each, and each counts for more than that.
    let reads = "5f54506001545060025450";
    assert!(!too_long(reads, 5_000) && too_long(reads, 2_000));
    // A megabyte of memory, even at its low price.
    assert!(too_long("620fffff51", 1_000_000));
    // Calls identity, then modular exponentiation.
    let precompile = |number: &str| format!("5f5f5f5f5f60{number}5af15f5260205ff3");
    assert!(!too_long(&precompile("04"), 50_000) && too_long(&precompile("05"), 50_000));
    for program in ["33315f5260205ff3", "602a5f5260205ffd", "fe", &precompile("04")] {
        let brief = run(program, 50_000).expect("a short call");
        let whole = call(&local(message(), &[]), state(program).shared()).expect("a call");
        assert_eq!((brief.status, brief.output, brief.gas_used), (whole.status, whole.output, whole.gas_used));
    }
}

#[test]
fn memory_of_ended_engines_holds_nothing_of_them() {
    let mut workspace = Workspace::default();
    // Fills memory and leaves words on the stack; returns MSIZE and the first word of memory, which are zero.
    let fills = state("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5f5260016002600300");
    let looks = state("595f515f5260205260405ff3");
    for _ in 0..3 {
        call_in(&local(message(), &[]), fills.clone().shared(), &mut workspace).expect("a call");
        let outcome = call_in(&local(message(), &[]), looks.clone().shared(), &mut workspace).expect("a call");
        assert_eq!(outcome.output, Bytes::from(vec![0; 64]));
    }
}

fn estimate(message: Message, state: MemoryState, cap: u64) -> Result<u64, EstimateError> {
    let input =
        EstimateInput { context: context(all_rules()), message, cap, overrides: &[], interrupt: None, effort: None };
    estimate_gas(&input, state.shared())
}

#[test]
fn an_estimate_suffices_and_is_close() {
    // Clears a cell: 15,000 are refunded but must be there first.
    let mut clearing = state("5f5f55");
    clearing.cells.insert((CONTRACT.into(), U256::ZERO), Bytes::from_static(&[1]));
    let gas = estimate(message(), clearing, 6_800_000).expect("an estimate");
    assert!((26_004..=26_004 + 26_004 / 50).contains(&gas), "{gas}");
    // A transfer needs exactly its intrinsic gas.
    let transfer = Message { to: Some(SENDER), value: U256::ONE, ..message() };
    assert_eq!(estimate(transfer, state("00"), 6_800_000).expect("an estimate"), 21_000);
}

#[test]
fn an_estimate_covers_gas_that_is_only_asked_for() {
    // Reverts unless it has 200,000 gas at the start, and uses little of it.
    let gas = estimate(message(), state("62030d405a11600c575f5ffd5b00"), 6_800_000).expect("an estimate");
    let least = 21_000 + 200_000 + 3 + 2 + 1;
    assert!((least..=least + least / 50).contains(&gas), "{gas}");
}

#[test]
fn estimates_fail_with_their_reasons() {
    let poor = Message { value: U256::from(2_000_000_000), ..message() };
    assert!(matches!(estimate(poor, state("00"), 100_000), Err(EstimateError::Funds { .. })));
    let unpayable = Message { gas_price: U256::from(1_000_000), ..message() };
    assert!(matches!(estimate(unpayable, state("00"), 100_000), Err(EstimateError::Funds { .. })));
    assert!(
        matches!(estimate(message(), state("5f5ffd"), 100_000), Err(EstimateError::Revert(data)) if data.is_empty())
    );
    let stuck = estimate(message(), state("5b5f56"), 100_000);
    assert!(matches!(stuck, Err(EstimateError::Allowance { allowance: 100_000, halt: Some(_) })));
    let tiny = estimate(message(), state("00"), 20_000);
    assert!(matches!(tiny, Err(EstimateError::Allowance { allowance: 20_000, halt: None })));
    let invalid = estimate(message(), state("fe"), 100_000).expect_err("it halts whatever the gas");
    assert_eq!(invalid.to_string(), "Invalid operation code: opcode[fe]: invalid opcode: INVALID");
    // An unnamed sender can send any amount.
    let unnamed = Message { from: None, value: U256::from(5), ..message() };
    assert_eq!(estimate(unnamed, state("00"), 100_000).expect("an estimate"), 21_000);
}

const HEIR: Address = address!("3000000000000000000000000000000000000003");

/// The payments of calls of CONTRACT with 9 wei, in a block of their own.
fn payments(contract: &str, others: &[(Address, &str)], calls: usize) -> Vec<Vec<ValueTransfer>> {
    let mut stored = state(contract);
    for (address, program) in others {
        stored = stored.with_code(*address, code(program));
    }
    let message = Message { value: U256::from(9), ..message() };
    let call = SimulatedCall { message, gas: 200_000, cut: false, nonce: None };
    let block = SimulatedBlock { context: context(all_rules()), overrides: Vec::new(), calls: vec![call; calls] };
    let outcomes = simulate(vec![block], false, stored.shared(), None).expect("a simulation");
    let nonces: Vec<_> = outcomes[0].iter().map(|outcome| outcome.nonce).collect();
    assert_eq!(nonces, (0..calls as u64).map(U256::from).collect::<Vec<_>>());
    outcomes.into_iter().flatten().map(|outcome| outcome.transfers).collect()
}

fn transfer(logs_before: usize, from: Address, to: Address, value: u64) -> ValueTransfer {
    ValueTransfer { logs_before, from, to, value: U256::from(value) }
}

#[test]
fn simulations_say_who_paid_whom_between_the_logs() {
    // Logs, pays HEIR 4 wei, logs, destroys itself in favour of HEIR.
    let pays = format!("5f5fa05f5f5f5f600473{HEIR:x}5af1505f5fa073{HEIR:x}ff").replace("0x", "");
    let expected =
        vec![transfer(0, SENDER, CONTRACT, 9), transfer(1, CONTRACT, HEIR, 4), transfer(2, CONTRACT, HEIR, 5)];
    assert_eq!(payments(&pays, &[], 1), [expected]);
}

#[test]
fn simulations_forget_the_payments_of_what_was_undone() {
    // HEIR sends 2 wei on, then reverts; the caller continues.
    let pays = format!("5f5f5f5f600473{HEIR:x}5af100").replace("0x", "");
    let reverts = format!("5f5f5f5f600273{SENDER:x}5af15f5ffd").replace("0x", "");
    assert_eq!(payments(&pays, &[(HEIR, &reverts)], 2), vec![vec![transfer(0, SENDER, CONTRACT, 9)]; 2]);
    assert_eq!(payments("5f5ffd", &[], 1), [Vec::new()]);
}
