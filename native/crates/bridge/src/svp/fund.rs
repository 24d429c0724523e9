//! The transaction by which the active federation funds the validation of a proposed one (bridge.md §4.7).

use rhizome_primitives::bridge_spec::PROPOSED_FEDERATION_FLYOVER_PREFIX;
use rhizome_primitives::contract::{ContractContext, ContractError};

use crate::federation::Federation;
use crate::pegout::{Funds, settle};
use crate::storage::Frame;
use crate::wallet::{BuildError, FederationWallet};

/// Value of an output for the validation, as a multiple of the minimum peg-out.
const MINIMUMS: i64 = 2;

/// Pays two outputs to the proposed federation. The transaction waits for confirmations like a peg-out. Does nothing
/// when the active federation cannot pay.
pub(super) fn create(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    proposed: &Federation,
) -> Result<(), ContractError> {
    let value = frame.bridge().minimum_pegout.rskip219 as i64 * MINIMUMS;
    let plain = proposed.address(frame.bridge())?;
    let flyover = proposed.flyover_address(frame.bridge(), PROPOSED_FEDERATION_FLYOVER_PREFIX)?;
    let outputs = [(plain, value), (flyover, value)];
    let wallet = FederationWallet::active(frame)?;
    let release = match wallet.build_with_own_change(frame, |builder| builder.fund(&outputs)) {
        Ok(release) => release,
        Err(BuildError::Contract(error)) => return Err(error),
        Err(_) => return Ok(()),
    };
    frame.set_svp_fund_unsigned(Some(release.transaction.txid()));
    settle(frame, Funds::Active, &release, Some(context.transaction_hash), value * outputs.len() as i64)
}
