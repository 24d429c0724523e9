//! Blocks are built from random candidates that conflict in every way. They must execute to the same outcome when their
//! sublists run in parallel.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, address, hex};

use super::{BlockInput, BlockOutcome, BuiltBlock, Candidates, build_block, execute_block};
use crate::error::InvalidTransaction;
use crate::host::BlockContext;
use crate::testing::{MemoryState, all_rules, context};
use crate::transaction::{REMASC_ADDRESS, Transaction};

const BRIDGE: Address = address!("0000000000000000000000000000000001000006");
const SENDERS: u8 = 12;
/// Adds one to the cell that the input names.
const COUNTER: &[u8] = &hex!("600035805460010190550000");
/// Copies the cell that the input names to the caller's own cell.
const READER: &[u8] = &hex!("60003554335500");
/// Like the counter, but reverts.
const REVERTER: &[u8] = &hex!("60003580546001019055600060 00fd");
/// Calls the Bridge and ignores the result.
const BRIDGE_CALLER: &[u8] = &hex!("600060006000600060006301000006 5af15000");
/// Gives its balance to the caller and is deleted.
const MORTAL: &[u8] = &hex!("33ff");
/// Uses all gas.
const BURNER: &[u8] = &hex!("fe");
/// Creates an account at an address of its own, always the same: CREATE2 of empty code with salt 0.
const CREATOR: &[u8] = &hex!("6000600060006000f55000");
/// Creates, with CREATE2 and salt 0, a contract whose constructor is `33ff` and so is deleted.
const MORTAL_CREATOR: &[u8] = &hex!("6133ff6000526000600260 1e6000f55000");

fn contracts() -> Vec<(Address, &'static [u8])> {
    let codes = [COUNTER, COUNTER, READER, REVERTER, BRIDGE_CALLER, MORTAL, MORTAL, BURNER, CREATOR, MORTAL_CREATOR];
    codes.iter().enumerate().map(|(at, code)| (Address::repeat_byte(0xc0 + at as u8), *code)).collect()
}

fn sender(at: u8) -> Address {
    Address::repeat_byte(1 + at)
}

/// xorshift64*, so that every failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn state() -> MemoryState {
    let mut state = MemoryState::default();
    for at in 0..SENDERS {
        state = state.with_balance(sender(at), 10_000_000_000);
    }
    for (at, code) in contracts() {
        state = state.with_code(at, code.to_vec());
    }
    state
}

fn transaction(sender: Address, nonce: u64, to: Option<Address>, gas_limit: u64, data: Bytes) -> Transaction {
    let mut hash = B256::ZERO;
    hash[..20].copy_from_slice(sender.as_slice());
    hash[24..].copy_from_slice(&nonce.to_be_bytes());
    Transaction {
        hash,
        sender: sender.into(),
        nonce: U256::from(nonce),
        gas_price: U256::from(7),
        gas_limit,
        to,
        value: U256::ZERO,
        data,
        signature_accepted: true,
        signature: None,
        remasc: false,
    }
}

fn reward(number: u64) -> Transaction {
    Transaction {
        sender: AccountRef::RemascSender,
        gas_price: U256::ZERO,
        remasc: true,
        ..transaction(Address::ZERO, 0, Some(REMASC_ADDRESS), 0, Bytes::new())
    }
    .with_nonce(number)
}

impl Transaction {
    fn with_nonce(mut self, nonce: u64) -> Self {
        self.nonce = U256::from(nonce);
        self
    }
}

/// Candidates of which some are invalid, some do not fit, and many conflict.
fn random_candidates(random: &mut Random, count: usize) -> Vec<Transaction> {
    let contracts = contracts();
    let mut nonces = [0u64; SENDERS as usize];
    let mut all = Vec::new();
    for _ in 0..count {
        let from = random.below(u64::from(SENDERS)) as u8;
        let slot = U256::from(random.below(6)).to_be_bytes_vec();
        let gas_limit = random.pick(&[21_000, 60_000, 90_000, 200_000, 900_000, 2_500_000]);
        let kind = random.below(20);
        let (to, data) = match kind {
            0..=12 => (Some(random.pick(&contracts).0), slot.into()),
            13..=15 => (Some(sender(random.below(u64::from(SENDERS) + 4) as u8)), Bytes::new()),
            16 => (Some(random.pick(&[BRIDGE, REMASC_ADDRESS])), Bytes::new()),
            _ => (None, Bytes::from_static(&hex!("600160005360016000f3"))),
        };
        let mut made = transaction(sender(from), nonces[usize::from(from)], to, gas_limit, data);
        match random.below(12) {
            0 => made.nonce += U256::from(random.below(3)),
            1 => made.value = U256::from(random.below(20_000_000_000)),
            2 => made.signature_accepted = false,
            _ => made.value = U256::from(random.below(3)),
        }
        nonces[usize::from(from)] += 1;
        all.push(made);
    }
    all
}

