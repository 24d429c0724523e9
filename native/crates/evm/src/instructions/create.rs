//! CREATE and CREATE2 up to the point where the creating frame has paid (evm.md §2.4 steps 1 and 2). The rest is in
//! frames/create.rs.

use revm_interpreter::interpreter_types::LoopControl;
use revm_interpreter::{FrameInput, InstructionResult, InterpreterAction};
use rhizome_primitives::Bytes;

use super::memory::{Range, expansion, grow, words};
use super::{Context, Step, charge, pop, refuse_static};
use crate::host::{CreateRequest, Request};
use crate::rules::MAX_INITCODE_SIZE;

const CREATE_GAS: u64 = 32_000;
/// CREATE2 hashes the initcode.
const HASH_WORD_GAS: u64 = 6;
/// RSKIP438.
const INITCODE_WORD_GAS: u64 = 2;

pub(crate) fn create<const WITH_SALT: bool>(context: Context<'_>) -> Step {
    let (machine, host) = (context.interpreter, context.host);
    refuse_static(machine)?;
    let [value, offset, size] = pop(machine)?;
    let salt = if WITH_SALT { Some(pop::<1>(machine)?[0]) } else { None };
    let range = Range::new(offset, size)?;
    let mut gas = CREATE_GAS + expansion(machine, range.end());
    if WITH_SALT {
        gas += HASH_WORD_GAS * words(range.size);
    }
    if host.rules.initcode_limited {
        gas += INITCODE_WORD_GAS * words(range.size);
    }
    charge(machine, gas)?;
    // The nonce is read before anything else can fail (evm.md §5.3).
    host.journal.nonce(machine.input.target_address.into()).map_err(|error| host.failed(error))?;
    let initcode = if range.size == 0 {
        Bytes::new()
    } else {
        grow(machine, range.end());
        Bytes::copy_from_slice(&machine.memory.slice_len(range.offset, range.size))
    };
    if host.rules.initcode_limited && initcode.len() > MAX_INITCODE_SIZE {
        return Err(InstructionResult::CreateInitCodeSizeLimit);
    }
    host.request = Some(Request::Create(CreateRequest { value, initcode, salt }));
    machine.bytecode.set_action(InterpreterAction::NewFrame(FrameInput::Empty));
    Err(InstructionResult::Suspend)
}
