//! Peg-outs in progress: requested, waiting for confirmations, waiting for signatures.

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::multisig_input::{is_signed_by, missing_signatures, redeem_script, signature_hash};
use rhizome_bitcoin::{PublicKey, Script, Transaction};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use serde::Serialize;

use super::number::number;
use crate::federation::Federation;
use crate::pegout::estimate::fee_of_next_batch;
use crate::storage::Frame;

/// Peg-outs, and the rules that they must satisfy.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PegoutStatus {
    /// Minimum amount of a request.
    pub minimum: U256,
    /// Fee rate of the next transaction, per 1,000 bytes.
    pub fee_per_kb: U256,
    /// Fee of the next transaction, as estimated by the Bridge; None before RSKIP271.
    pub estimated_fee: Option<U256>,
    /// Confirmations, in Rootstock blocks, that a transaction needs before it is signed.
    pub confirmations: U256,
    /// Block from which on requests are paid; None before RSKIP271, when every call of `updateCollections` pays them.
    pub next_batch_block: Option<U256>,
    /// Requests in the order of their arrival.
    pub requests: Vec<RequestStatus>,
    /// Transactions that wait for confirmations.
    pub waiting_for_confirmations: Vec<WaitingStatus>,
    /// Transactions that wait for signatures.
    pub waiting_for_signatures: Vec<WaitingStatus>,
}

/// A request to be paid on the Bitcoin side.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestStatus {
    /// The Rootstock transaction that made it; None for requests older than RSKIP146.
    pub transaction_hash: Option<B256>,
    /// Bitcoin address of the payment.
    pub destination: String,
    /// Requested amount; the fee is deducted from it.
    pub amount: U256,
}

/// A Bitcoin transaction that waits.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStatus {
    /// The Rootstock transaction that identifies it; None for those older than RSKIP146.
    pub transaction_hash: Option<B256>,
    /// Its Bitcoin id; None if signatures will change it.
    pub bitcoin_transaction: Option<String>,
    /// Sum of its inputs.
    pub inputs: U256,
    /// Its outputs.
    pub outputs: Vec<OutputStatus>,
    /// Its current bytes.
    pub raw: Bytes,
    /// Block in which it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_block: Option<U256>,
    /// Block from which it may be signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_block: Option<U256>,
    /// Blocks until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_blocks: Option<U256>,
    /// Its signers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signatures: Option<SignatureStatus>,
}

/// An output of a Bitcoin transaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputStatus {
    /// Its address; None for a script without address.
    pub address: Option<String>,
    /// Its value.
    pub amount: U256,
    /// True when it goes to the active or the retiring federation: change, or funds that move.
    pub to_federation: bool,
}

/// The signatures of a transaction, by its first input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignatureStatus {
    /// Number of signatures that it needs.
    pub needed: U256,
    /// Number of missing signatures.
    pub missing: U256,
    /// Members that signed, by the address of their Rootstock key.
    pub signers: Vec<Address>,
}

pub(super) fn read(frame: &mut Frame<'_>) -> Result<PegoutStatus, ContractError> {
    let spec = frame.bridge();
    let batched = frame.active(Rule::Rskip271);
    let minimum = &spec.minimum_pegout;
    let active = frame.active_federation()?;
    let retiring = frame.retiring_federation()?;
    let live: Vec<_> = std::iter::once(&active).chain(&retiring).collect();
    Ok(PegoutStatus {
        minimum: U256::from(if frame.active(Rule::Rskip219) { minimum.rskip219 } else { minimum.legacy }),
        fee_per_kb: number(frame.fee_per_kb()?),
        estimated_fee: if batched { estimated_fee(frame)?.map(number) } else { None },
        confirmations: U256::from(spec.confirmations.pegout),
        next_batch_block: if batched { Some(number(frame.next_pegout_height()?)) } else { None },
        requests: requests(frame)?,
        waiting_for_confirmations: waiting_for_confirmations(frame, &live)?,
        waiting_for_signatures: waiting_for_signatures(frame, &live)?,
    })
}

