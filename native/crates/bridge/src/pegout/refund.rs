//! Refunds of peg-ins (bridge.md §4.2.1, §4.4).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::{Script, Transaction};
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;

use super::settle::settle_refund;
use crate::federation::Federation;
use crate::storage::Frame;
use crate::storage::flyover::FlyoverFederation;
use crate::storage::utxos::Utxo;
use crate::wallet::{BuildError, FederationKeys, FlyoverKeys, ReleaseBuilder, WalletKeys, outputs_of};

/// A peg-in to refund.
pub(crate) struct Refund<'r> {
    /// The peg-in.
    pub(crate) transaction: &'r Transaction,
    /// Refund address.
    pub(crate) destination: BitcoinAddress,
    /// The Rootstock transaction under which it will wait for signatures.
    pub(crate) rsk_hash: B256,
    /// Amount of the peg-in in satoshi, for the event.
    pub(crate) satoshi: i64,
}

/// Sends the outputs to active and retiring federation back; the fee is taken from them. Does nothing when they cannot
/// pay it.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws: no output pays to a federation, or an output before the first
/// that does has a script that does not parse.
pub(crate) fn refund_pegin(frame: &mut Frame<'_>, refund: &Refund<'_>) -> Result<(), ContractError> {
    let live = frame.live_federations()?;
    let federations: Vec<_> = live.iter().cloned().collect();
    let mut keys = FederationKeys(&federations);
    let utxos = outputs_of(refund.transaction, &mut keys)?;
    let mut found = None;
    for federation in &federations {
        if pays_to(refund.transaction, federation.script_hash()?)? {
            found = Some(federation);
            break;
        }
    }
    send_back(frame, refund, utxos, &mut keys, found)
}

/// Refunds a fly-over deposit. `utxos` are its outputs, `deposits` the fly-over federations by the hash in their output
/// scripts.
///
/// # Errors
/// As [`refund_pegin`].
pub(crate) fn refund_flyover(
    frame: &mut Frame<'_>,
    refund: &Refund<'_>,
    derivation_hash: B256,
    utxos: Vec<Utxo>,
    deposits: &[([u8; 20], FlyoverFederation)],
) -> Result<(), ContractError> {
    let live = frame.live_federations()?;
    let federations: Vec<_> = live.iter().cloned().collect();
    let mut found = None;
    for federation in &federations {
        if pays_to(refund.transaction, federation.flyover_script_hash(derivation_hash)?)? {
            found = Some(federation);
            break;
        }
    }
    let mut keys = FlyoverKeys { federations: &federations, deposits };
    send_back(frame, refund, utxos, &mut keys, found)
}

/// True when an output pays to the script; the scripts of earlier outputs must parse.
fn pays_to(transaction: &Transaction, script_hash: [u8; 20]) -> Result<bool, ContractError> {
    for output in &transaction.outputs {
        let script = Script::parse(&output.script).map_err(|error| ContractError::Failed(error.to_string()))?;
        if script.script_hash() == Some(script_hash) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// If only one of two federations uses witnesses, all inputs are prepared in the form of the federation that is found
/// first: such a refund never gets all signatures.
fn send_back(
    frame: &mut Frame<'_>,
    refund: &Refund<'_>,
    utxos: Vec<Utxo>,
    keys: &mut dyn WalletKeys,
    federation: Option<&Federation>,
) -> Result<(), ContractError> {
    let none = || ContractError::Failed("no output pays to a federation".into());
    let segwit = federation.ok_or_else(none)?.is_segwit();
    let mut builder = ReleaseBuilder {
        bitcoin: &frame.bridge().bitcoin,
        rules: frame.rules,
        utxos: &utxos.into(),
        keys,
        segwit,
        change: refund.destination,
        fee_per_kb: frame.fee_per_kb()?,
    };
    match builder.empty_to(refund.destination) {
        Ok(release) => settle_refund(frame, &release, refund.rsk_hash, refund.satoshi),
        Err(BuildError::Contract(error)) => Err(error),
        Err(_) => Ok(()),
    }
}
