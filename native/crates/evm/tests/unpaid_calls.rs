//! The cost of calls of the network's contracts that cannot pay: 700 gas must not cause a copy of the call data, a
//! conversion of their text or a hash of the code of the frames above. The measure is the number of allocated bytes.
#![allow(clippy::unwrap_used)]
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use rhizome_evm::{AccountOverride, BlockContext, CallStatus, LocalCall, Message, call};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::{Address, Bytes, hex};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_testing::regtest;
use rhizome_trie::EMPTY_ROOT;

struct Counting;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATED.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATED.try_with(|bytes| bytes.set(bytes.get() + size.saturating_sub(layout.size())));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const CONTRACT: Address = Address::repeat_byte(3);
const OTHER: Address = Address::repeat_byte(4);
const HD_WALLET: &str = "0000000000000000000000000000000001000009";
const BRIDGE: &str = "0000000000000000000000000000000001000006";
const ENVIRONMENT: &str = "0000000000000000000000000000000001000011";
const SHA256: &str = "0000000000000000000000000000000000000002";
/// Bytes of call data, and calls in one execution.
const LENGTH: usize = 256 << 10;
const CALLS: usize = 250;

/// Calls the contract with the given code; returns the bytes allocated meanwhile.
fn allocated_by(program: &str, other: Bytes, data: Vec<u8>) -> usize {
    let code = |address, code: Bytes| AccountOverride { address, code: Some(code), ..AccountOverride::default() };
    let overrides = [code(CONTRACT, hex::decode(program).unwrap().into()), code(OTHER, other)];
    let block = BlockEnv { number: 5_000, gas_limit: 10_000_000, ..BlockEnv::default() };
    let message = Message { to: Some(CONTRACT), data: data.into(), ..Message::default() };
    let context = BlockContext::new(Arc::new(regtest(|_| true)), block, Arc::new(NoAncestry));
    let local = LocalCall { context, message, gas: 100_000_000, overrides: &overrides, interrupt: None, effort: None };
    let state = StateStore::in_memory(&StoreOptions::default()).reader(EMPTY_ROOT).unwrap();
    let before = ALLOCATED.get();
    let outcome = call(&local, state).unwrap();
    let allocated = ALLOCATED.get() - before;
    assert_eq!(outcome.status, CallStatus::Success);
    // Every call failed.
    assert_eq!(outcome.output.last(), Some(&0), "{program}");
    allocated
}

/// Copies the call data to memory, passes them to the contract in each of the calls with that much gas, and returns the
/// sum of the results.
fn loops(contract: &str, gas: u8) -> String {
    let call = format!("5f5f365f73{contract}60{gas:02x}fa01");
    // The counter lies above the sum.
    let count = format!("61{CALLS:04x}");
    let start = "365f5f375f";
    // sum counter: JUMPDEST, SWAP1, call and ADD, SWAP1, 1, SWAP1, SUB, DUP1, start of the loop, JUMPI, POP, return.
    let at = (start.len() + count.len()) / 2;
    format!("{start}{count}5b90{call}90600190038060{at:02x}57505f5260205ff3")
}

fn selector(signature: &str) -> Vec<u8> {
    rhizome_primitives::abi::selector(signature).to_vec()
}

fn word(value: usize) -> [u8; 32] {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&(value as u64).to_be_bytes());
    word
}

/// One argument, a text that is no UTF-8.
fn malformed(signature: &str) -> Vec<u8> {
    let mut data = selector(signature);
    data.extend_from_slice(&word(32));
    data.extend_from_slice(&word(LENGTH - 128));
    data.resize(LENGTH, 0xff);
    data
}

#[test]
fn data_of_calls_that_cannot_pay_are_neither_copied_nor_decoded() {
    // An array whose elements are all the same bytes.
    let count = LENGTH / 32 - 8;
    let mut keys = selector("getMultisigScriptHash(int256,bytes[])");
    for value in [1, 64, count] {
        keys.extend_from_slice(&word(value));
    }
    (0..count).for_each(|_| keys.extend_from_slice(&word(32 * count)));
    keys.extend_from_slice(&word(33));
    keys.resize(LENGTH, 1);
    let calls = [
        (HD_WALLET, malformed("extractPublicKeyFromExtendedPublicKey(string)")),
        (HD_WALLET, keys),
        (BRIDGE, malformed("addUnlimitedLockWhitelistAddress(string)")),
        (SHA256, vec![7; LENGTH]),
    ];
    for (contract, data) in calls {
        for gas in [0, 1] {
            let allocated = allocated_by(&loops(contract, gas), Bytes::new(), data.clone());
            assert!(allocated < 16 * LENGTH, "{contract}: {allocated} bytes for {CALLS} calls of {LENGTH}");
        }
    }
}

#[test]
fn frames_are_not_hashed_for_contracts_that_do_not_ask() {
    // The other contract has the maximum length of code, and calls with no gas and with 100 gas.
    for (contract, gas) in [(ENVIRONMENT, 100), (BRIDGE, 0), (BRIDGE, 100), (HD_WALLET, 0)] {
        let mut code = hex::decode(format!("5f5f5f5f73{contract}60{gas:02x}fa5000")).unwrap();
        code.resize(24_576, 0);
        let call = format!("5f5f5f5f73{OTHER:x}61fffffa50");
        let program = format!("{}5f5f5260205ff3", call.repeat(CALLS));
        let allocated = allocated_by(&program, code.into(), Vec::new());
        assert!(allocated < 3_000_000, "{contract}: {allocated} bytes for {CALLS} frames");
    }
}
