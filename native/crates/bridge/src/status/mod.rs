//! The status of the peg for users (`rsk_getBridgeStatus`): who holds the funds, and what peg-ins and peg-outs wait
//! for. It is serialised as clients receive it: numbers as hex strings, Bitcoin hashes in display order, amounts in
//! satoshi unless wei is stated. None of it is consensus.

mod federations;
mod number;
mod pegouts;

use rhizome_primitives::U256;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::hex;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use serde::Serialize;

use crate::address::ADDRESS;
use crate::money::{satoshi, wei};
use crate::storage::Frame;
use number::number;

pub use federations::{
    FederationStatus, Federations, MemberStatus, MigrationStatus, ValidationStage, ValidationStatus,
};
pub use pegouts::{OutputStatus, PegoutStatus, RequestStatus, SignatureStatus, WaitingStatus};

/// Maximum number of satoshi that the Bridge can pay out in all.
const MAX_MONEY: i64 = rhizome_bitcoin::transaction::MAX_MONEY;

/// The status of the Bridge after a block.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeStatus {
    /// The block.
    pub block_number: U256,
    /// The newest Bitcoin block that it knows.
    pub bitcoin: BitcoinHead,
    /// The federations.
    pub federations: Federations,
    /// Wei that have left the Bridge, backed by the funds of the federations.
    pub locked_wei: U256,
    /// Rules of peg-ins.
    pub pegin: PeginStatus,
    /// Peg-outs.
    pub pegout: PegoutStatus,
}

/// A Bitcoin block.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BitcoinHead {
    /// Its height.
    pub height: U256,
    /// Its hash.
    pub hash: String,
    /// Its time, seconds.
    pub timestamp: U256,
}

/// Rules that a peg-in must satisfy.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PeginStatus {
    /// Minimum value of an output to the federation.
    pub minimum: U256,
    /// Required confirmations in Bitcoin blocks.
    pub confirmations: U256,
    /// The locking cap; None before RSKIP134.
    pub locking_cap: Option<U256>,
    /// Amount that may still be locked below the cap.
    pub below_cap: Option<U256>,
}

/// The status of the Bridge after a block, under the rules of that block. Writes nothing.
///
/// # Errors
/// [`ContractError::Failed`] when a cell does not parse, [`ContractError::State`] when the state cannot be read,
/// [`ContractError::Interrupted`].
pub fn bridge_status(
    spec: &ChainSpec,
    rules: RuleSet,
    state: &mut dyn ContractState,
    at_block_number: u64,
) -> Result<BridgeStatus, ContractError> {
    let mut frame = Frame::read_only(spec, rules, at_block_number, state);
    let head = frame.open_headers()?;
    let locked_wei = wei(MAX_MONEY).saturating_sub(frame.state.balance(ADDRESS)?);
    Ok(BridgeStatus {
        block_number: U256::from(at_block_number),
        bitcoin: BitcoinHead {
            height: number(i64::from(head.height)),
            hash: hex::encode(head.hash()),
            timestamp: U256::from(head.block_header().time()),
        },
        federations: federations::read(&mut frame)?,
        locked_wei,
        pegin: pegin(&mut frame, locked_wei)?,
        pegout: pegouts::read(&mut frame)?,
    })
}

fn pegin(frame: &mut Frame<'_>, locked_wei: U256) -> Result<PeginStatus, ContractError> {
    let spec = frame.bridge();
    let minimum = &spec.minimum_pegin;
    let cap = if frame.active(Rule::Rskip134) { Some(frame.locking_cap()?) } else { None };
    Ok(PeginStatus {
        minimum: U256::from(if frame.active(Rule::Rskip219) { minimum.rskip219 } else { minimum.legacy }),
        confirmations: U256::from(spec.confirmations.pegin),
        locking_cap: cap.map(number),
        below_cap: cap.map(|cap| number(cap.saturating_sub(satoshi(locked_wei)))),
    })
}
