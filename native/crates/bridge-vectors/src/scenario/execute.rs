//! Executes the lines of a scenario and compares all their fields.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rhizome_evm::trace::{Inspector, NoInspector};
use rhizome_evm::{
    BlockContext, DirectCaller, Evm, Failure, FeePayment, Journal, Position, Transaction, TransactionError,
    TransactionOutcome,
};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::Log;
use rhizome_primitives::state::{StateReader, WriteSet};
use rhizome_primitives::{B256, Bytes, U256, hex};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use serde_json::{Value, json};

use super::environment::Environment;
use super::state;
use crate::decode::decode;
use crate::hex::{bytes, hash, number, quantity};

/// The state of a scenario between two of its lines.
pub(super) struct Executor {
    environment: Environment,
    store: Arc<StateStore>,
    root: B256,
}

/// Differences of a line, as messages.
type Differences = Vec<String>;

impl Executor {
    pub(super) fn new(environment: Environment, header: &Value) -> Result<Self, String> {
        let store = StateStore::in_memory(&StoreOptions::default());
        let mut executor = Self { environment, store, root: EMPTY_ROOT };
        executor.apply(&state::pre_state(&header["preTrie"])?)?;
        Ok(executor)
    }

    /// Root of the present state.
    pub(super) const fn root(&self) -> B256 {
        self.root
    }

    /// A transaction that was executed on the state under a root.
    pub(super) fn executed<'a>(&'a self, line: &'a Value, before: B256) -> Executed<'a> {
        Executed { executor: self, line, before }
    }

    pub(super) fn pre_state_differences(&self, header: &Value) -> Differences {
        let mut differences = Differences::new();
        compare(&mut differences, "stateRoot", hash(&header["stateRoot"]), self.root);
        differences
    }

    /// A signed transaction, which changes the state.
    pub(super) fn transaction(&mut self, line: &Value) -> Differences {
        let mut differences = Differences::new();
        let fails = line["rejected"] == true || !line["executorThrew"].is_null();
        let executed = catch_unwind(AssertUnwindSafe(|| self.execute(line)));
        match executed.unwrap_or_else(|_| Err("a panic".to_owned())) {
            Err(reason) if reason == "a panic" => {
                differences.push(reason);
                self.follow_recording(line, &mut differences);
            }
            Err(_) if fails => {}
            Err(reason) => {
                differences.push(format!("not executed: {reason}"));
                self.follow_recording(line, &mut differences);
            }
            Ok(_) if fails => differences.push("executed; the reference refuses it".to_owned()),
            Ok((outcome, writes)) => {
                compare_outcome(line, &outcome, &mut differences);
                self.compare_cells(line, &writes, &mut differences);
                let before = self.root;
                if let Err(reason) = self.apply(&writes) {
                    differences.push(reason);
                }
                if self.root != hash(&line["stateRoot"]) {
                    differences.push(format!("stateRoot: expected {}, found {}", line["stateRoot"], self.root));
                    self.root = before;
                    self.follow_recording(line, &mut differences);
                }
            }
        }
        differences
    }

    fn execute(&self, line: &Value) -> Result<(TransactionOutcome, WriteSet), String> {
        self.execute_on(Journal::new(self.reader()?), line, &mut NoInspector)
    }

