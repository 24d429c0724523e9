//! The end of a run of instructions.

use revm_interpreter::interpreter_types::LoopControl;
use revm_interpreter::{InstructionResult, InterpreterAction};

use crate::instructions::Machine;

/// The action of a machine whose last instruction stopped it.
pub(super) fn stopped(machine: &mut Machine, code: InstructionResult) -> InterpreterAction {
    if machine.bytecode.action().is_none() {
        machine.halt(code);
    }
    machine.take_next_action()
}
