//! Instructions that differ from Ethereum's, by topic. All others are built in (tables.rs).

pub(crate) mod account;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod create;
pub(crate) mod legacy;
pub(crate) mod memory;
pub(crate) mod selfdestruct;
pub(crate) mod storage;

use revm_interpreter::interpreter::EthInterpreter;
use revm_interpreter::{InstructionContext, InstructionResult, Interpreter};
use rhizome_primitives::{Address, U256};

use crate::host::EvmHost;

/// Component types of the interpreter.
pub(crate) type Wire = EthInterpreter;
/// The interpreter of one frame.
pub(crate) type Machine = Interpreter<Wire>;
/// Argument of an instruction.
pub(crate) type Context<'a> = InstructionContext<'a, EvmHost, Wire>;
/// Result of an instruction.
pub(crate) type Step = Result<(), InstructionResult>;

/// Pops N words, the top one first.
pub(crate) fn pop<const N: usize>(machine: &mut Machine) -> Result<[U256; N], InstructionResult> {
    machine.stack.popn().ok_or(InstructionResult::StackUnderflow)
}

/// Pushes a word.
pub(crate) fn push(machine: &mut Machine, word: U256) -> Step {
    if machine.stack.push(word) { Ok(()) } else { Err(InstructionResult::StackOverflow) }
}

/// Charges gas.
pub(crate) fn charge(machine: &mut Machine, gas: u64) -> Step {
    if machine.gas.record_regular_cost(gas) { Ok(()) } else { Err(InstructionResult::OutOfGas) }
}

/// Halts inside a static frame (RSKIP91).
pub(crate) fn refuse_static(machine: &Machine) -> Step {
    if machine.runtime_flag.is_static { Err(InstructionResult::StateChangeDuringStaticCall) } else { Ok(()) }
}

/// The low 20 bytes of a word.
pub(crate) fn low_address(word: U256) -> Address {
    Address::from_word(word.into())
}
