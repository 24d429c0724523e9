//! Sublists that violate their rules, and block building.

use rhizome_primitives::{Address, B256, Bytes, U256, address, hex};

use super::{BlockError, BlockInput, Candidates, build_block, execute_block, worth_threads};
use crate::error::InvalidTransaction;
use crate::host::BlockContext;
use crate::testing::{MemoryState, all_rules, context};
use crate::transaction::{REMASC_ADDRESS, Transaction};

const ALICE: Address = address!("1000000000000000000000000000000000000001");
const BOB: Address = address!("2000000000000000000000000000000000000002");
const COUNTER: Address = address!("3000000000000000000000000000000000000003");
const FORWARDER: Address = address!("4000000000000000000000000000000000000004");
const BRIDGE: Address = address!("0000000000000000000000000000000001000006");

fn state() -> MemoryState {
    let code = |text: &str| Bytes::from(hex::decode(text).expect("hex digits"));
    MemoryState::default()
        .with_balance(ALICE, 1_000_000_000)
        .with_balance(BOB, 1_000_000_000)
        // Adds one to the cell named by the call data.
        .with_code(COUNTER, code("5f3580546001019055"))
        // Calls the Bridge and reverts.
        .with_code(FORWARDER, code("5f5f5f5f5f63010000065af15f5ffd"))
}

/// A block of 30,000,000 gas, so that every sublist has 10,000,000.
fn wide() -> BlockContext {
    let mut context = context(all_rules());
    context.block.gas_limit = 30_000_000;
    context
}

fn sent(sender: Address, nonce: u64, to: Address, data: &[u8]) -> Transaction {
    Transaction {
        hash: B256::ZERO,
        sender: sender.into(),
        nonce: U256::from(nonce),
        gas_price: U256::ONE,
        gas_limit: 100_000,
        to: Some(to),
        value: U256::ZERO,
        data: Bytes::copy_from_slice(data),
        signature_accepted: true,
        signature: None,
        remasc: false,
    }
}

fn count(sender: Address, cell: u64) -> Transaction {
    sent(sender, 0, COUNTER, &U256::from(cell).to_be_bytes::<32>())
}

fn execute(transactions: &[Transaction], edges: &[u16], one_thread: bool) -> Result<super::BlockOutcome, BlockError> {
    execute_in(wide(), transactions, edges, one_thread)
}

fn execute_in(
    context: BlockContext,
    transactions: &[Transaction],
    edges: &[u16],
    one_thread: bool,
) -> Result<super::BlockOutcome, BlockError> {
    let input = BlockInput {
        context,
        transactions,
        edges: Some(edges),
        interrupt: None,
        one_thread,
        system_contracts_in_parallel: false,
    };
    execute_block(&input, state().shared())
}

#[test]
fn lists_that_touch_the_same_cell_collide() {
    for one_thread in [false, true] {
        let same = execute(&[count(ALICE, 1), count(BOB, 1)], &[1, 2], one_thread);
        assert!(matches!(same, Err(BlockError::Collision { first: 0, second: 1 })));
        let apart = execute(&[count(ALICE, 1), count(BOB, 2)], &[1, 2], one_thread).expect("no collision");
        assert_eq!(apart.write_set.storage.len(), 2);
        let cumulative: Vec<_> = apart.transactions.iter().map(|done| done.receipt.cumulative_gas).collect();
        assert_eq!(cumulative, [apart.transactions[0].receipt.gas_used, apart.transactions[1].receipt.gas_used]);
    }
}

#[test]
fn threads_and_turns_give_the_same_state() {
    let transactions = [count(ALICE, 1), count(BOB, 2), sent(ALICE, 1, COUNTER, &[0; 31])];
    let sorted = |one_thread| {
        let mut outcome = execute(&transactions, &[1, 2], one_thread).expect("a valid block");
        outcome.write_set.accounts.sort_by_key(|(id, _)| *id);
        outcome.write_set.storage.sort_by_key(|(id, key, _)| (*id, *key));
        (outcome.write_set.accounts, outcome.write_set.storage, outcome.gas_used, outcome.paid_fees)
    };
    assert_eq!(sorted(false), sorted(true));
    let (accounts, _, gas_used, paid_fees) = sorted(true);
    assert_eq!(paid_fees, U256::from(gas_used));
    let remasc = accounts.iter().find(|(id, _)| id.address() == REMASC_ADDRESS).expect("fees were paid");
    assert_eq!(remasc.1.balance, paid_fees.into());
}

