//! Peg-ins: bitcoin that become RBTC, and the other transactions that are registered with the Bridge
//! (bridge.md §4.2).

mod classify;
mod evaluate;
mod information;
pub(crate) mod instructions;
mod kind;
mod legacy;
mod legacy_classify;
pub(crate) mod lock;
pub(crate) mod minimum;
pub(crate) mod outputs;
pub(crate) mod sender;
mod settled;

use rhizome_bitcoin::{Transaction, display_hash};
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use crate::headers::proof::validate_proof;
use crate::outcome::{Stop, thrown};
use crate::storage::Frame;
use crate::svp;
use kind::Kind;

/// Registers a raw transaction of a Bitcoin block. A transaction that was processed before or is not proven is ignored
/// without an error.
///
/// # Errors
/// [`Stop`] where the reference throws.
pub(crate) fn register(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    raw: &[u8],
    height: i32,
    proof: &[u8],
) -> Result<(), Stop> {
    let hash = display_hash(raw);
    if frame.processed_height(hash)?.is_some() || !validate_proof(frame, raw, hash, height, proof)? {
        return Ok(());
    }
    let transaction = parse(raw)?;
    if frame.processed_height(transaction.txid())?.is_some() {
        return Ok(());
    }
    match classify::kind(frame, &transaction, height)? {
        Kind::PegIn if frame.active(Rule::Rskip379) => evaluate::register(context, frame, &transaction)?,
        Kind::PegIn => legacy::register(context, frame, &transaction, height)?,
        Kind::PegOutOrMigration => lock::register_outputs(frame, &transaction)?,
        Kind::SvpFund => {
            lock::register_outputs(frame, &transaction)?;
            svp::register_fund(frame, transaction)?;
        }
        Kind::SvpSpend => {
            lock::register_outputs(frame, &transaction)?;
            svp::register_spend(frame)?;
        }
        Kind::Unknown => {}
    }
    Ok(())
}

/// Parses raw bytes and checks the rules that a transaction must satisfy by itself.
pub(crate) fn parse(raw: &[u8]) -> Result<Transaction, ContractError> {
    let (transaction, bytes_read) = Transaction::read(raw).map_err(thrown)?;
    transaction.verify(bytes_read).map_err(thrown)?;
    Ok(transaction)
}
