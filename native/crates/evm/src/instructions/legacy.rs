//! Opcodes removed by RSKIP191: DUPN, SWAPN and TXINDEX. The first two take their operand from the stack and skip the
//! byte after them, which is not push data.

use revm_interpreter::InstructionResult;
use revm_interpreter::interpreter_types::Jumps;
use rhizome_primitives::U256;

use super::{Context, Machine, Step, push};
use crate::error::HaltKind;
use crate::host::EvmHost;

pub(crate) fn dup_n(context: Context<'_>) -> Step {
    let machine = context.interpreter;
    let depth = operand(machine, context.host, 2)?;
    let length = machine.stack.len();
    let word = length.checked_sub(depth + 1).map(|at| machine.stack.data()[at]);
    push(machine, word.ok_or(InstructionResult::StackUnderflow)?)?;
    machine.bytecode.relative_jump(1);
    Ok(())
}

pub(crate) fn swap_n(context: Context<'_>) -> Step {
    let machine = context.interpreter;
    let depth = operand(machine, context.host, 3)? + 1;
    let length = machine.stack.len();
    let other = length.checked_sub(depth + 1).ok_or(InstructionResult::StackUnderflow)?;
    machine.stack.data_mut().swap(other, length - 1);
    machine.bytecode.relative_jump(1);
    Ok(())
}

/// Pops the operand, which must fit 31 bits. Before that, `declared` words must be on the stack.
fn operand(machine: &mut Machine, host: &mut EvmHost, declared: usize) -> Result<usize, InstructionResult> {
    if machine.stack.len() < declared {
        return Err(InstructionResult::StackUnderflow);
    }
    let word = machine.stack.pop()?;
    match u32::try_from(word) {
        Ok(value) if value <= i32::MAX as u32 => Ok(value as usize),
        _ => Err(host.halted(HaltKind::BadOperand)),
    }
}

pub(crate) fn transaction_index(context: Context<'_>) -> Step {
    push(context.interpreter, U256::from(context.host.transaction.index))
}
