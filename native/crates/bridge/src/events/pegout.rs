//! Events of peg-outs.

use rhizome_bitcoin::Transaction;
use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};

use super::{emit, emit_legacy};
use crate::money::satoshi;
use crate::storage::Frame;
use crate::storage::codec::{ListWriter, encode_bytes};
use crate::storage::releases::encode_outpoint_values;

/// Reason why a peg-out request was rejected (bridge.md §1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RejectedRequest {
    LowAmount = 1,
    CallerContract = 2,
    FeeAboveValue = 3,
}

/// `update_collections`; before RSKIP146 the sender as RLP.
pub(crate) fn update_collections(frame: &mut Frame<'_>, sender: Address) {
    if frame.active(Rule::Rskip146) {
        emit(frame, "update_collections(address)", &[], &[AbiValue::Address(sender)]);
    } else {
        emit_legacy(frame, "update_collections_topic", encode_bytes(sender.as_slice()));
    }
}

/// `release_btc`: a transaction that has all signatures; before RSKIP146 its id and bytes as RLP.
pub(crate) fn release_btc(frame: &mut Frame<'_>, rsk_hash: B256, transaction: &Transaction) {
    let raw = transaction.serialize();
    if frame.active(Rule::Rskip146) {
        let data = [AbiValue::Bytes(raw.into())];
        emit(frame, "release_btc(bytes32,bytes)", &[AbiValue::Bytes32(rsk_hash)], &data);
    } else {
        let mut data = ListWriter::default();
        data.bytes(hex::encode(transaction.txid()).as_bytes()).bytes(&raw);
        emit_legacy(frame, "release_btc_topic", data.finish());
    }
}

/// `release_requested` (RSKIP146).
pub(crate) fn release_requested(frame: &mut Frame<'_>, rsk_hash: B256, transaction: B256, satoshi: i64) {
    let indexed = [AbiValue::Bytes32(rsk_hash), AbiValue::Bytes32(transaction)];
    emit(frame, "release_requested(bytes32,bytes32,uint256)", &indexed, &[AbiValue::int(satoshi)]);
}

/// `release_request_received` (RSKIP185): hash of the destination and satoshi before RSKIP326; the Base58 address
/// afterwards, with wei from RSKIP427 on.
pub(crate) fn release_request_received(frame: &mut Frame<'_>, sender: Address, destination: BitcoinAddress, wei: U256) {
    let indexed = [AbiValue::Address(sender)];
    if frame.active(Rule::Rskip326) {
        let data = [AbiValue::String(destination.to_base58()), requested(frame, wei)];
        emit(frame, "release_request_received(address,string,uint256)", &indexed, &data);
    } else {
        let hash = Bytes::copy_from_slice(&destination.hash);
        let data = [AbiValue::Bytes(hash), AbiValue::int(satoshi(wei))];
        emit(frame, "release_request_received(address,bytes,uint256)", &indexed, &data);
    }
}

/// `release_request_rejected` (RSKIP185): satoshi before RSKIP427, wei afterwards.
pub(crate) fn release_request_rejected(frame: &mut Frame<'_>, sender: Address, wei: U256, reason: RejectedRequest) {
    let data = [requested(frame, wei), AbiValue::int(reason as i64)];
    emit(frame, "release_request_rejected(address,uint256,int256)", &[AbiValue::Address(sender)], &data);
}

fn requested(frame: &Frame<'_>, wei: U256) -> AbiValue {
    if frame.active(Rule::Rskip427) { AbiValue::Int(wei) } else { AbiValue::int(satoshi(wei)) }
}

/// `batch_pegout_created` (RSKIP271): the requests that a transaction pays.
pub(crate) fn batch_pegout_created(frame: &mut Frame<'_>, transaction: B256, requests: &[B256]) {
    let data = [AbiValue::Bytes(requests.iter().flatten().copied().collect::<Vec<u8>>().into())];
    emit(frame, "batch_pegout_created(bytes32,bytes)", &[AbiValue::Bytes32(transaction)], &data);
}

/// `pegout_confirmed` (RSKIP326).
pub(crate) fn pegout_confirmed(frame: &mut Frame<'_>, transaction: B256, created_at: i64) {
    let data = [AbiValue::int(created_at)];
    emit(frame, "pegout_confirmed(bytes32,uint256)", &[AbiValue::Bytes32(transaction)], &data);
}

/// `pegout_transaction_created` (RSKIP428): satoshi of the outputs that a transaction spends. A negative
/// value is an error.
pub(crate) fn pegout_transaction_created(
    frame: &mut Frame<'_>,
    transaction: B256,
    values: &[i64],
) -> Result<(), ContractError> {
    let data = [AbiValue::Bytes(encode_outpoint_values(values)?.into())];
    emit(frame, "pegout_transaction_created(bytes32,bytes)", &[AbiValue::Bytes32(transaction)], &data);
    Ok(())
}