fn parallel_context(gas_limit: u64) -> BlockContext {
    let mut context = context(all_rules());
    context.block.gas_limit = gas_limit;
    // So early that REMASC has nothing to pay yet.
    context.block.number = 1;
    context
}

fn build(context: &BlockContext, transactions: &[Transaction], state: &MemoryState) -> BuiltBlock {
    let candidates = Candidates { context: context.clone(), transactions };
    build_block(&candidates, state.clone().shared()).expect("the state can be read")
}

fn execute(
    context: &BlockContext,
    transactions: &[Transaction],
    built: &BuiltBlock,
    state: &MemoryState,
) -> BlockOutcome {
    let included: Vec<Transaction> = built.included.iter().map(|index| transactions[*index].clone()).collect();
    let run = |one_thread| {
        let input = BlockInput {
            context: context.clone(),
            transactions: &included,
            edges: built.edges.as_deref(),
            interrupt: None,
            one_thread,
            system_contracts_in_parallel: false,
        };
        execute_block(&input, state.clone().shared()).expect("the block built is valid")
    };
    run(true);
    run(false)
}

/// Every change, sorted so that the order of execution does not show.
fn changes(writes: &WriteSet) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    all.extend(writes.deleted.iter().map(|change| format!("deleted {change:?}")));
    all.extend(writes.accounts.iter().map(|change| format!("account {change:?}")));
    all.extend(writes.code.iter().map(|change| format!("code {change:?}")));
    all.extend(writes.markers.iter().map(|change| format!("marker {change:?}")));
    all.extend(writes.storage.iter().map(|change| format!("cell {change:?}")));
    all.sort();
    all
}

fn assert_same(built: &BlockOutcome, executed: &BlockOutcome, seed: u64) {
    let receipts = |outcome: &BlockOutcome| -> Vec<Bytes> {
        outcome.transactions.iter().map(|transaction| transaction.receipt.rlp.clone()).collect()
    };
    assert_eq!(receipts(built), receipts(executed), "receipts, seed {seed}");
    assert_eq!(built.gas_used, executed.gas_used, "gas, seed {seed}");
    assert_eq!(built.paid_fees, executed.paid_fees, "fees, seed {seed}");
    assert_eq!(built.logs_bloom, executed.logs_bloom, "bloom, seed {seed}");
    assert_eq!(changes(&built.write_set), changes(&executed.write_set), "state, seed {seed}");
}

#[test]
fn random_blocks_execute_as_built() {
    let state = state();
    let (mut parallel, mut taken_back, mut both) = (0, 0, 0);
    for seed in 1..=400 {
        let mut random = Random(seed);
        let context = parallel_context(random.pick(&[8_000_000, 10_000_000, 12_000_000, 30_000_000]));
        let count = 20 + random.below(120) as usize;
        let mut candidates = random_candidates(&mut random, count);
        candidates.push(reward(0));
        let built = build(&context, &candidates, &state);
        let executed = execute(&context, &candidates, &built, &state);
        assert_same(&built.outcome, &executed, seed);
        assert_eq!(built.included.len() + built.skipped.len(), candidates.len(), "seed {seed}");
        let edges = built.edges.as_deref().expect("a block with sublists");
        parallel += edges.last().map_or(0, |last| usize::from(*last));
        both += usize::from(edges.len() == 2);
        taken_back += built.skipped.iter().filter(|skipped| is_no_gas(&skipped.reason)).count();
    }
    // The candidates must cover the cases that this test is about.
    assert!(parallel > 2_000, "{parallel} transactions in parallel lists");
    assert!(both > 200, "{both} blocks with two parallel lists");
    assert!(taken_back > 300, "{taken_back} transactions without room");
}

fn is_no_gas(reason: &InvalidTransaction) -> bool {
    matches!(reason, InvalidTransaction::NoBlockGas { .. })
}

#[test]
fn random_blocks_without_sublists_execute_as_built() {
    let state = state();
    for seed in 1..=60 {
        let mut random = Random(seed);
        let context = BlockContext { rules: all_rules().without(Rule::Rskip144), ..parallel_context(6_800_000) };
        let candidates = random_candidates(&mut random, 80);
        let built = build(&context, &candidates, &state);
        assert_eq!(built.edges, None);
        assert_same(&built.outcome, &execute(&context, &candidates, &built, &state), seed);
    }
}

