//! The federations: active, retiring, and future ones.

use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use serde::Serialize;

use super::number::number;
use super::pegouts::{SignatureStatus, signatures};
use crate::federation::{Federation, FederationMember, codec};
use crate::storage::Frame;
use crate::storage::utxos::Utxo;
use crate::wallet::balance;

/// Times above it are milliseconds, times below it seconds (bridge.md §0).
const MAX_SECONDS: i64 = 100_000_000_000;

/// All federations.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Federations {
    /// The one that holds the funds.
    pub active: FederationStatus,
    /// The one whose funds are migrating to the active one.
    pub retiring: Option<FederationStatus>,
    /// The one that was committed and is not active yet.
    pub next: Option<FederationStatus>,
    /// The one whose members must show that they can sign (RSKIP419).
    pub proposed: Option<FederationStatus>,
    /// The one that is being formed.
    pub pending: Option<PendingStatus>,
}

/// A federation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FederationStatus {
    /// Its Bitcoin address.
    pub address: String,
    /// Form of its redeem script: `standard`, `nonStandardErp`, `p2shErp`, `p2shP2wshErp`.
    pub format: &'static str,
    /// Signatures that move its funds.
    pub threshold: U256,
    /// Its members, sorted by keys.
    pub members: Vec<MemberStatus>,
    /// Its redeem script.
    pub redeem_script: Bytes,
    /// Block in which it was committed or proposed.
    pub creation_block: U256,
    /// Time of that block, seconds.
    pub creation_time: U256,
    /// Block from which it is active; None for the first federation and a proposed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation_block: Option<U256>,
    /// Its spendable funds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<U256>,
    /// Number of outputs with these funds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<U256>,
    /// Migration period, of the retiring one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub migration: Option<MigrationStatus>,
    /// Progress of the validation, of the proposed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationStatus>,
}

/// A member of a federation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberStatus {
    /// Sender address of its transactions.
    pub address: Address,
    /// Key on the Bitcoin side.
    pub btc_key: Bytes,
    /// Key on the Rootstock side.
    pub rsk_key: Bytes,
    /// Key of the third kind.
    pub mst_key: Bytes,
}

/// A federation that is being formed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingStatus {
    /// Hash by which it is committed.
    pub hash: B256,
    /// Its members so far.
    pub members: Vec<MemberStatus>,
}

/// Migration period of a retiring federation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MigrationStatus {
    /// First block.
    pub from_block: U256,
    /// The block in which the remaining funds move, and the federation is removed.
    pub end_block: U256,
}

/// The next step in the validation of a proposed federation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ValidationStage {
    /// The active federation must fund it.
    Fund,
    /// The funding transaction must be mined and registered.
    RegisterFund,
    /// The transaction that spends the funds must be created.
    Spend,
    /// The proposed members must sign it.
    Sign,
    /// It must be mined and registered.
    RegisterSpend,
}

/// The validation of a proposed federation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationStatus {
    /// Block from which on it has failed.
    pub end_block: U256,
    /// The next step.
    pub stage: ValidationStage,
    /// Id of the awaited transaction before it is signed.
    pub transaction: Option<String>,
    /// Signers of the spending transaction.
    pub signatures: Option<SignatureStatus>,
}

pub(super) fn read(frame: &mut Frame<'_>) -> Result<Federations, ContractError> {
    let first = frame.new_federation()?.is_none();
    let active = frame.active_federation()?;
    let activation = if first { None } else { Some(active.creation_block.wrapping_add(frame.activation_age())) };
    let utxos = frame.active_utxos()?.clone();
    let active = FederationStatus { activation_block: activation.map(number), ..holder(frame, &active, &utxos)? };
    Ok(Federations {
        active,
        retiring: retiring(frame)?,
        next: next(frame)?,
        proposed: proposed(frame)?,
        pending: frame.pending_federation()?.map(|members| PendingStatus {
            hash: codec::pending_hash(&members),
            members: members.iter().map(member).collect(),
        }),
    })
}