    fn execute_on<I: Inspector>(
        &self,
        journal: Journal,
        line: &Value,
        inspector: &mut I,
    ) -> Result<(TransactionOutcome, WriteSet), String> {
        let context = self.environment.block(&line["block"]);
        let transaction = decode(&bytes(&line["rawTx"]), self.environment.chain_id(), false)
            .ok_or_else(|| "the transaction does not decode".to_owned())?;
        let position = Position { index: 0, gas_used: 0, gas_limit: context.block.gas_limit };
        let mut evm = Evm::new(context, journal);
        match evm.transact(&transaction, position, FeePayment::AtOnce, inspector) {
            Ok(outcome) => Ok((outcome, evm.journal().write_set())),
            Err(TransactionError::Invalid(reason)) => Err(format!("invalid: {reason}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// A call of the Bridge as `eth_call` makes it; it changes nothing.
    pub(super) fn local_call(&self, line: &Value) -> Differences {
        let mut differences = Differences::new();
        let reader = match self.reader() {
            Ok(reader) => reader,
            Err(reason) => return vec![reason],
        };
        let mut evm = Evm::new(self.environment.block(&line["block"]), Journal::new(reader));
        let data = bytes(&line["data"]);
        let Some(call) = evm.call_directly(DirectCaller::Local, rhizome_bridge::ADDRESS, Some(&data), u64::MAX) else {
            return vec!["there is no Bridge".to_owned()];
        };
        match call.gas {
            Err(_) if line["bridgeGas"].is_object() => {}
            Err(reason) => differences.push(format!("bridgeGas: expected {}, throws {reason}", line["bridgeGas"])),
            Ok(gas) if line["bridgeGas"].is_object() => differences.push(format!("bridgeGas: found {gas:#x}")),
            Ok(gas) => compare(&mut differences, "bridgeGas", number(&line["bridgeGas"]), gas),
        }
        let expected = &line["result"];
        match call.output {
            None => {}
            Some(Err(error)) if expected["exception"].is_null() => {
                differences.push(format!("output: expected {}, throws {error}", expected["output"]));
            }
            Some(Err(_)) => {}
            Some(Ok(output)) => {
                if !expected["exception"].is_null() {
                    differences.push(format!("output: expected the exception {}", expected["exception"]));
                }
                let shown = |output: Option<Bytes>| output.map(hex::encode_prefixed);
                let recorded = expected["output"].as_str().map(str::to_owned);
                compare(&mut differences, "output", recorded, shown(output));
            }
        }
        if line["logs"].is_array() {
            let logs = call.logs.iter().map(log).collect::<Vec<_>>();
            compare(&mut differences, "logs", line["logs"].clone(), Value::Array(logs));
        }
        differences
    }

    fn compare_cells(&self, line: &Value, writes: &WriteSet, differences: &mut Differences) {
        let Ok(reader) = self.reader() else { return };
        let bridge = AccountRef::from(rhizome_bridge::ADDRESS);
        let mut found = BTreeMap::new();
        for (_, word, value) in writes.storage.iter().filter(|(account, ..)| *account == bridge) {
            let value = value.clone().filter(|value| !value.is_empty());
            if reader.storage(&bridge, word).ok().flatten() != value {
                found.insert(*word, value);
            }
        }
        let cells = line["changes"]["bridgeCells"].as_object();
        let expected: BTreeMap<_, _> = cells
            .into_iter()
            .flatten()
            .map(|(word, value)| (state::cell_word(word), state::cell_value(value)))
            .collect();
        let words: std::collections::BTreeSet<_> = expected.keys().chain(found.keys()).collect();
        for word in words.into_iter().filter(|word| expected.get(*word) != found.get(*word)) {
            let shown = |cells: &BTreeMap<U256, Option<Bytes>>| match cells.get(word) {
                None => "unchanged".to_owned(),
                Some(None) => "removed".to_owned(),
                Some(Some(value)) => hex::encode_prefixed(value),
            };
            let name = cell_name(*word);
            differences.push(format!("cell {name}: expected {}, found {}", shown(&expected), shown(&found)));
        }
        for (address, fields) in line["changes"]["accounts"].as_object().into_iter().flatten() {
            let found = writes.accounts.iter().find(|(account, _)| {
                address.parse::<rhizome_primitives::Address>().is_ok_and(|address| *account == address.into())
            });
            let expected = (quantity(&fields["balance"]).into(), quantity(&fields["nonce"]));
            let found = found.map(|(_, account)| (account.balance, account.nonce));
            if found != Some(expected) {
                differences.push(format!("account {address}: expected {expected:?}, found {found:?}"));
            }
        }
    }

    /// Applies the recorded changes instead of our own.
    fn follow_recording(&mut self, line: &Value, differences: &mut Differences) {
        if line["changes"].is_null() {
            return;
        }
        let Ok(reader) = self.reader() else { return };
        let read = |account: &AccountRef| reader.account(account).ok().flatten().unwrap_or_default();
        let changes = state::recorded_changes(&line["changes"], rhizome_bridge::ADDRESS, read);
        if let Err(reason) = self.apply(&changes) {
            differences.push(reason);
        }
        if self.root != hash(&line["stateRoot"]) {
            differences.push("the recorded changes do not give the recorded root".to_owned());
        }
    }

    fn reader(&self) -> Result<Arc<dyn StateReader>, String> {
        self.store.reader(self.root).map_err(|error| error.to_string())
    }

    fn apply(&mut self, writes: &WriteSet) -> Result<(), String> {
        let applied = self.store.apply(self.root, writes).map_err(|error| error.to_string())?;
        self.root = applied.root();
        self.store.keep(applied);
        Ok(())
    }
}

/// An executed transaction of a scenario, with the states before and after it.
pub struct Executed<'a> {
    executor: &'a Executor,
    line: &'a Value,
    before: B256,
}

impl Executed<'_> {
    /// The recorded line.
    #[must_use]
    pub const fn line(&self) -> &Value {
        self.line
    }

    /// Its block.
    #[must_use]
    pub fn context(&self) -> BlockContext {
        self.executor.environment.block(&self.line["block"])
    }

    /// The state after it.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub fn after(&self) -> Result<Arc<dyn StateReader>, String> {
        self.executor.reader()
    }

    /// The state before it.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub fn before(&self) -> Result<Arc<dyn StateReader>, String> {
        let reader = self.executor.store.reader(self.before).map_err(|error| error.to_string())?;
        Ok(reader)
    }

