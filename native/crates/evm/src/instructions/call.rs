//! CALL, CALLCODE, DELEGATECALL, STATICCALL up to the point where the calling frame has paid (evm.md §2.3 steps 1 to
//! 8). The rest is in frames/call.rs.

use revm_bytecode::opcode::{CALL, CALLCODE, DELEGATECALL, STATICCALL};
use revm_interpreter::interpreter_types::LoopControl;
use revm_interpreter::{FrameInput, InstructionResult, InterpreterAction};
use rhizome_primitives::U256;

use super::memory::{Range, expansion, grow};
use super::{Context, Step, charge, low_address, pop};
use crate::error::HaltKind;
use crate::host::{CallRequest, Request};

const CALL_GAS: u64 = 700;
const NEW_ACCOUNT_GAS: u64 = 25_000;
const VALUE_GAS: u64 = 9_000;
const STIPEND: u64 = 2_300;
/// Words that STATICCALL requires at every height, even when it takes one more (evm.md §1.3, RSKIP103).
const DECLARED_WORDS: usize = 6;
/// Gas is a signed 64-bit number.
const MAX_GAS: u64 = i64::MAX as u64;

pub(crate) fn call<const OPCODE: u8>(context: Context<'_>) -> Step {
    let (machine, host) = (context.interpreter, context.host);
    let takes_value = match OPCODE {
        CALL | CALLCODE => true,
        STATICCALL => !host.rules.static_call_without_value,
        _ => false,
    };
    if OPCODE == STATICCALL && takes_value && machine.stack.len() == DECLARED_WORDS {
        return Err(host.halted(HaltKind::MissingValue));
    }
    let [gas, word] = pop(machine)?;
    let value = if takes_value { pop::<1>(machine)?[0] } else { U256::ZERO };
    if OPCODE == CALL && machine.runtime_flag.is_static && !value.is_zero() {
        return Err(InstructionResult::CallNotAllowedInsideStatic);
    }
    let [input_offset, input_size, output_offset, output_size] = pop(machine)?;
    let address = low_address(word);

    let mut fixed = CALL_GAS;
    if OPCODE == CALL && !host.journal.exists(address.into()).map_err(|error| host.failed(error))? {
        fixed += NEW_ACCOUNT_GAS;
    }
    if !value.is_zero() {
        fixed += VALUE_GAS;
    }
    let input = Range::new(input_offset, input_size)?;
    let output = Range::new(output_offset, output_size)?;
    fixed += expansion(machine, input.end().max(output.end()));

    let rest = machine.gas.remaining().checked_sub(fixed).ok_or(InstructionResult::OutOfGas)?;
    let stipend = if value.is_zero() { 0 } else { STIPEND };
    if rest < stipend {
        return Err(InstructionResult::OutOfGas);
    }
    let requested = u64::try_from(gas).unwrap_or(MAX_GAS).min(MAX_GAS) + stipend;
    if requested > MAX_GAS && !host.rules.call_gas_saturates {
        return Err(InstructionResult::OutOfGas);
    }
    let callee_gas = requested.min(rest);
    charge(machine, fixed + callee_gas)?;
    if output.size > 0 {
        grow(machine, output.end());
    }
    host.request = Some(Request::Call(CallRequest {
        opcode: OPCODE,
        word,
        address,
        value,
        gas: callee_gas,
        input: (input.offset, input.size),
        output: (output.offset, output.size),
        raw_output_offset: output_offset.as_limbs()[0] as u32,
    }));
    machine.bytecode.set_action(InterpreterAction::NewFrame(FrameInput::Empty));
    Err(InstructionResult::Suspend)
}

/// True when the opcode runs the target's code in the calling account.
pub(crate) fn keeps_account(opcode: u8) -> bool {
    matches!(opcode, CALLCODE | DELEGATECALL)
}
