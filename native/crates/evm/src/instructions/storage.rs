//! SLOAD, SSTORE and the transient pair (RSKIP446). Prices depend on whether the cell is present now, not on its value
//! when the transaction began.

use rhizome_primitives::U256;

use super::{Context, Step, charge, pop, push, refuse_static};
use crate::error::HaltKind;
use crate::journal::Cell;

const SET: u64 = 20_000;
const RESET: u64 = 5_000;
const CLEAR_REFUND: i64 = 15_000;

pub(crate) fn load(context: Context<'_>) -> Step {
    let Some(top) = context.interpreter.stack.top() else {
        return Err(revm_interpreter::InstructionResult::StackUnderflow);
    };
    let host = context.host;
    let target = host.frame().target;
    let cell = match host.journal.cell_at(target, *top) {
        Ok(cell) => cell.word(),
        Err(error) => return Err(host.failed(error)),
    };
    *top = cell.ok_or_else(|| host.halted(HaltKind::CellIsNoWord))?;
    Ok(())
}

pub(crate) fn store(context: Context<'_>) -> Step {
    let machine = context.interpreter;
    refuse_static(machine)?;
    let [key, value] = pop(machine)?;
    let host = context.host;
    let target = host.frame().target;
    // The cell counts as read even when the gas runs out (evm.md §5.3).
    let present = match host.journal.cell_at(target, key) {
        Ok(Cell::Bytes(bytes)) if bytes.len() > 32 => return Err(host.halted(HaltKind::CellIsNoWord)),
        Ok(cell) => cell.is_present(),
        Err(error) => return Err(host.failed(error)),
    };
    if present && value.is_zero() {
        machine.gas.record_refund(CLEAR_REFUND);
    }
    charge(machine, if !present && !value.is_zero() { SET } else { RESET })?;
    host.journal.set_cell_at(target, key, Cell::from_word(value)).map_err(|error| host.failed(error))
}

pub(crate) fn transient_load(context: Context<'_>) -> Step {
    let [key] = pop(context.interpreter)?;
    let word = context.host.journal.transient(context.interpreter.input.target_address, key);
    push(context.interpreter, word)
}

pub(crate) fn transient_store(context: Context<'_>) -> Step {
    refuse_static(context.interpreter)?;
    let [key, value]: [U256; 2] = pop(context.interpreter)?;
    context.host.journal.set_transient(context.interpreter.input.target_address, key, value);
    Ok(())
}
