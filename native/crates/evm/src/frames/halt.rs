//! The kind and message of an exceptional halt.

use revm_interpreter::InstructionResult;
use revm_interpreter::interpreter_types::Jumps;

use crate::error::{Halt, HaltKind};
use crate::host::EvmHost;
use crate::instructions::Machine;
use crate::trace::opcode_name;

/// A halt whose message needs no data of the frame.
pub(crate) fn plain(kind: HaltKind) -> Halt {
    let text = match kind {
        HaltKind::HeaderBeyondCode => "the code header points beyond the code",
        HaltKind::CodePrefix => "Contract code cannot start with 0xEF byte (RSKIP544/EIP-3541)",
        HaltKind::CodeTooLong => "Maximum contract size allowed 24576",
        HaltKind::CodeDeposit => "Not enough gas for 'No gas to return just created contract' cause spending",
        HaltKind::BridgeBeforeRskip88 => "contracts cannot call the Bridge before RSKIP88",
        _ => "halt",
    };
    Halt { kind, text: text.into() }
}

/// Describes the halt of the instruction that ran last.
#[cold]
pub(super) fn describe(machine: &Machine, host: &mut EvmHost, code: InstructionResult) -> Halt {
    let pc = machine.bytecode.pc().saturating_sub(1);
    let opcode = machine.bytecode.bytes_ref().get(pc).copied().unwrap_or_default();
    let name = opcode_name(opcode).unwrap_or("unknown opcode");
    let kind = match code {
        InstructionResult::OpcodeNotFound | InstructionResult::NotActivated | InstructionResult::InvalidFEOpcode => {
            HaltKind::InvalidOpcode(opcode)
        }
        InstructionResult::InvalidJump => HaltKind::BadJump,
        InstructionResult::StackUnderflow => HaltKind::StackUnderflow,
        InstructionResult::StackOverflow if (0x80..=0x8f).contains(&opcode) && machine.stack.len() < 1024 => {
            HaltKind::StackUnderflow
        }
        InstructionResult::StackOverflow => HaltKind::StackOverflow,
        InstructionResult::StateChangeDuringStaticCall | InstructionResult::CallNotAllowedInsideStatic => {
            HaltKind::StaticViolation
        }
        InstructionResult::OutOfOffset => HaltKind::ReturnDataOutOfBounds,
        InstructionResult::CreateInitCodeSizeLimit => HaltKind::InitcodeTooLong,
        InstructionResult::PrecompileError => host.halt.take().unwrap_or(HaltKind::Precompile),
        _ => HaltKind::OutOfGas,
    };
    let text = match kind {
        HaltKind::OutOfGas => format!("Not enough gas for '{name}' operation executing"),
        HaltKind::InvalidOpcode(_) => format!("Invalid operation code: opcode[{opcode:02x}]"),
        HaltKind::BadJump => "Operation with pc isn't 'JUMPDEST'".into(),
        HaltKind::StackUnderflow => format!("Expected stack size is not there for '{name}'"),
        HaltKind::StackOverflow => "Expected: overflow 1024 elements stack limit".into(),
        HaltKind::StaticViolation => "Attempt to call a state modifying opcode inside STATICCALL".into(),
        HaltKind::ReturnDataOutOfBounds => "Illegal RETURNDATACOPY arguments".into(),
        HaltKind::InitcodeTooLong => "Maximum initcode size allowed 49152".into(),
        HaltKind::MissingValue => format!("'{name}' takes a value before RSKIP103"),
        HaltKind::BadOperand => format!("operand of '{name}' does not fit 31 bits"),
        HaltKind::CellIsNoWord => "Data word can't exceed 32 bytes".into(),
        _ => format!("'{name}' failed"),
    };
    Halt { kind, text }
}
