//! Actions on the storage as a single call sees it, and the cells that the save writes.

use std::collections::BTreeMap;

use rhizome_bridge::recorded::Frame;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::{ContractError, ContractState, Log};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256};
use serde_json::{Value, json};

use crate::hex::{hash, shown, text, word};
use crate::outcome::{Throw, or_throws};
use crate::report::Values;
use crate::rules::{regtest_under, rules};

/// The written cells.
#[derive(Default)]
struct Cells(BTreeMap<U256, Bytes>);

impl ContractState for Cells {
    fn exists(&mut self, _: Address) -> Result<bool, StateError> {
        Ok(true)
    }

    fn balance(&mut self, _: Address) -> Result<U256, StateError> {
        Ok(U256::ZERO)
    }

    fn transfer(&mut self, _: Address, _: AccountRef, _: U256) -> Result<(), StateError> {
        Ok(())
    }

    fn code(&mut self, _: Address) -> Result<Bytes, StateError> {
        Ok(Bytes::new())
    }

    fn storage(&mut self, _: Address, key: U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.0.get(&key).cloned())
    }

    fn set_storage(&mut self, _: Address, key: U256, value: Bytes) -> Result<(), StateError> {
        if value.is_empty() {
            self.0.remove(&key)
        } else {
            self.0.insert(key, value)
        };
        Ok(())
    }

    fn log(&mut self, _: Log) {}

    fn trace_transfer(&mut self, _: Address, _: Address, _: U256) {}
}

pub(super) fn check(line: &Value, values: &mut Values) {
    let rules = rules(text(&line["provider"]));
    let spec = regtest_under(rules);
    let mut cells = Cells::default();
    let mut frame = Frame::new(&spec, rules, 0, &mut cells);
    let hashes = (hash(&line["hash"]), hash(&line["keccak"]));
    for (index, action) in line["actions"].as_array().into_iter().flatten().enumerate() {
        let result = act(&mut frame, text(&action["action"]), hashes);
        values.equal(&format!("actions.{index}"), &action["result"], &done(result));
    }
    let saved = frame.save();
    values.equal("save", &line["save"], &done(saved));
    let written = cells.0.iter().map(|(key, cell)| (text(&word(*key)).to_owned(), shown(cell)));
    values.equal("cells", &line["cells"], &Value::Object(written.collect()));
}

fn done(result: Result<(), ContractError>) -> Value {
    or_throws(result.map(|()| json!("ok")).map_err(Throw::from))
}

fn act(frame: &mut Frame<'_>, action: &str, (hash, keccak): (B256, B256)) -> Result<(), ContractError> {
    match action {
        "setHeightBtcTxhashAlreadyProcessed(hash, 777)" => frame.set_processed_height(hash, 777)?,
        "setCoinbaseInformation(hash, hash)" => frame.set_witness_root(hash, hash),
        "setBtcBestBlockHashByHeight(5000, hash)" => frame.set_best_hash_at(5000, hash),
        "markFlyoverDerivationHashAsUsed(hash, keccak)" => frame.mark_flyover_used(hash, keccak),
        "setReceiveHeadersLastTimestamp(1700000000)" => frame.set_header_received_at(1_700_000_000),
        "setNextPegoutHeight(12345)" => frame.set_next_pegout_height(12_345),
        "setPegoutTxSigHash(hash)" => frame.add_pegout_signature_hash(hash)?,
        "setReleaseOutpointsValues(hash, [1000, 70000])" => frame.set_outpoint_values(hash, vec![1000, 70_000])?,
        "setSvpFundTxHashUnsigned(hash)" => frame.set_svp_fund_unsigned(Some(hash)),
        "setSvpSpendTxHashUnsigned(hash)" => frame.set_svp_spend_unsigned(Some(hash)),
        "getReleaseRequestQueue()" => drop(frame.requests()?),
        "getPegoutsWaitingForConfirmations()" => drop(frame.waiting_for_confirmations()?),
        "getPegoutsWaitingForSignatures()" => drop(frame.waiting_for_signatures()?),
        _ => panic!("unknown action: {action}"),
    }
    Ok(())
}
