//! Moves the funds of the retiring federation to the active one (bridge.md §4.1 steps 2 and 3).

use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::settle::{Funds, settle};
use crate::storage::Frame;
use crate::wallet::{BuildError, FederationWallet, Release};

/// Moves as much as the migration period allows; at its end it moves the rest, and the retiring federation is removed.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn migrate_funds(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Result<(), ContractError> {
    let limit = if frame.active(Rule::Rskip294) { frame.bridge().max_inputs_per_migration } else { usize::MAX };
    let Some(wallet) = FederationWallet::retiring(frame, limit)? else { return Ok(()) };
    if frame.in_migration_age()? && wallet.balance()? > frame.fee_per_kb()? / 2 {
        migrate(context, frame, &wallet)?;
    }
    if frame.past_migration_age()? {
        if wallet.balance()? > 0 {
            match migrate(context, frame, &wallet) {
                // Funds that cannot be moved are left.
                Ok(()) | Err(ContractError::Failed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        frame.set_old_federation(None);
    }
    Ok(())
}

fn migrate(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    wallet: &FederationWallet,
) -> Result<(), ContractError> {
    frame.waiting_for_confirmations()?;
    let release = build(frame, wallet)?;
    let amount = release.input_sum()?;
    settle(frame, Funds::Retiring, &release, Some(context.transaction_hash), amount)
}

/// Tries to move everything, then half of it and so on, until a transaction can be built.
fn build(frame: &mut Frame<'_>, wallet: &FederationWallet) -> Result<Release, ContractError> {
    let destination = frame.active_federation()?.address(frame.bridge())?;
    let mut amount = wallet.balance()?;
    loop {
        match wallet.build(frame, destination, |builder| builder.migrate(amount, destination)) {
            Ok(release) => return Ok(release),
            Err(BuildError::InsufficientMoney | BuildError::TooLarge | BuildError::CannotAdjust) => amount /= 2,
            Err(BuildError::Dust) => {
                return Err(ContractError::Failed("the retiring federation cannot be emptied".into()));
            }
            Err(BuildError::Contract(error)) => return Err(error),
        }
    }
}
