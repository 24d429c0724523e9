//! Pays the queued requests from the funds of the active federation (bridge.md §4.1 steps 4, 5 and 7).

use std::collections::HashSet;

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, address};

use super::settle::{Funds, settle};
use crate::address::ADDRESS;
use crate::events::pegout::batch_pegout_created;
use crate::money::wei;
use crate::storage::Frame;
use crate::storage::requests::ReleaseRequest;
use crate::wallet::{BuildError, FederationWallet, Release, remove_spent};

/// Maximum number of requests that a call tries before RSKIP271.
const MAX_REQUESTS: usize = 30;
/// Receiver of RBTC that are no longer backed by bitcoin.
const BURN_ADDRESS: Address = address!("ffffffffffffffffffffffffffffffffffffffff");

/// Pays requests: one transaction each before RSKIP271, a single one for all afterwards, when a batch is due.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn pay_requests(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), ContractError> {
    let wallet = FederationWallet::active(frame)?;
    frame.requests()?;
    frame.waiting_for_confirmations()?;
    frame.fee_per_kb()?;
    if frame.active(Rule::Rskip271) { pay_batch(context, frame, &wallet) } else { pay_each(frame, wallet) }
}

/// Destination and amount of a request.
fn output(frame: &Frame<'_>, request: &ReleaseRequest) -> (BitcoinAddress, i64) {
    let version = frame.bridge().bitcoin.address_version;
    (BitcoinAddress { version, hash: request.destination }, request.amount)
}

/// Requests that cannot be paid go to the end of the queue.
fn pay_each(frame: &mut Frame<'_>, mut wallet: FederationWallet) -> Result<(), ContractError> {
    let queue = frame.requests()?;
    let tried: Vec<_> = queue.drain(..queue.len().min(MAX_REQUESTS)).collect();
    let mut unpaid = Vec::new();
    for request in tried {
        let output = output(frame, &request);
        match wallet.build_with_own_change(frame, |builder| builder.pay(&[output])) {
            Ok(release) => {
                settle(frame, Funds::Active, &release, request.transaction_hash, request.amount)?;
                remove_spent(wallet.utxos.edit(), &release.transaction);
                burn_difference(frame, &wallet, &release, request.amount)?;
            }
            Err(BuildError::Contract(error)) => return Err(error),
            Err(_) => unpaid.push(request),
        }
    }
    frame.requests()?.extend(unpaid);
    Ok(())
}

/// One transaction for as many of the first requests as fit, if the funds cover the whole queue. The settled and
/// reported amount is always the total of the whole queue.
fn pay_batch(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    wallet: &FederationWallet,
) -> Result<(), ContractError> {
    if (frame.block_number as i64) < frame.next_pegout_height()? {
        return Ok(());
    }
    let mut requests = frame.requests()?.clone();
    let total = requests.iter().try_fold(0_i64, |sum, request| sum.checked_add(request.amount));
    let total = total.ok_or_else(|| ContractError::Failed("the requests overflow".into()))?;
    if wallet.balance()? < total {
        return Ok(());
    }
    if !requests.is_empty() {
        let Some(release) = build_batch(frame, wallet, &mut requests)? else { return Ok(()) };
        settle(frame, Funds::Active, &release, Some(context.transaction_hash), total)?;
        remove_paid(frame.requests()?, &requests);
        let unnamed = || ContractError::Failed("a request without a hash".into());
        let hashes = requests.iter().map(|request| request.transaction_hash.ok_or_else(unnamed));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        batch_pegout_created(frame, release.transaction.txid(), &hashes);
        burn_difference(frame, wallet, &release, total)?;
    }
    if frame.requests()?.is_empty() {
        frame.set_next_pegout_height((frame.block_number + frame.bridge().blocks_between_pegouts) as i64);
    }
    Ok(())
}

/// The transaction of the first requests: all of them, or the number after halving it until the transaction is short
/// enough. None when it cannot be built.
fn build_batch(
    frame: &mut Frame<'_>,
    wallet: &FederationWallet,
    requests: &mut Vec<ReleaseRequest>,
) -> Result<Option<Release>, ContractError> {
    let mut outputs: Vec<_> = requests.iter().map(|request| output(frame, request)).collect();
    loop {
        match wallet.build_with_own_change(frame, |builder| builder.pay(&outputs)) {
            Ok(release) => return Ok(Some(release)),
            Err(BuildError::TooLarge) if outputs.len() > 1 => {
                outputs.truncate(outputs.len() / 2);
                requests.truncate(outputs.len());
            }
            Err(BuildError::Contract(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
    }
}

/// Removes all requests from the queue that equal a paid one.
fn remove_paid(queue: &mut Vec<ReleaseRequest>, paid: &[ReleaseRequest]) {
    let key = |request: &ReleaseRequest| (request.destination, request.amount, request.transaction_hash);
    let paid: HashSet<_> = paid.iter().map(key).collect();
    queue.retain(|request| !paid.contains(&key(request)));
}

/// Change that is raised above dust leaves the federation more bitcoin than RBTC was given for: the difference is
/// burned.
fn burn_difference(
    frame: &mut Frame<'_>,
    wallet: &FederationWallet,
    release: &Release,
    requested: i64,
) -> Result<(), ContractError> {
    let outputs = &release.transaction.outputs;
    if outputs.len() <= 1 {
        return Ok(());
    }
    let returned = wallet.returned(frame, outputs)?;
    let burnt = release.input_sum()?.checked_sub(returned).and_then(|spent| requested.checked_sub(spent));
    let burnt = burnt.ok_or_else(|| ContractError::Failed("an amount overflows".into()))?;
    if burnt > 0 {
        frame.state.transfer(ADDRESS, BURN_ADDRESS.into(), wei(burnt))?;
        frame.state.trace_transfer(ADDRESS, BURN_ADDRESS, wei(burnt));
    }
    Ok(())
}
