//! Enlarges the state of a recorded scenario: as many outputs, requests, waiting transactions and processed ones as the
//! main network's Bridge may have, in the form of the scenario's first one of each.

use std::collections::HashMap;
use std::sync::Arc;

use rhizome_bitcoin::Transaction;
use rhizome_bridge::recorded::{
    ReleaseRequest, Utxo, WaitingForSignatures, WaitingPegout, decode_confirmations, decode_confirmations_with_hash,
    decode_processed, decode_requests, decode_requests_with_hash, decode_utxos, encode_confirmations, encode_processed,
    encode_requests, encode_utxos, key_of,
};
use rhizome_crypto::keccak256;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{B256, Bytes, U256};

/// Outputs of each federation that has any.
const UTXOS: usize = 5_000;
/// Requests that wait for the next batch.
const REQUESTS: usize = 100;
/// Transactions that wait for confirmations, and for signatures.
const WAITING: usize = 100;
/// Bitcoin transactions of the list from before RSKIP134.
const PROCESSED: usize = 4_000;
/// Satoshi of an output, so few that a payment takes many outputs, and of a request.
const UTXO_VALUE: i64 = 500_000;
const REQUEST_VALUE: i64 = 1_000_000;

const UTXO_CELLS: [&str; 4] = [
    "newFederationBtcUTXOs",
    "newFederationBtcUTXOsForTestnet",
    "newFedBtcUTXOsForTestnetPostHop",
    "oldFederationBtcUTXOs",
];

/// A state with some cells of the Bridge replaced.
pub(crate) struct Overlay {
    base: Arc<dyn StateReader>,
    cells: HashMap<U256, Option<Bytes>>,
}

impl Overlay {
    pub(crate) fn new(base: Arc<dyn StateReader>) -> Self {
        Self { base, cells: HashMap::new() }
    }

    pub(crate) fn set(&mut self, key: U256, value: Vec<u8>) {
        self.cells.insert(key, Some(value.into()));
    }

    /// A cell by its name; None when absent.
    pub(crate) fn named(&self, name: &str) -> Option<Bytes> {
        self.storage(&rhizome_bridge::ADDRESS.into(), &key_of(name, None)?).ok().flatten()
    }

    pub(crate) fn set_named(&mut self, name: &str, value: Vec<u8>) {
        if let Some(key) = key_of(name, None) {
            self.set(key, value);
        }
    }
}

impl StateReader for Overlay {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        self.base.account(account)
    }

    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        self.base.code_info(account)
    }

    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        self.base.code(account)
    }

    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.base.is_contract(account)
    }

    fn storage(&self, account: &AccountRef, key: &U256) -> Result<Option<Bytes>, StateError> {
        if *account == AccountRef::from(rhizome_bridge::ADDRESS)
            && let Some(value) = self.cells.get(key)
        {
            return Ok(value.clone());
        }
        self.base.storage(account, key)
    }

    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        self.base.storage_cells(account, after, limit)
    }
}

/// Enlarges states. It caches the enlarged cells by their originals, because most calls leave the cells unchanged.
#[derive(Default)]
pub(crate) struct Enlarger {
    made: HashMap<(&'static str, Option<Bytes>), Option<Vec<u8>>>,
    /// A transaction that was waiting in an earlier state.
    waiting: Option<Transaction>,
}

fn numbered(what: &str, number: usize) -> B256 {
    keccak256(format!("{what} {number}").as_bytes())
}

impl Enlarger {
    pub(crate) fn enlarge(&mut self, base: Arc<dyn StateReader>, rules: RuleSet) -> Overlay {
        let mut state = Overlay::new(base);
        for name in UTXO_CELLS {
            self.replace(&mut state, name, |cell| utxos(cell?));
        }
        let with_hash = rules.active(Rule::Rskip146);
        let name = if with_hash { "releaseRequestQueueWithTxHash" } else { "releaseRequestQueue" };
        self.replace(&mut state, name, |cell| Some(requests(cell, with_hash)));
        self.replace(&mut state, "btcTxHashesAP", |cell| Some(processed(cell)));
        let name = if with_hash { "releaseTransactionSetWithTxHash" } else { "releaseTransactionSet" };
        self.confirmations(&mut state, name, with_hash);
        self.signatures(&mut state);
        state
    }

