//! Calls from contracts (evm.md §2.3 steps 9 to 14).

use revm_bytecode::opcode::{DELEGATECALL, STATICCALL};
use revm_interpreter::CallInput;
use revm_interpreter::interpreter::InputsImpl;
use rhizome_contracts::Precompile;
use rhizome_primitives::{Bytes, U256};

use super::{Evm, FrameResult, NewFrame, Purpose, halt};
use crate::error::{ExecutionError, HaltKind};
use crate::host::CallRequest;
use crate::instructions::Machine;
use crate::instructions::call::keeps_account;
use crate::instructions::memory::grow;
use crate::internal_transaction::{FrameTransaction, InternalTransaction};
use crate::trace::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector, Target};

impl Evm {
    /// Starts a call. Returns a result if the call or the calling frame ended at once.
    pub(super) fn start_call<I: Inspector>(
        &mut self,
        request: CallRequest,
        inspector: &mut I,
    ) -> Result<Option<FrameResult>, ExecutionError> {
        let precompile = Precompile::lookup(request.word, self.host.rules.set);
        if let Some(precompile) = precompile {
            self.check_effort(precompile)?;
            self.host.record_banned(precompile);
        }
        let depth = self.top().input.depth;
        if depth == self.host.rules.max_depth {
            self.refuse(&request, false);
            return Ok(None);
        }
        match precompile {
            Some(precompile) => self.call_precompile(precompile, &request, inspector),
            None => self.call_account(&request, inspector),
        }
    }

    fn call_account<I: Inspector>(
        &mut self,
        request: &CallRequest,
        inspector: &mut I,
    ) -> Result<Option<FrameResult>, ExecutionError> {
        let host = &mut self.host;
        let machine = &mut self.frames.last_mut().expect("a frame is calling").machine;
        let (offset, size) = request.input;
        if size > 0 {
            grow(machine, offset + size);
        }
        let sender = machine.input.target_address;
        let context = if keeps_account(request.opcode) { sender } else { request.address };
        let checkpoint = host.journal.checkpoint();
        if !host.journal.balance(sender.into())?.covers(request.value) {
            self.refuse(request, true);
            return Ok(None);
        }
        let code = host.journal.code(request.address.into())?;
        host.journal.transfer(sender.into(), context.into(), request.value)?;
        let depth = machine.input.depth;
        let nonce = host.journal.nonce(sender.into())?;
        let frame = host.frames.last_mut().expect("a frame is calling");
        let index = frame.internal_count;
        frame.internal_count += 1;

        let delegate = request.opcode == DELEGATECALL;
        let input = InputsImpl {
            target_address: context,
            bytecode_address: Some(request.address),
            caller_address: if delegate { machine.input.caller_address } else { sender },
            input: call_data(machine, request.input),
            call_value: if delegate { machine.input.call_value } else { request.value },
            depth: depth + 1,
        };
        if I::FRAMES {
            inspector.enter(
                &FrameEntry {
                    kind: FrameKind::of_call(request.opcode),
                    target: if code.is_some() { Target::Code } else { Target::NoCode },
                    depth: depth + 1,
                    from: input.caller_address,
                    to: context,
                    code_address: request.address,
                    value: input.call_value,
                    gas: request.gas,
                    input: copy_memory(machine, request.input),
                },
                &mut host.journal,
            )?;
        }
        let Some(code) = code else {
            machine.gas.erase_cost(request.gas);
            if host.rules.clear_return_data {
                machine.return_data.0 = Bytes::new();
            }
            let _ = machine.stack.push(U256::ONE);
            if I::FRAMES {
                inspector.exit(
                    &FrameExit { gas_used: 0, output: Bytes::new(), status: FrameStatus::Success },
                    &mut host.journal,
                )?;
            }
            return Ok(None);
        };

        machine.return_data.0 = Bytes::new();
        let frame = NewFrame {
            entry: code.entry(),
            input,
            is_static: request.opcode == STATICCALL || machine.runtime_flag.is_static,
            gas: request.gas,
            transaction: FrameTransaction::Internal(InternalTransaction {
                nonce,
                sender,
                receiver: Some(context),
                value: request.value,
                data: code.bytes.clone(),
                note: "call",
                depth,
                index,
            }),
        };
        let memory = machine.memory.new_child_context();
        if !self.push(frame, memory, checkpoint, Purpose::Call(request.output.0, request.output.1)) {
            let machine = self.top();
            machine.memory.free_child_context();
            let _ = machine.stack.push(U256::ZERO);
            self.host.journal.revert(checkpoint);
            if I::FRAMES {
                let status = FrameStatus::Halt(halt::plain(HaltKind::HeaderBeyondCode));
                inspector
                    .exit(&FrameExit { gas_used: request.gas, output: Bytes::new(), status }, &mut self.host.journal)?;
            }
        }
        Ok(None)
    }

    /// Ends a call that fails before anything happens: pushes zero and returns the gas.
    pub(super) fn refuse(&mut self, request: &CallRequest, clear: bool) {
        let clear = clear && self.host.rules.clear_return_data;
        let machine = self.top();
        machine.gas.erase_cost(request.gas);
        let _ = machine.stack.push(U256::ZERO);
        if clear {
            machine.return_data.0 = Bytes::new();
        }
    }
}

/// Call data as a view of the caller's memory, which does not move while the callee runs.
fn call_data(machine: &Machine, (offset, size): (usize, usize)) -> CallInput {
    if size == 0 {
        return CallInput::default();
    }
    let start = revm_interpreter::interpreter_types::MemoryTr::local_memory_offset(&machine.memory) + offset;
    CallInput::SharedBuffer(start..start + size)
}

/// A copy of a range of memory that exists already.
pub(super) fn copy_memory(machine: &Machine, (offset, size): (usize, usize)) -> Bytes {
    if size == 0 { Bytes::new() } else { Bytes::copy_from_slice(&machine.memory.slice_len(offset, size)) }
}