    /// The transaction; None when its bytes do not decode, and for local calls.
    #[must_use]
    pub fn transaction(&self) -> Option<Transaction> {
        decode(&bytes(self.line.get("rawTx")?), self.executor.environment.chain_id(), false)
    }

    /// Executes it once more with an inspector, on a given state.
    ///
    /// # Errors
    /// Fails when the transaction is invalid.
    pub fn inspect<I: Inspector>(
        &self,
        state: Arc<dyn StateReader>,
        inspector: &mut I,
    ) -> Result<TransactionOutcome, String> {
        self.executor.execute_on(Journal::new(state), self.line, inspector).map(|(outcome, _)| outcome)
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(differences: &mut Differences, what: &str, expected: T, found: T) {
    if expected != found {
        differences.push(format!("{what}: expected {expected:?}, found {found:?}"));
    }
}

fn compare_outcome(line: &Value, outcome: &TransactionOutcome, differences: &mut Differences) {
    let expected = &line["result"];
    let status = if outcome.succeeded { "0x01" } else { "0x" };
    compare(differences, "status", expected["status"].as_str(), Some(status));
    compare(differences, "gasUsed", number(&expected["gasUsed"]), outcome.gas_used);
    // The null of a void method is an empty output in the receipt.
    let output = expected["output"].as_str().unwrap_or("0x");
    compare(differences, "output", output, &hex::encode_prefixed(&outcome.output));
    // The recording has no exception for a transaction that fails before or around the Bridge.
    let throws = matches!(outcome.failure, Some(Failure::Precompile(_)));
    if outcome.succeeded && throws == expected["exception"].is_null() {
        let failure = outcome.failure.as_ref();
        differences.push(format!("exception: expected {}, found {failure:?}", expected["exception"]));
    }
    let logs = outcome.logs.iter().map(log).collect::<Vec<_>>();
    if Value::Array(logs.clone()) != line["logs"] {
        differences.push(format!("logs: expected {}, found {}", line["logs"], Value::Array(logs)));
    }
}

/// A log as recorded: without address when the Bridge emitted it.
fn log(log: &Log) -> Value {
    let mut line = json!({
        "topics": log.topics.iter().map(hex::encode_prefixed).collect::<Vec<_>>(),
        "data": hex::encode_prefixed(&log.data),
    });
    if log.address != rhizome_bridge::ADDRESS {
        line["address"] = json!(hex::encode_prefixed(log.address));
    }
    line
}

/// The name of a cell if its key is one, otherwise the key.
fn cell_name(word: U256) -> String {
    let bytes = word.to_be_bytes::<32>();
    let text = &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..];
    match std::str::from_utf8(text) {
        Ok(name) if name.len() > 4 && name.bytes().all(|byte| byte.is_ascii_graphic()) => name.to_owned(),
        _ => format!("{word:#066x}"),
    }
}
