//! Writes cells from their readable contents.

use rhizome_bitcoin::Transaction;
use rhizome_bridge::recorded::*;
use rhizome_primitives::B256;
use serde_json::Value;

use super::context::Context;
use crate::hex::{address, bytes, hash, integer, quantity, text};
use crate::outcome::Throw;

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn short_hash(value: &Value) -> [u8; 20] {
    address(value).into_array()
}

fn optional_hash(value: &Value) -> Option<B256> {
    (!value.is_null()).then(|| hash(value))
}

fn transaction(value: &Value) -> Result<Transaction, Throw> {
    Transaction::parse(&bytes(value)).map_err(Throw::from)
}

/// A pair of a hash and a transaction.
pub(super) fn named_transaction(value: &Value) -> Result<(B256, Transaction), Throw> {
    Ok((hash(&value[0]), transaction(&value[1])?))
}

/// Pairs of hashes and transactions.
pub(super) fn waiting_for_signatures(value: &Value) -> Result<WaitingForSignatures, Throw> {
    let mut waiting = WaitingForSignatures::default();
    for entry in items(value) {
        let (hash, transaction) = named_transaction(entry)?;
        waiting.insert(hash, transaction);
    }
    Ok(waiting)
}

/// The bytes of a cell with these contents.
pub(super) fn encode(name: &str, context: &Context, value: &Value) -> Result<Vec<u8>, Throw> {
    Ok(match name {
        "newFederationBtcUTXOs" | "oldFederationBtcUTXOs" => encode_utxos(&utxos(value)),
        "btcTxHashesAP" => {
            encode_processed(&items(value).iter().map(|entry| (hash(&entry[0]), integer(&entry[1]))).collect())
        }
        "releaseRequestQueue" => encode_requests(&requests(value), false),
        "releaseRequestQueueWithTxHash" => encode_requests(&requests(value), true),
        "releaseTransactionSet" => encode_confirmations(confirmations(value)?.sorted(), false),
        "releaseTransactionSetWithTxHash" => encode_confirmations(confirmations(value)?.sorted(), true),
        "rskTxsWaitingFS" => waiting_for_signatures(value)?.encode(),
        "svpSpendTxWaitingForSignatures" => encode_spend_waiting(Some(&named_transaction(value)?)),
        "svpFundTxHashUnsigned" | "btcBlockHeight" | "unionBridgeContractAddress" => encode_bytes(&bytes(value)),
        "svpFundTxSigned" => encode_bytes(&transaction(value)?.serialize()),
        "newFederation" => encode_federation(&federation(context, value)?, context.version.is_some()),
        "pendingFederation" => {
            let mut members = members(value, context.multikey);
            members.sort();
            encode_pending(&members, context.multikey)
        }
        "federationElection" | "feePerKbElection" => election(value).encode(),
        "lockWhitelist" => one_off(value).encode_one_off(),
        "unlimitedLockWhitelist" => unlimited(value).encode_unlimited(),
        "unionBridgeLockingCap" => encode_wei(quantity(value)),
        "lastRetiredFedP2SHScript" => encode_script(&bytes(value)),
        "coinbaseInformation" => encode_witness_root(hash(&value["witnessMerkleRoot"])),
        "fastBridgeFederationInformation" => FlyoverFederation {
            derivation_hash: hash(&value["derivationHash"]),
            federation_script_hash: bytes(&value["federationRedeemScriptHash"]),
        }
        .encode(),
        "fastBridgeHashUsedInBtcTx" | "pegoutTxSigHash" if *value == true => vec![1],
        "releasesOutpointsValues" => {
            let values: Vec<_> = items(value).iter().map(integer).collect();
            encode_outpoint_values(&values).map_err(Throw::from)?
        }
        "btcTxHashAP"
        | "feePerKb"
        | "lockingCap"
        | "activeFedCreationBlockHeight"
        | "nextFedCreationBlockHeight"
        | "nextPegoutHeight"
        | "receiveHeadersLastTimestamp" => encode_long(integer(value)),
        _ => panic!("no such cell: {name}"),
    })
}

fn utxos(value: &Value) -> Vec<Utxo> {
    let utxo = |entry: &Value| Utxo {
        value: integer(&entry["value"]),
        script: bytes(&entry["script"]).into(),
        transaction: hash(&entry["txid"]),
        index: integer(&entry["index"]) as u32,
        height: integer(&entry["height"]) as i32,
        coinbase: entry["coinbase"] == true,
    };
    items(value).iter().map(utxo).collect()
}

fn requests(value: &Value) -> Vec<ReleaseRequest> {
    let request = |entry: &Value| ReleaseRequest {
        destination: short_hash(&entry["hash160"]),
        amount: integer(&entry["value"]),
        transaction_hash: optional_hash(&entry["rskHash"]),
    };
    items(value).iter().map(request).collect()
}

/// Both cells get the whole list; each takes its part.
fn confirmations(value: &Value) -> Result<ConfirmationSet, Throw> {
    let mut set = ConfirmationSet::default();
    for entry in items(value) {
        set.add(WaitingPegout {
            transaction: transaction(&entry["tx"])?,
            created_at: integer(&entry["height"]),
            transaction_hash: optional_hash(&entry["rskHash"]),
        });
    }
    Ok(set)
}

fn key(value: &Value) -> MemberKey {
    MemberKey::parse(&bytes(value)).unwrap_or_else(|| panic!("no key: {value}"))
}

/// Members in the given order, with a single key before RSKIP123.
fn members(value: &Value, multikey: bool) -> Vec<FederationMember> {
    let member = |entry: &Value| {
        if multikey {
            FederationMember { btc_key: key(&entry["btc"]), rsk_key: key(&entry["rsk"]), mst_key: key(&entry["mst"]) }
        } else {
            FederationMember::of_one_key(key(&entry["btc"]))
        }
    };
    items(&value["members"]).iter().map(member).collect()
}

fn federation(context: &Context, value: &Value) -> Result<Federation, Throw> {
    let members = members(value, context.version.is_some());
    let format = format_of(context.version.unwrap_or_default());
    let (time, block) = (integer(&value["creationTimeStored"]), integer(&value["creationBlock"]));
    Federation::new(&context.spec, context.rules, format, members, time, block).map_err(Throw::from)
}

fn election(value: &Value) -> Election {
    let mut election = Election::default();
    for entry in items(value) {
        let arguments: Vec<_> = match entry.get("value") {
            Some(fee) => vec![encode_long(integer(fee))],
            None => items(&entry["arguments"]).iter().map(bytes).collect(),
        };
        let arguments: Vec<_> = arguments.iter().map(Vec::as_slice).collect();
        let call = CallSpec::new(text(&entry["function"]), &arguments);
        for voter in items(&entry["voters"]) {
            election.vote(&call, address(voter));
        }
    }
    election
}

fn one_off(value: &Value) -> Whitelist {
    let entries = value["entries"].as_object().unwrap_or_else(|| panic!("no entries: {value}"));
    let entry =
        |(hash, most): (&String, &Value)| (bytes(&Value::String(hash.clone())), Allowance::OneOff(integer(most)));
    Whitelist {
        entries: entries.iter().map(entry).collect(),
        disabled_after: integer(&value["disableBlockHeight"]) as i32,
    }
}

fn unlimited(value: &Value) -> Whitelist {
    let entries = items(value).iter().map(|hash| (bytes(hash), Allowance::Unlimited)).collect();
    Whitelist { entries, ..Whitelist::default() }
}
