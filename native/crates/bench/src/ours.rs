//! Runs of this workspace's engine.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rhizome_evm::trace::NoInspector;
use rhizome_evm::{BlockContext, Evm, FeePayment, Journal, Position, Transaction};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_testing::MemoryState;
use rhizome_trie::EMPTY_ROOT;
use serde_json::{Value, json};

use crate::programs::Program;
use crate::{CALLER, CONTRACT, GAS_LIMIT};

/// Storage of the state.
#[derive(Clone, Copy)]
pub(crate) enum StateLocation {
    /// In hash maps, like that of bare revm.
    Memory,
    /// In the store, as the head's state: a missing cell costs a walk down the trie.
    Store,
}

/// A program on a state, under every rule.
pub(crate) struct Ours {
    spec: Arc<ChainSpec>,
    state: Arc<dyn StateReader>,
    calls: Vec<Bytes>,
}

impl Ours {
    pub(crate) fn new(program: &Program, location: StateLocation) -> Result<Self, Box<dyn Error>> {
        let contract = AccountRef::from(Address::from(CONTRACT));
        let funds = Account { balance: U256::from(u64::MAX).into(), ..Account::default() };
        let cell = |(slot, value): &(U256, U256)| (contract, *slot, Some(Bytes::from(value.to_be_bytes_trimmed_vec())));
        let writes = WriteSet {
            accounts: vec![(Address::from(CALLER).into(), funds), (contract, Account::default())],
            code: vec![(contract, program.code.clone())],
            markers: vec![contract],
            storage: program.cells.iter().map(cell).collect(),
            ..WriteSet::default()
        };
        let state: Arc<dyn StateReader> = match location {
            StateLocation::Memory => Arc::new(MemoryState::from(&writes)),
            StateLocation::Store => {
                let store = StateStore::in_memory(&StoreOptions::default());
                let applied = store.apply(EMPTY_ROOT, &writes)?;
                let root = applied.root();
                store.keep(applied);
                store.set_head(root, None);
                store.reader(root)?
            }
        };
        Ok(Self { spec: Arc::new(spec()?), state, calls: program.calls.clone() })
    }

    /// Makes all calls on a fresh journal; returns their gas.
    pub(crate) fn run(&self) -> Result<u64, Box<dyn Error>> {
        let block = BlockEnv { number: 1, timestamp: 1, gas_limit: GAS_LIMIT, ..BlockEnv::default() };
        let context = BlockContext::new(self.spec.clone(), block, Arc::new(NoAncestry));
        let mut evm = Evm::new(context, Journal::new(self.state.clone()));
        let position = Position { index: 0, gas_used: 0, gas_limit: GAS_LIMIT };
        let mut gas = 0;
        for (nonce, data) in self.calls.iter().enumerate() {
            let transaction = Transaction {
                hash: B256::ZERO,
                sender: Address::from(CALLER).into(),
                nonce: U256::from(nonce),
                gas_price: U256::ZERO,
                gas_limit: GAS_LIMIT,
                to: Some(Address::from(CONTRACT)),
                value: U256::ZERO,
                data: data.clone(),
                signature_accepted: true,
                signature: None,
                remasc: false,
            };
            let outcome = evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector)?;
            if !outcome.succeeded {
                return Err(format!("our engine: {:?}", outcome.failure).into());
            }
            gas += outcome.gas_used;
        }
        Ok(gas)
    }
}

/// The development network with every rule from the first block on.
pub(crate) fn spec() -> Result<ChainSpec, Box<dyn Error>> {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bridge/regtest.json");
    let bridge: Value = serde_json::from_str(&std::fs::read_to_string(fixture)?)?;
    let heights: serde_json::Map<_, _> = Rule::ALL.iter().map(|rule| (rule.name().to_owned(), json!(0))).collect();
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let document = json!({
        "name": "regtest",
        "chainId": 33,
        "minimumSequentialGas": 6_800_000,
        "remasc": {"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs},
        "bridge": bridge,
        "activationHeights": heights,
    });
    Ok(ChainSpec::from_json(&document.to_string())?)
}