/// If outputs cannot be spent, there is no estimate, and everything else is reported.
fn estimated_fee(frame: &mut Frame<'_>) -> Result<Option<i64>, ContractError> {
    match fee_of_next_batch(frame) {
        Ok(fee) => Ok(Some(fee)),
        Err(ContractError::Failed(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn requests(frame: &mut Frame<'_>) -> Result<Vec<RequestStatus>, ContractError> {
    let version = frame.bridge().bitcoin.address_version;
    let requests = frame.requests()?.iter();
    let listed = requests.map(|request| RequestStatus {
        transaction_hash: request.transaction_hash,
        destination: BitcoinAddress { version, hash: request.destination }.to_base58(),
        amount: number(request.amount),
    });
    Ok(listed.collect())
}

fn waiting_for_confirmations(frame: &mut Frame<'_>, live: &[&Federation]) -> Result<Vec<WaitingStatus>, ContractError> {
    let confirmations = frame.bridge().confirmations.pegout as i64;
    let now = frame.block_number as i64;
    let mut waiting: Vec<_> = frame.waiting_for_confirmations()?.sorted().cloned().collect();
    waiting.sort_by_key(|pegout| pegout.created_at);
    let listed = waiting.into_iter().map(|pegout| {
        let confirmed = pegout.created_at.saturating_add(confirmations);
        Ok(WaitingStatus {
            creation_block: Some(number(pegout.created_at)),
            confirmation_block: Some(number(confirmed)),
            remaining_blocks: Some(number(confirmed.saturating_sub(now))),
            ..transaction(frame, pegout.transaction_hash, &pegout.transaction, live)?
        })
    });
    listed.collect()
}

fn waiting_for_signatures(frame: &mut Frame<'_>, live: &[&Federation]) -> Result<Vec<WaitingStatus>, ContractError> {
    let waiting: Vec<_> = frame.waiting_for_signatures()?.iter().map(|(hash, made)| (hash, made.clone())).collect();
    let listed = waiting.into_iter().map(|(hash, made)| {
        let signatures = signatures(frame, &made, live)?;
        Ok(WaitingStatus { signatures: Some(signatures), ..transaction(frame, Some(hash), &made, live)? })
    });
    listed.collect()
}

fn transaction(
    frame: &Frame<'_>,
    transaction_hash: Option<B256>,
    made: &Transaction,
    live: &[&Federation],
) -> Result<WaitingStatus, ContractError> {
    frame.state.go_on()?;
    let scripts = live.iter().map(|federation| federation.output_script()).collect::<Result<Vec<_>, _>>()?;
    let bitcoin = &frame.bridge().bitcoin;
    let outputs = made.outputs.iter().map(|output| {
        let address = Script::parse(&output.script).and_then(|script| script.address(bitcoin));
        OutputStatus {
            address: address.ok().map(BitcoinAddress::to_base58),
            amount: number(output.value),
            to_federation: scripts.contains(&output.script),
        }
    });
    // Only witnesses are not part of the id.
    let settled = made.inputs.iter().all(|input| !input.witness.is_empty());
    Ok(WaitingStatus {
        transaction_hash,
        bitcoin_transaction: settled.then(|| hex::encode(made.txid())),
        inputs: U256::from(made.inputs.len()),
        outputs: outputs.collect(),
        raw: made.serialize().into(),
        creation_block: None,
        confirmation_block: None,
        remaining_blocks: None,
        signatures: None,
    })
}

/// The members of the federations that signed the first input. A transaction whose signers cannot be determined is
/// shown as unsigned.
pub(super) fn signatures(
    frame: &mut Frame<'_>,
    made: &Transaction,
    federations: &[&Federation],
) -> Result<SignatureStatus, ContractError> {
    frame.state.go_on()?;
    let needed = needed(made);
    let missing = missing_signatures(made, 0).unwrap_or(needed);
    let hash = first_hash(frame, made)?;
    let mut signers = Vec::new();
    for member in federations.iter().flat_map(|federation| &federation.members) {
        if signers.len() + missing >= needed {
            break;
        }
        let key = PublicKey::parse(&member.btc_key);
        let signed = hash.zip(key.ok()).is_some_and(|(hash, key)| is_signed_by(made, 0, &key, &hash) == Ok(true));
        let address = member.rsk_address();
        if signed && !signers.contains(&address) {
            signers.push(address);
        }
    }
    Ok(SignatureStatus { needed: U256::from(needed), missing: U256::from(missing), signers })
}

fn needed(made: &Transaction) -> usize {
    let redeem = redeem_script(made, 0).ok().flatten();
    let needed = redeem.and_then(|redeem| Script::parse(redeem).ok()?.signatures_required().ok());
    needed.and_then(|needed| usize::try_from(needed).ok()).unwrap_or(0)
}

fn first_hash(frame: &mut Frame<'_>, made: &Transaction) -> Result<Option<B256>, ContractError> {
    let known = made.has_witness() && frame.active(Rule::Rskip305);
    let values = if known { frame.outpoint_values(made.txid())? } else { None };
    let value = values.and_then(|values| values.first().copied());
    Ok(signature_hash(made, 0, value).ok())
}