    fn replace(
        &mut self,
        state: &mut Overlay,
        name: &'static str,
        make: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) {
        let cell = state.named(name);
        let made =
            self.made.entry((name, cell)).or_insert_with_key(|(_, cell)| make(cell.as_ref().map(|cell| &cell[..])));
        if let Some(made) = made {
            state.set_named(name, made.clone());
        }
    }

    fn confirmations(&mut self, state: &mut Overlay, name: &'static str, with_hash: bool) {
        let Some(cell) = state.named(name) else { return };
        let decoded = if with_hash { decode_confirmations_with_hash(&cell) } else { decode_confirmations(&cell) };
        let mut waiting = decoded.unwrap_or_default();
        if let Some(first) = waiting.first() {
            self.waiting = Some(first.transaction.clone());
        }
        let (Some(sample), created_at) = (&self.waiting, waiting.first().map_or(1, |first| first.created_at)) else {
            return;
        };
        for number in waiting.len()..WAITING {
            let mut transaction = sample.clone();
            transaction.lock_time = number as u32;
            let transaction_hash = with_hash.then(|| numbered("confirmations", number));
            waiting.push(WaitingPegout { transaction, created_at, transaction_hash });
        }
        waiting.sort_by_cached_key(|pegout| pegout.transaction.serialize());
        state.set_named(name, encode_confirmations(&waiting, with_hash));
    }

    fn signatures(&mut self, state: &mut Overlay) {
        let cell = state.named("rskTxsWaitingFS");
        let mut waiting = cell.and_then(|cell| WaitingForSignatures::decode(&cell).ok()).unwrap_or_default();
        if let Some((_, first)) = waiting.iter().next() {
            self.waiting = Some(first.clone());
        }
        let Some(sample) = &self.waiting else { return };
        for number in waiting.len()..WAITING {
            waiting.insert(numbered("signatures", number), sample.clone());
        }
        state.set_named("rskTxsWaitingFS", waiting.encode());
    }
}

fn utxos(cell: &[u8]) -> Option<Vec<u8>> {
    let mut list = decode_utxos(cell).ok().filter(|list| !list.is_empty())?;
    let scripts: Vec<_> = list.iter().map(|utxo| utxo.script.clone()).collect();
    for number in list.len()..UTXOS {
        list.push(Utxo {
            value: UTXO_VALUE,
            script: scripts[number % scripts.len()].clone(),
            transaction: numbered("output", number),
            index: (number % 3) as u32,
            height: 0,
            coinbase: false,
        });
    }
    Some(encode_utxos(&list))
}

fn requests(cell: Option<&[u8]>, with_hash: bool) -> Vec<u8> {
    let decode = if with_hash { decode_requests_with_hash } else { decode_requests };
    let mut list = cell.and_then(|cell| decode(cell).ok()).unwrap_or_default();
    for number in list.len()..REQUESTS {
        let mut destination = [0; 20];
        destination.copy_from_slice(&numbered("destination", number)[..20]);
        let transaction_hash = with_hash.then(|| numbered("request", number));
        list.push(ReleaseRequest { destination, amount: REQUEST_VALUE + number as i64, transaction_hash });
    }
    encode_requests(&list, with_hash)
}

fn processed(cell: Option<&[u8]>) -> Vec<u8> {
    let mut list = cell.and_then(|cell| decode_processed(cell).ok()).unwrap_or_default();
    for number in list.len()..PROCESSED {
        list.insert(numbered("processed", number), 1_000_000 + number as i64);
    }
    encode_processed(&list)
}
