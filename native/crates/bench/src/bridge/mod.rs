//! Expensive calls of the Bridge, warmed up: on a state in the store, with all the work of a block's journal.

mod chains;
mod crafted;
mod large;
mod measure;
mod search;
mod table;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{BlockContext, Evm, FeePayment, Journal, Position, Transaction};
use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use serde_json::json;

use crate::GAS_LIMIT;
use crate::ours::spec;
use chains::mined;

/// First member of the genesis federation of a local network.
const MEMBER: Address = Address::new(hex!("6b045752f4d650a510a353bbf7e52988331e7f5b"));
/// Headers that the Bridge knows before the call, and headers of the call.
const KNOWN: usize = 4_000;
const RECEIVED: usize = 500;
const ROUNDS: usize = 25;
/// Minimum duration of a round.
const ROUND: Duration = Duration::from_millis(40);

pub(crate) use search::run as search;

/// Prints one line per call: its name, gas and duration.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let spec = Arc::new(spec()?);
    let first = StoredHeader {
        chain_work: U256::ZERO,
        height: 0,
        header: spec.bridge.bitcoin.genesis_header.as_ref().try_into()?,
    };
    let headers: Vec<_> =
        std::iter::successors(Some(first), |below| Some(mined(below))).take(KNOWN + RECEIVED).collect();
    let (known, received) = headers.split_at(KNOWN);
    let state = state(known)?;
    let elements = received.iter().map(|header| AbiValue::Bytes(Bytes::copy_from_slice(&header.header)));
    let selector = abi::selector("receiveHeaders(bytes[])");
    let data = Bytes::from([&selector[..], &abi::encode(&[AbiValue::Array(elements.collect())])].concat());
    let gas = call(&spec, &state, &data)?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < ROUND {
            black_box(call(&spec, &state, &data)?);
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
    }
    let name = format!("receiveHeaders of {RECEIVED}");
    println!("{}", json!({"call": name, "gas": gas, "milliseconds": best * 1e3}));
    Ok(())
}

/// The state of a Bridge that knows these headers.
fn state(headers: &[StoredHeader]) -> Result<Arc<dyn StateReader>, Box<dyn Error>> {
    let bridge = AccountRef::from(rhizome_bridge::ADDRESS);
    let mut storage = Vec::new();
    for header in headers {
        storage.push((bridge, header.hash().into(), Some(header.encode(true)?.into())));
    }
    let head = headers.last().ok_or("no headers")?;
    storage.push((bridge, U256::from_be_slice(b"blockStoreChainHead"), Some(head.encode(true)?.into())));
    let funds = Account { balance: U256::from(u64::MAX).into(), ..Account::default() };
    let writes = WriteSet {
        accounts: vec![(MEMBER.into(), funds), (bridge, Account::default())],
        markers: vec![bridge],
        storage,
        ..WriteSet::default()
    };
    let store = StateStore::in_memory(&StoreOptions::default());
    let applied = store.apply(EMPTY_ROOT, &writes)?;
    let root = applied.root();
    store.keep(applied);
    store.set_head(root, None);
    Ok(store.reader(root)?)
}

/// Executes a member's transaction to the Bridge; returns its gas.
fn call(spec: &Arc<ChainSpec>, state: &Arc<dyn StateReader>, data: &Bytes) -> Result<u64, Box<dyn Error>> {
    let block = BlockEnv { number: 1, timestamp: 1, gas_limit: GAS_LIMIT, ..BlockEnv::default() };
    let context = BlockContext::new(spec.clone(), block, Arc::new(NoAncestry));
    let mut evm = Evm::new(context, Journal::new(state.clone()));
    let position = Position { index: 0, gas_used: 0, gas_limit: GAS_LIMIT };
    let transaction = Transaction {
        hash: B256::ZERO,
        sender: MEMBER.into(),
        nonce: U256::ZERO,
        gas_price: U256::ZERO,
        gas_limit: GAS_LIMIT,
        to: Some(rhizome_bridge::ADDRESS),
        value: U256::ZERO,
        data: data.clone(),
        signature_accepted: true,
        signature: None,
        remasc: false,
    };
    let outcome = evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector)?;
    match outcome.failure {
        None => Ok(outcome.gas_used),
        Some(failure) => Err(format!("the call fails: {failure:?}").into()),
    }
}
