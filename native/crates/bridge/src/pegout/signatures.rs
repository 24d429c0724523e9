//! `addSignature`: signatures of federation members for the inputs of a Bitcoin transaction (bridge.md §4.5).

use rhizome_bitcoin::multisig_input::{
    has_enough_signatures, insert_signature, insertion_index, is_signed_by, redeem_script, signature_hash,
};
use rhizome_bitcoin::signature::SIGHASH_ALL;
use rhizome_bitcoin::{PublicKey, ScriptError, Signature, Transaction};
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use crate::events::federation::add_signature as added;
use crate::events::pegout::release_btc;
use crate::federation::FederationMember;
use crate::storage::Frame;
use crate::svp;

/// Signatures of one key: one for each input of the transaction, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignaturesOfKey<'a> {
    pub(crate) key: &'a PublicKey,
    pub(crate) signatures: &'a [Signature],
}

/// Adds signatures to the transaction that waits for them under a Rootstock hash. A transaction with all signatures is
/// reported by an event and removed. Invalid signatures are ignored.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn add_signature(
    frame: &mut Frame<'_>,
    given: SignaturesOfKey<'_>,
    rsk_hash: B256,
) -> Result<(), ContractError> {
    if svp::is_ongoing(frame)?
        && let Some((hash, transaction)) = frame.svp_spend_waiting()?
        && hash == rsk_hash
    {
        return sign_validation(frame, given, rsk_hash, transaction);
    }
    sign_release(frame, given, rsk_hash)
}

/// Members of the proposed federation sign the transaction of its validation.
fn sign_validation(
    frame: &mut Frame<'_>,
    given: SignaturesOfKey<'_>,
    rsk_hash: B256,
    mut transaction: Transaction,
) -> Result<(), ContractError> {
    let proposed = frame.proposed_federation()?;
    let member = proposed.as_ref().and_then(|proposed| proposed.member_by_btc_key(given.key.as_bytes()));
    let Some(member) = member else {
        return Err(ContractError::Failed("the key belongs to no member of the proposed federation".into()));
    };
    if transaction.inputs.len() != given.signatures.len() {
        return Ok(());
    }
    sign(frame, member, given, rsk_hash, &mut transaction)?;
    if has_enough_signatures(&transaction).map_err(failed)? {
        release_btc(frame, rsk_hash, &transaction);
        frame.set_svp_spend_waiting(None);
    } else {
        frame.set_svp_spend_waiting(Some((rsk_hash, transaction)));
    }
    Ok(())
}

/// Members of the active and of the retiring federation sign peg-outs, migrations and refunds.
fn sign_release(frame: &mut Frame<'_>, given: SignaturesOfKey<'_>, rsk_hash: B256) -> Result<(), ContractError> {
    let Some(mut transaction) = frame.waiting_for_signatures()?.get(rsk_hash).cloned() else { return Ok(()) };
    if transaction.inputs.len() != given.signatures.len() {
        return Ok(());
    }
    let Some(member) = live_member(frame, given.key)? else { return Ok(()) };
    if !frame.active(Rule::Rskip326) {
        added(frame, &member, &transaction, rsk_hash);
    }
    sign(frame, &member, given, rsk_hash, &mut transaction)?;
    if has_enough_signatures(&transaction).map_err(failed)? {
        release_btc(frame, rsk_hash, &transaction);
        frame.waiting_for_signatures()?.remove(rsk_hash);
    } else {
        frame.waiting_for_signatures()?.insert(rsk_hash, transaction);
    }
    Ok(())
}

fn live_member(frame: &mut Frame<'_>, key: &PublicKey) -> Result<Option<FederationMember>, ContractError> {
    let retiring = frame.retiring_federation()?;
    let active = frame.active_federation()?;
    let mut federations = std::iter::once(&active).chain(&retiring);
    Ok(federations.find_map(|federation| federation.member_by_btc_key(key.as_bytes())).cloned())
}

/// Inserts the signatures if all of them belong to the key and have a low s.
fn sign(
    frame: &mut Frame<'_>,
    member: &FederationMember,
    given: SignaturesOfKey<'_>,
    rsk_hash: B256,
    transaction: &mut Transaction,
) -> Result<(), ContractError> {
    let hashes = signature_hashes(frame, transaction)?;
    for (signature, hash) in given.signatures.iter().zip(&hashes) {
        let verified = given.key.verify(hash, signature).map_err(|error| failed(error.into()))?;
        if !verified || !signature.is_low_s() {
            return Ok(());
        }
    }
    if insert(given, &hashes, transaction).map_err(failed)? && frame.active(Rule::Rskip326) {
        added(frame, member, transaction, rsk_hash);
    }
    Ok(())
}

/// The signature hashes of the inputs. The output values that witnesses need were stored when the transaction was
/// created.
fn signature_hashes(frame: &mut Frame<'_>, transaction: &Transaction) -> Result<Vec<B256>, ContractError> {
    let with_witness = transaction.has_witness();
    let values = if with_witness { frame.outpoint_values(transaction.txid())? } else { None };
    let value = |index| values.as_ref().and_then(|values| values.get(index)).copied();
    let indexes = 0..transaction.inputs.len();
    indexes.map(|index| signature_hash(transaction, index, value(index)).map_err(failed)).collect()
}

/// Inserts the signatures, input by input, up to an input that the key has signed before or cannot sign. Returns
/// whether any was inserted; a foreign input makes this false, although the inputs before it keep their signatures.
fn insert(given: SignaturesOfKey<'_>, hashes: &[B256], transaction: &mut Transaction) -> Result<bool, ScriptError> {
    let mut signed = false;
    for (index, (signature, hash)) in given.signatures.iter().zip(hashes).enumerate() {
        if is_signed_by(transaction, index, given.key, hash)? || redeem_script(transaction, index)?.is_none() {
            break;
        }
        match insert_one(given.key, signature, hash, transaction, index) {
            Ok(()) => signed = true,
            Err(ScriptError::State(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(signed)
}

fn insert_one(
    key: &PublicKey,
    signature: &Signature,
    hash: &B256,
    transaction: &mut Transaction,
    index: usize,
) -> Result<(), ScriptError> {
    let position = insertion_index(transaction, index, key, hash)?;
    match transaction.inputs.get_mut(index) {
        Some(input) => insert_signature(input, &signature.to_input(SIGHASH_ALL), position),
        None => Err(ScriptError::Other("there is no such input")),
    }
}

fn failed(error: ScriptError) -> ContractError {
    ContractError::Failed(error.to_string())
}
