//! Bookkeeping for a transaction that the Bridge created (bridge.md §4.1 step 6).

use rhizome_bitcoin::multisig_input::pegout_index_hash;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use crate::events::pegout::{pegout_transaction_created, release_requested};
use crate::storage::Frame;
use crate::storage::confirmations::WaitingPegout;
use crate::wallet::{Release, remove_spent};

/// The federation whose outputs a transaction spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Funds {
    /// Those of the active federation.
    Active,
    /// Those of the retiring federation.
    Retiring,
}

/// Records a transaction that the Bridge built from a federation's outputs: the outputs are spent, and the transaction
/// waits for confirmations, is indexed by its signature hash (RSKIP379) and reported by events. `rsk_hash` is the
/// Rootstock transaction that requested it, None for a request older than RSKIP146; `satoshi` is the requested amount.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws; records that were made before are kept.
pub(crate) fn settle(
    frame: &mut Frame<'_>,
    funds: Funds,
    release: &Release,
    rsk_hash: Option<B256>,
    satoshi: i64,
) -> Result<(), ContractError> {
    match funds {
        Funds::Active => remove_spent(frame.active_utxos()?.edit(), &release.transaction),
        Funds::Retiring => {
            if let Some(utxos) = frame.retiring_utxos()? {
                remove_spent(utxos.edit(), &release.transaction);
            }
        }
    }
    wait_for_confirmations(frame, release, rsk_hash)?;
    if frame.active(Rule::Rskip379) {
        let hash = pegout_index_hash(&release.transaction).map_err(|error| ContractError::Failed(error.to_string()))?;
        let none = || ContractError::Failed("a peg-out without a signature hash".into());
        frame.add_pegout_signature_hash(hash.ok_or_else(none)?)?;
    }
    report(frame, release, rsk_hash, satoshi)
}

/// Records a transaction that refunds a peg-in. Its outputs were never registered, and it is not indexed by its
/// signature hash.
///
/// # Errors
/// As for [`settle`].
pub(crate) fn settle_refund(
    frame: &mut Frame<'_>,
    release: &Release,
    rsk_hash: B256,
    satoshi: i64,
) -> Result<(), ContractError> {
    wait_for_confirmations(frame, release, Some(rsk_hash))?;
    report(frame, release, Some(rsk_hash), satoshi)
}

fn wait_for_confirmations(
    frame: &mut Frame<'_>,
    release: &Release,
    rsk_hash: Option<B256>,
) -> Result<(), ContractError> {
    let transaction_hash = rsk_hash.filter(|_| frame.active(Rule::Rskip146));
    let created_at = frame.block_number as i64;
    let pegout = WaitingPegout { transaction: release.transaction.clone(), created_at, transaction_hash };
    frame.waiting_for_confirmations()?.add(pegout);
    Ok(())
}

fn report(frame: &mut Frame<'_>, release: &Release, rsk_hash: Option<B256>, satoshi: i64) -> Result<(), ContractError> {
    if frame.active(Rule::Rskip146)
        && let Some(hash) = rsk_hash
    {
        release_requested(frame, hash, release.transaction.txid(), satoshi);
    }
    report_inputs(frame, release)
}

/// Reports (RSKIP428) and stores (RSKIP305) the values of a transaction's inputs.
///
/// # Errors
/// [`ContractError::Failed`] when the values of this transaction are stored already.
pub(crate) fn report_inputs(frame: &mut Frame<'_>, release: &Release) -> Result<(), ContractError> {
    if !frame.active(Rule::Rskip428) {
        return Ok(());
    }
    let txid = release.transaction.txid();
    pegout_transaction_created(frame, txid, &release.input_values)?;
    frame.set_outpoint_values(txid, release.input_values.clone())
}
