//! Classifies registered transactions (bridge.md §4.2).

use rhizome_bitcoin::Transaction;
use rhizome_bitcoin::multisig_input::pegout_index_hash;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::kind::Kind;
use super::{legacy_classify, outputs::outputs_to};
use crate::federation::live::LiveFederations;
use crate::outcome::thrown;
use crate::storage::Frame;
use crate::svp;

/// The kind of a transaction in a Bitcoin block of the given height. The index of peg-outs is used from RSKIP379 on,
/// starting some blocks after its Bitcoin height.
pub(crate) fn kind(frame: &mut Frame<'_>, transaction: &Transaction, height: i32) -> Result<Kind, ContractError> {
    let federations = frame.live_federations()?;
    if !uses_index(frame, height) {
        return legacy_classify::kind(frame, &federations, transaction);
    }
    if svp::is_fund_transaction(frame, transaction)? {
        return Ok(Kind::SvpFund);
    }
    if svp::is_spend_transaction(frame, transaction)? {
        return Ok(Kind::SvpSpend);
    }
    let outputs = outputs_to(transaction, &output_scripts(&federations)?).map_err(thrown)?;
    let hash = pegout_index_hash(transaction).map_err(thrown)?;
    if let Some(hash) = hash
        && frame.has_pegout_signature_hash(hash)?
    {
        return Ok(Kind::PegOutOrMigration);
    }
    Ok(if outputs.is_empty() { Kind::Unknown } else { Kind::PegIn })
}

fn uses_index(frame: &Frame<'_>, height: i32) -> bool {
    let index = &frame.bridge().pegout_index;
    let from = i64::from(index.activation) + i64::from(index.grace_period);
    frame.active(Rule::Rskip379) && i64::from(height) >= from
}

/// Output scripts of the active and the retiring federation.
pub(crate) fn output_scripts(federations: &LiveFederations) -> Result<Vec<Vec<u8>>, ContractError> {
    federations.iter().map(|federation| federation.output_script()).collect()
}