fn placed(transactions: &[Transaction]) -> (Vec<usize>, Vec<u16>) {
    let built = build(&parallel_context(10_000_000), transactions, &state());
    (built.included, built.edges.unwrap_or_default())
}

fn to_contract(from: u8, nonce: u64, contract: usize, slot: u8) -> Transaction {
    let data = U256::from(slot).to_be_bytes_vec();
    transaction(sender(from), nonce, Some(contracts()[contract].0), 100_000, data.into())
}

/// The reference's choices, one by one (evm.md §3.8).
#[test]
fn transactions_go_where_they_conflict() {
    // No conflict: the list with the least gas used, the first of equals.
    assert_eq!(placed(&[to_contract(0, 0, 0, 0), to_contract(1, 0, 0, 1)]), (vec![0, 1], vec![1, 2]));
    // A sender stays in its list.
    let same_sender = [to_contract(0, 0, 0, 0), to_contract(1, 0, 0, 1), to_contract(1, 1, 0, 2)];
    assert_eq!(placed(&same_sender), (vec![0, 1, 2], vec![1, 3]));
    // A transaction that reads what another one wrote follows it.
    let reads = [to_contract(0, 0, 0, 0), to_contract(1, 0, 0, 1), to_contract(2, 0, 0, 0)];
    assert_eq!(placed(&reads), (vec![0, 2, 1], vec![2, 3]));
    // A transaction that reads what two lists wrote is sequential, and so is every one that depends on it.
    let pay = |from: u8, nonce, to: u8| transaction(sender(from), nonce, Some(sender(to)), 21_000, Bytes::new());
    let meets = [to_contract(0, 0, 0, 0), to_contract(1, 0, 0, 1), Transaction { value: U256::ONE, ..pay(0, 1, 1) }];
    assert_eq!(placed(&meets), (vec![0, 1, 2], vec![1, 2]));
    let follows = [meets[0].clone(), meets[1].clone(), meets[2].clone(), to_contract(0, 2, 0, 5)];
    assert_eq!(placed(&follows), (vec![0, 1, 2, 3], vec![1, 2]));
    // The Bridge and REMASC are for the sequential list.
    let system = [to_contract(0, 0, 4, 0), to_contract(1, 0, 0, 0), reward(0)];
    assert_eq!(placed(&system), (vec![1, 0, 2], vec![1]));
}

#[test]
fn what_does_not_fit_leaves_no_trace() {
    // 6.8 million for the sequential list, 1.6 million for each parallel one.
    let large = Transaction { gas_limit: 1_700_000, ..to_contract(0, 0, 0, 0) };
    let (included, edges) = placed(std::slice::from_ref(&large));
    assert_eq!((included, edges), (vec![0], vec![]), "too large for a parallel list");

    // The burner fills the sequential list; a transaction that must go there runs and is undone.
    let burn = Transaction { gas_limit: 6_780_000, ..to_contract(0, 0, 7, 0) };
    let bridge = to_contract(1, 0, 4, 0);
    let after = to_contract(1, 0, 0, 0);
    let candidates = [burn, bridge, after, reward(0)];
    let (context, state) = (parallel_context(10_000_000), state());
    let built = build(&context, &candidates, &state);
    assert_eq!(built.included, [2, 0, 3]);
    assert!(is_no_gas(&built.skipped[0].reason));
    assert!(!built.skipped[0].hopeless, "it fits into the next block");
    assert_same(&built.outcome, &execute(&context, &candidates, &built, &state), 0);
}

/// A creation is refused where an account was deleted in the block, so it belongs into the list that
/// deleted it.
#[test]
fn an_account_deleted_in_a_list_conflicts_with_its_creation() {
    let creator = contracts()[8].0;
    let created = creator.create2(B256::ZERO, rhizome_crypto::keccak256(&[]));
    let (context, state) = (parallel_context(10_000_000), state().with_code(created, MORTAL.to_vec()));
    let delete = transaction(sender(0), 0, Some(created), 100_000, Bytes::new());
    let candidates = [delete, to_contract(1, 0, 8, 0), to_contract(2, 0, 0, 0), reward(0)];
    let built = build(&context, &candidates, &state);
    assert_eq!((built.included.as_slice(), built.edges.as_deref()), (&[0, 1, 2, 3][..], Some(&[2, 3][..])));
    assert_same(&built.outcome, &execute(&context, &candidates, &built, &state), 0);
}
