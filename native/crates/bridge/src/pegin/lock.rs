//! Locking: the bitcoin of a peg-in are kept, and RBTC go to its receiver (bridge.md §4.2.1).

use rhizome_bitcoin::Transaction;
use rhizome_primitives::Address;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::information::Information;
use super::outputs::{outputs_to, value};
use super::settled::mark;
use crate::address::ADDRESS;
use crate::events::pegin as events;
use crate::money;
use crate::outcome::thrown;
use crate::storage::Frame;

/// Maximum number of satoshi that can exist.
const MAX_SATOSHI: i64 = rhizome_bitcoin::transaction::MAX_MONEY;

/// Satoshi that a transaction sends to the active and to the retiring federation. It loads the lists of their outputs.
pub(super) fn amount(frame: &mut Frame<'_>, transaction: &Transaction) -> Result<i64, ContractError> {
    let active = frame.active_federation()?.output_script()?;
    frame.active_utxos()?;
    let mut sum = value(&outputs_to(transaction, &[active]).map_err(thrown)?);
    if let Some(retiring) = frame.retiring_federation()? {
        frame.retiring_utxos()?;
        sum = sum.saturating_add(value(&outputs_to(transaction, &[retiring.output_script()?]).map_err(thrown)?));
    }
    Ok(sum)
}

/// True when the locking cap permits this many satoshi more (RSKIP134).
pub(crate) fn is_under_cap(frame: &mut Frame<'_>, satoshi: i64) -> Result<bool, ContractError> {
    if !frame.active(Rule::Rskip134) {
        return Ok(true);
    }
    let cap = frame.locking_cap()?;
    let free = money::satoshi(frame.state.balance(ADDRESS)?);
    let locked = MAX_SATOSHI.checked_sub(free).and_then(|locked| locked.checked_add(satoshi));
    Ok(locked.ok_or_else(|| thrown("an amount overflows"))? <= cap)
}

/// Pays the RBTC and registers the outputs.
pub(super) fn lock(
    frame: &mut Frame<'_>,
    transaction: &Transaction,
    information: &Information,
    satoshi: i64,
) -> Result<(), ContractError> {
    let receiver = information.destination.ok_or_else(|| thrown("a peg-in without a receiver"))?;
    pay(frame, receiver, satoshi)?;
    let txid = transaction.txid();
    if frame.active(Rule::Rskip170) {
        events::pegin_btc(frame, receiver, txid, satoshi, information.version);
    } else if frame.active(Rule::Rskip146) {
        let sender = information.sender.ok_or_else(|| thrown("a peg-in without a sender"))?;
        events::lock_btc(frame, receiver, txid, &sender.address.to_base58(), satoshi);
    }
    register_outputs(frame, transaction)
}

/// Sends the RBTC for an amount of satoshi from the Bridge.
pub(crate) fn pay(frame: &mut Frame<'_>, receiver: Address, satoshi: i64) -> Result<(), ContractError> {
    let wei = money::wei(satoshi);
    frame.state.transfer(ADDRESS, receiver.into(), wei)?;
    frame.state.trace_transfer(ADDRESS, receiver, wei);
    Ok(())
}

/// Adds the outputs of a transaction to those of the active and the retiring federation, and marks it as processed.
pub(super) fn register_outputs(frame: &mut Frame<'_>, transaction: &Transaction) -> Result<(), ContractError> {
    let active = frame.active_federation()?.output_script()?;
    let outputs = outputs_to(transaction, &[active]).map_err(thrown)?;
    frame.active_utxos()?.extend(outputs);
    if let Some(retiring) = frame.retiring_federation()? {
        let outputs = outputs_to(transaction, &[retiring.output_script()?]).map_err(thrown)?;
        if let Some(utxos) = frame.retiring_utxos()? {
            utxos.extend(outputs);
        }
    }
    mark(frame, transaction.txid())
}
