//! Events of federations.

use rhizome_bitcoin::Transaction;
use rhizome_crypto::hash160;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, Bytes, hex};

use super::{emit, emit_legacy};
use crate::federation::{Federation, FederationMember};
use crate::storage::Frame;
use crate::storage::codec::ListWriter;

/// `add_signature`: the address is that of the Bitcoin key before RSKIP415, and that of the Rootstock key afterwards.
/// Before RSKIP146: ids and the hash of the Bitcoin key as RLP.
pub(crate) fn add_signature(
    frame: &mut Frame<'_>,
    member: &FederationMember,
    transaction: &Transaction,
    rsk_hash: B256,
) {
    if !frame.active(Rule::Rskip146) {
        let mut data = ListWriter::default();
        data.bytes(hex::encode(transaction.txid()).as_bytes());
        data.bytes(&hash160(&member.btc_key)).bytes(rsk_hash.as_slice());
        return emit_legacy(frame, "add_signature_topic", data.finish());
    }
    let key = if frame.active(Rule::Rskip415) { &member.rsk_key } else { &member.btc_key };
    let indexed = [AbiValue::Bytes32(rsk_hash), AbiValue::Address(key.rsk_address())];
    let data = [AbiValue::Bytes(Bytes::copy_from_slice(&member.btc_key))];
    emit(frame, "add_signature(bytes32,address,bytes)", &indexed, &data);
}

/// `commit_federation`: keys and addresses of both federations, and the block in which the new one becomes
/// active; before RSKIP146 keys and script hashes as RLP.
pub(crate) fn commit_federation(
    frame: &mut Frame<'_>,
    old: &Federation,
    new: &Federation,
) -> Result<(), ContractError> {
    let active_from = (frame.block_number as i64).wrapping_add(frame.activation_age());
    if frame.active(Rule::Rskip146) {
        let keys = |federation: &Federation| {
            let keys = federation.members.iter().flat_map(|member| member.btc_key.to_vec());
            AbiValue::Bytes(keys.collect::<Vec<u8>>().into())
        };
        let address = |federation: &Federation| {
            federation.address(frame.bridge()).map(|address| AbiValue::String(address.to_base58()))
        };
        let data = [keys(old), address(old)?, keys(new), address(new)?, AbiValue::int(active_from)];
        emit(frame, "commit_federation(bytes,string,bytes,string,int256)", &[], &data);
        return Ok(());
    }
    let encoded = |federation: &Federation| {
        let mut keys = ListWriter::default();
        for member in &federation.members {
            keys.bytes(&member.btc_key);
        }
        let mut encoded = ListWriter::default();
        encoded.bytes(&federation.script_hash()?).raw(&keys.finish());
        Ok::<_, ContractError>(encoded.finish())
    };
    let mut data = ListWriter::default();
    data.raw(&encoded(old)?).raw(&encoded(new)?).bytes(active_from.to_string().as_bytes());
    emit_legacy(frame, "commit_federation_topic", data.finish());
    Ok(())
}

/// `commit_federation_failed` (RSKIP419): the redeem script of the proposed federation and this block.
pub(crate) fn commit_federation_failed(frame: &mut Frame<'_>, proposed: &Federation) -> Result<(), ContractError> {
    let script = Bytes::copy_from_slice(proposed.redeem_script()?);
    let data = [AbiValue::Bytes(script), AbiValue::int(frame.block_number as i64)];
    emit(frame, "commit_federation_failed(bytes,int256)", &[], &data);
    Ok(())
}
