//! The inner loop: plain, interruptible or inspected.

use revm_interpreter::interpreter_types::Jumps;
use revm_interpreter::{InstructionResult, InterpreterAction};

use super::effort::run_bounded;
use super::stopped::stopped;
use super::{Evm, FrameResult, Next, halt};
use crate::error::ExecutionError;
use crate::host::EvmHost;
use crate::instructions::Machine;
use crate::tables::Tables;
use crate::trace::{FrameStatus, Inspector, StepView};
use rhizome_primitives::interrupt::Interrupt;

/// Gas between two checks of the interrupt flag: enough of it to make the checks negligible, and some ten reads of the
/// store at most. Whatever loops costs gas.
const INTERRUPT_GAS: u64 = 2_000;

impl Evm {
    /// Runs the top frame until it ends or requests another frame.
    pub(super) fn run<I: Inspector>(&mut self, inspector: &mut I) -> Result<Next, ExecutionError> {
        let Self { host, tables, frames, interrupt, effort, .. } = self;
        let machine = &mut frames.last_mut().expect("the frame loop has a frame").machine;
        let action = if I::STEPS {
            run_watched(machine, tables, host, interrupt.as_ref(), inspector)?
        } else if let Some(left) = effort {
            run_bounded(machine, tables, host, left)?
        } else if let Some(flag) = interrupt {
            run_interruptible(machine, tables, host, flag)?
        } else {
            machine.run_plain(&tables.instructions, &tables.gas, host)
        };
        let InterpreterAction::Return(mut result) = action else {
            let request = host.request.take().expect("an instruction that asks leaves its request");
            return Ok(Next::Asked(request));
        };
        let status = match result.result {
            InstructionResult::Stop | InstructionResult::Return => FrameStatus::Success,
            InstructionResult::SelfDestruct => {
                if let Some((account, beneficiary, balance)) = host.inheritance.take()
                    && I::FRAMES
                {
                    inspector.selfdestruct(account, beneficiary, balance);
                }
                FrameStatus::Success
            }
            InstructionResult::Revert => FrameStatus::Revert,
            InstructionResult::FatalExternalError => {
                return Err(host.fatal.take().unwrap_or(ExecutionError::Interrupted));
            }
            code => FrameStatus::Halt(halt::describe(machine, host, code)),
        };
        if matches!(status, FrameStatus::Halt(_)) {
            result.gas.spend_all();
        }
        Ok(Next::Ended(FrameResult {
            gas_left: result.gas.remaining(),
            refund: result.gas.refunded(),
            output: result.output,
            status,
        }))
    }
}

fn run_interruptible(
    machine: &mut Machine,
    tables: &Tables,
    host: &mut EvmHost,
    flag: &Interrupt,
) -> Result<InterpreterAction, ExecutionError> {
    loop {
        if flag.raised() {
            return Err(ExecutionError::Interrupted);
        }
        let end = machine.gas.remaining().saturating_sub(INTERRUPT_GAS);
        // Four instructions between two looks at the gas: a look at each of them took some 2 % of a call that computes.
        loop {
            for _ in 0..4 {
                if let Err(code) = machine.step(&tables.instructions, &tables.gas, host) {
                    return Ok(stopped(machine, code));
                }
            }
            if machine.gas.remaining() <= end {
                break;
            }
        }
    }
}

fn run_watched<I: Inspector>(
    machine: &mut Machine,
    tables: &Tables,
    host: &mut EvmHost,
    flag: Option<&Interrupt>,
    inspector: &mut I,
) -> Result<InterpreterAction, ExecutionError> {
    loop {
        if flag.is_some_and(|flag| flag.raised()) {
            return Err(ExecutionError::Interrupted);
        }
        let gas = machine.gas.remaining();
        {
            let memory = machine.memory.context_memory();
            let view = StepView {
                pc: machine.bytecode.pc(),
                opcode: machine.bytecode.opcode(),
                depth: machine.input.depth,
                gas,
                gas_limit: machine.gas.limit(),
                address: machine.input.target_address,
                stack: machine.stack.data(),
                memory: &memory,
                return_data: &machine.return_data.0,
                refund: machine.gas.refunded(),
            };
            inspector.step(&view, &mut host.journal)?;
        }
        if inspector.is_full() {
            return Err(ExecutionError::Interrupted);
        }
        let outcome = machine.step(&tables.instructions, &tables.gas, host);
        let halted = matches!(outcome, Err(code) if code.is_halt() || code == InstructionResult::FatalExternalError);
        inspector.step_end((!halted).then(|| gas.saturating_sub(machine.gas.remaining())));
        if let Err(code) = outcome {
            return Ok(stopped(machine, code));
        }
    }
}