#[test]
fn threads_are_for_two_large_lists() {
    let large = Transaction { gas_limit: 2_000_000, ..count(ALICE, 1) };
    let small = count(BOB, 2);
    let worth = |transactions: &[&Transaction], edges: &[u16]| {
        worth_threads(&transactions.iter().map(|transaction| (*transaction).clone()).collect::<Vec<_>>(), edges)
    };
    assert!(worth(&[&large, &large], &[1, 2]));
    assert!(worth(&[&small, &large, &large, &small], &[2, 4]));
    assert!(!worth(&[&large, &large, &small], &[2, 3]));
    assert!(!worth(&[&large, &large], &[2]));
    assert!(!worth(&[&large], &[1, 2]));
    assert!(!worth(&[&large, &large], &[]));
}

#[test]
fn parallel_lists_must_not_call_the_bridge() {
    let undone = [sent(ALICE, 0, FORWARDER, &[]), count(BOB, 1)];
    let banned = |result| match result {
        Err(BlockError::Transaction { index, reason: InvalidTransaction::BannedContract(contract) }) => {
            (index, contract)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(banned(execute(&undone, &[1], false)), (0, BRIDGE));
    assert_eq!(execute(&undone, &[], false).expect("a valid block").transactions.len(), 2);
}

#[test]
fn edges_must_ascend_within_the_block() {
    let transactions = [count(ALICE, 1), count(BOB, 2)];
    for edges in [&[0][..], &[1, 1], &[3], &[2, 1], &[1, 2, 3]] {
        assert!(matches!(execute(&transactions, edges, false), Err(BlockError::Edges { .. })), "{edges:?}");
    }
}

#[test]
fn the_width_of_the_gas_limit_counts() {
    let with_width = |width| {
        let mut context = wide();
        context.block.gas_limit_width = width;
        context
    };
    let large = |data: &[u8], to| Transaction { gas_limit: 1 << 60, ..sent(ALICE, 0, to, data) };
    let mut paid = large(&[], BOB);
    paid.gas_price = U256::ZERO;
    let mut called = large(&[1], COUNTER);
    called.gas_price = U256::ZERO;
    for (width, pays, calls) in
        [(4, false, false), (8, false, false), (9, true, true), (32, true, true), (33, true, false)]
    {
        for edges in [&[][..], &[1]] {
            assert_eq!(execute_in(with_width(width), &[paid.clone()], edges, true).is_ok(), pays, "{width}");
            assert_eq!(execute_in(with_width(width), &[called.clone()], edges, true).is_ok(), calls, "{width}");
        }
        let created = Transaction { to: None, data: Bytes::from_static(&[0]), ..called.clone() };
        assert_eq!(execute_in(with_width(width), &[created], &[], true).is_ok(), calls, "{width}");
    }
    // The largest number of gas stands for "too much" and fits nowhere.
    let most = Transaction { gas_limit: i64::MAX as u64, ..paid };
    assert!(execute_in(with_width(9), &[most], &[], true).is_err());
}

#[test]
fn building_leaves_out_what_cannot_be_in_the_block() {
    let mut huge = count(BOB, 3);
    huge.gas_limit = 25_000_000;
    let transactions = [count(ALICE, 1), sent(ALICE, 5, BOB, &[]), huge, count(BOB, 2)];
    let built = build_block(&Candidates { context: wide(), transactions: &transactions }, state().shared())
        .expect("a readable state");
    assert_eq!(built.included, [0, 3]);
    let reasons: Vec<_> = built.skipped.iter().map(|skipped| (skipped.index, skipped.reason.clone())).collect();
    assert!(matches!(reasons[0], (1, InvalidTransaction::Nonce { .. })));
    assert!(matches!(reasons[1], (2, InvalidTransaction::NoBlockGas { .. })));
    let hopeless: Vec<_> = built.skipped.iter().map(|skipped| skipped.hopeless).collect();
    assert_eq!(hopeless, [false, true], "an account may still reach a nonce, no block grows");
    let kept = [transactions[0].clone(), transactions[3].clone()];
    let executed = execute(&kept, &[], false).expect("what was built is valid");
    assert_eq!(executed.gas_used, built.outcome.gas_used);
    assert_eq!(executed.paid_fees, built.outcome.paid_fees);
}
