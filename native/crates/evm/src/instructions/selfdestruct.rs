//! SELFDESTRUCT: the whole balance moves and the account is deleted at the end of the transaction.

use revm_interpreter::InstructionResult;
use rhizome_primitives::Address;
use rhizome_primitives::state::StateError;

use super::{Context, Step, charge, low_address, pop, refuse_static};
use crate::host::EvmHost;

const GAS: u64 = 5_000;
const NEW_ACCOUNT_GAS: u64 = 25_000;

pub(crate) fn selfdestruct(context: Context<'_>) -> Step {
    let (machine, host) = (context.interpreter, context.host);
    refuse_static(machine)?;
    let [word] = pop(machine)?;
    let beneficiary = low_address(word);
    let missing = !host.journal.exists(beneficiary.into()).map_err(|error| host.failed(error))?;
    charge(machine, GAS + if missing { NEW_ACCOUNT_GAS } else { 0 })?;
    let owner = machine.input.target_address;
    bequeath(host, owner, beneficiary).map_err(|error| host.failed(error))?;
    Err(InstructionResult::SelfDestruct)
}

/// Moves the balance, if there is one. A contract that names itself burns it.
fn bequeath(host: &mut EvmHost, owner: Address, beneficiary: Address) -> Result<(), StateError> {
    let balance = host.journal.balance(owner.into())?;
    if !balance.is_zero() {
        if let Some(frame) = host.frames.last_mut() {
            frame.internal_count += 1;
        }
        // Only in a local call an owner has less than nothing, and bequeaths that.
        let (giver, receiver) = if balance.is_negative() { (beneficiary, owner) } else { (owner, beneficiary) };
        if owner == beneficiary {
            host.journal.burn(owner.into())?;
        } else {
            host.journal.transfer(giver.into(), receiver.into(), balance.magnitude())?;
        }
    }
    host.journal.schedule_deletion(owner);
    host.inheritance = Some((owner, beneficiary, balance.shown()));
    Ok(())
}