fn retiring(frame: &mut Frame<'_>) -> Result<Option<FederationStatus>, ContractError> {
    let Some(federation) = frame.retiring_federation()? else { return Ok(None) };
    let utxos = frame.old_utxos()?.clone();
    let (from, end) = frame.migration_blocks()?;
    let migration = MigrationStatus { from_block: number(from), end_block: number(end) };
    Ok(Some(FederationStatus { migration: Some(migration), ..holder(frame, &federation, &utxos)? }))
}

fn next(frame: &mut Frame<'_>) -> Result<Option<FederationStatus>, ContractError> {
    if !frame.awaits_activation()? {
        return Ok(None);
    }
    let Some(federation) = frame.new_federation()? else { return Ok(None) };
    let utxos = frame.new_utxos()?.clone();
    let activation = federation.creation_block.wrapping_add(frame.activation_age());
    Ok(Some(FederationStatus { activation_block: Some(number(activation)), ..holder(frame, &federation, &utxos)? }))
}

fn proposed(frame: &mut Frame<'_>) -> Result<Option<FederationStatus>, ContractError> {
    let Some(federation) = frame.proposed_federation()? else { return Ok(None) };
    let validation = validation(frame, &federation)?;
    Ok(Some(FederationStatus { validation: Some(validation), ..status(frame.bridge(), &federation)? }))
}

fn validation(frame: &mut Frame<'_>, proposed: &Federation) -> Result<ValidationStatus, ContractError> {
    let period = frame.bridge().federation.validation_period as i64;
    let waiting = frame.svp_spend_waiting()?;
    let (stage, transaction) = if let Some(id) = frame.svp_fund_unsigned()? {
        (ValidationStage::RegisterFund, Some(id))
    } else if let Some(fund) = frame.svp_fund_signed()? {
        (ValidationStage::Spend, Some(fund.txid()))
    } else {
        match (&waiting, frame.svp_spend_unsigned()?) {
            (Some((_, transaction)), _) => (ValidationStage::Sign, Some(transaction.txid())),
            (None, Some(id)) => (ValidationStage::RegisterSpend, Some(id)),
            (None, None) => (ValidationStage::Fund, None),
        }
    };
    let signatures = match waiting {
        Some((_, transaction)) => Some(signatures(frame, &transaction, &[proposed])?),
        None => None,
    };
    Ok(ValidationStatus {
        end_block: number(proposed.creation_block.saturating_add(period)),
        stage,
        transaction: transaction.map(hex::encode),
        signatures,
    })
}

/// A federation with outputs.
fn holder(frame: &Frame<'_>, federation: &Federation, utxos: &[Utxo]) -> Result<FederationStatus, ContractError> {
    Ok(FederationStatus {
        balance: Some(number(balance(utxos)?)),
        outputs: Some(U256::from(utxos.len())),
        ..status(frame.bridge(), federation)?
    })
}

fn status(spec: &BridgeSpec, federation: &Federation) -> Result<FederationStatus, ContractError> {
    let time = federation.creation_time;
    Ok(FederationStatus {
        address: federation.address(spec)?.to_base58(),
        format: match federation.format {
            FederationFormat::Standard => "standard",
            FederationFormat::NonStandardErp => "nonStandardErp",
            FederationFormat::P2shErp => "p2shErp",
            FederationFormat::P2shP2wshErp => "p2shP2wshErp",
        },
        threshold: U256::from(federation.threshold()),
        members: federation.members.iter().map(member).collect(),
        redeem_script: Bytes::copy_from_slice(federation.redeem_script()?),
        creation_block: number(federation.creation_block),
        creation_time: number(if time > MAX_SECONDS { time / 1000 } else { time }),
        activation_block: None,
        balance: None,
        outputs: None,
        migration: None,
        validation: None,
    })
}

fn member(member: &FederationMember) -> MemberStatus {
    MemberStatus {
        address: member.rsk_address(),
        btc_key: Bytes::copy_from_slice(&member.btc_key),
        rsk_key: Bytes::copy_from_slice(&member.rsk_key),
        mst_key: Bytes::copy_from_slice(&member.mst_key),
    }
}
