//! The frame loop: runs the frame on top until it ends or asks for a call or creation. Frames lie
//! on a heap stack, so that depth 1024 costs no native stack.

mod call;
mod create;
mod effort;
mod finish;
mod halt;
mod precompile;
mod run;
mod stopped;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use revm_bytecode::Bytecode;
use revm_interpreter::interpreter::{ExtBytecode, InputsImpl};
use revm_interpreter::interpreter_types::{Jumps, MemoryTr};
use revm_interpreter::{Interpreter, SharedMemory};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::{Address, Bytes};

use crate::error::{ExecutionError, Halt, HaltKind};
use crate::host::{BlockContext, EvmHost, FrameEnv, Request, SPEC};
use crate::instructions::Machine;
use crate::instructions::memory::MAX_MEMORY;
use crate::internal_transaction::FrameTransaction;
use crate::journal::{Checkpoint, Journal};
use crate::tables::Tables;
use crate::trace::{FrameExit, FrameStatus, Inspector};

pub(crate) use create::created_address;
pub(crate) use finish::check_code;
pub(crate) use halt::plain as plain_halt;
pub(crate) use precompile::{CallMetadata, contract_context, failure};

/// One engine: host, tables, frames and their memory. It belongs to one thread.
pub struct Evm {
    pub(crate) host: EvmHost,
    tables: Arc<Tables>,
    frames: Vec<Frame>,
    /// Machines of ended frames, whose stacks are reused.
    spare: Vec<Machine>,
    memory: SharedMemory,
    interrupt: Option<Interrupt>,
    /// Remaining effort in gas; None means unlimited.
    effort: Option<u64>,
}

/// Memory that engines of one thread use one after the other, so that a short call need not allocate it.
#[derive(Default)]
pub struct Workspace {
    /// Machines of ended frames, whose stacks are reused.
    spare: Vec<Machine>,
    memory: SharedMemory,
}

/// Machines, and bytes of memory, that are reused after an execution: deeper and larger executions are rare.
const MAX_SPARE_MACHINES: usize = 8;
const MAX_SPARE_MEMORY: usize = 1 << 20;

struct Frame {
    machine: Machine,
    checkpoint: Checkpoint,
    purpose: Purpose,
}

/// The use of a frame's result.
enum Purpose {
    /// The transaction.
    Top,
    /// A call: offset and size of the out range.
    Call(usize, usize),
    /// A creation.
    Create(Address),
}

/// Outcome of a frame. Gas is that of the frame alone.
pub(crate) struct FrameResult {
    pub(crate) status: FrameStatus,
    pub(crate) output: Bytes,
    pub(crate) gas_left: u64,
    pub(crate) refund: i64,
}

impl FrameResult {
    pub(crate) fn halt(halt: Halt) -> Self {
        Self { status: FrameStatus::Halt(halt), output: Bytes::new(), gas_left: 0, refund: 0 }
    }
}

/// A frame about to start.
pub(crate) struct NewFrame {
    /// Analysed code and first program counter; None when a code header points beyond the code.
    pub(crate) entry: Option<(Bytecode, usize)>,
    pub(crate) input: InputsImpl,
    pub(crate) is_static: bool,
    pub(crate) gas: u64,
    pub(crate) transaction: FrameTransaction,
}

impl Evm {
    /// An engine over a journal.
    pub fn new(context: BlockContext, journal: Journal) -> Self {
        Self::with_workspace(context, journal, Workspace::default())
    }

    /// An engine over a journal that reuses the memory of an earlier engine.
    pub fn with_workspace(context: BlockContext, journal: Journal, workspace: Workspace) -> Self {
        Self {
            tables: Tables::of(context.rules),
            host: EvmHost::new(context, journal),
            frames: Vec::new(),
            spare: workspace.spare,
            memory: workspace.memory,
            interrupt: None,
            effort: None,
        }
    }

    /// Stops execution with [`ExecutionError::Interrupted`] soon after the flag is raised.
    pub fn set_interrupt(&mut self, flag: Interrupt) {
        self.host.journal.interrupt = Some(flag.clone());
        self.interrupt = Some(flag);
    }

    /// The state, read-only.
    pub fn journal(&self) -> &Journal {
        &self.host.journal
    }

    /// The state, mutable between transactions.
    pub fn journal_mut(&mut self) -> &mut Journal {
        &mut self.host.journal
    }

    /// Ends the engine and returns the state.
    pub fn into_journal(self) -> Journal {
        self.host.journal
    }

    /// Ends the engine and returns its memory; the state is dropped.
    pub fn into_workspace(mut self) -> Workspace {
        self.memory.free_child_context();
        if self.memory.len() > MAX_SPARE_MEMORY || self.spare.len() > MAX_SPARE_MACHINES {
            return Workspace::default();
        }
        Workspace { spare: self.spare, memory: self.memory }
    }

    /// Runs a frame at depth 0 to its end.
    pub(crate) fn run_top<I: Inspector>(
        &mut self,
        frame: NewFrame,
        inspector: &mut I,
    ) -> Result<FrameResult, ExecutionError> {
        // An interrupted run may have left frames behind.
        self.frames.clear();
        self.host.frames.clear();
        self.host.constructors = 0;
        self.memory.free_child_context();
        let checkpoint = self.host.journal.checkpoint();
        let memory = self.memory.new_child_context();
        if !self.push(frame, memory, checkpoint, Purpose::Top) {
            self.host.frames.clear();
            return Ok(FrameResult::halt(halt::plain(HaltKind::HeaderBeyondCode)));
        }
        loop {
            let result = match self.run(inspector)? {
                Next::Ended(result) => Some(result),
                Next::Asked(Request::Call(request)) => self.start_call(request, inspector)?,
                Next::Asked(Request::Create(request)) => self.start_create(request, inspector)?,
            };
            if let Some(result) = result
                && let Some(result) = self.finish(result, inspector)?
            {
                return Ok(result);
            }
        }
    }

    /// Pushes a frame; false when it halts at once.
    fn push(&mut self, frame: NewFrame, memory: SharedMemory, checkpoint: Checkpoint, purpose: Purpose) -> bool {
        let Some((bytecode, start)) = frame.entry else { return false };
        let target = self.host.journal.entry(frame.input.target_address.into());
        // All frames share the buffer; the limit applies to each of them.
        let mut memory = memory;
        let limit = self.max_memory().unwrap_or_else(|| memory.local_memory_offset() + MAX_MEMORY);
        memory.set_memory_limit(limit as u64);
        let mut machine = self.spare.pop().unwrap_or_else(Interpreter::invalid);
        machine.clear(memory, ExtBytecode::new(bytecode), frame.input, frame.is_static, SPEC, frame.gas, 0);
        if start > 0 {
            machine.bytecode.absolute_jump(start);
        }
        self.host.frames.push(FrameEnv { target, transaction: frame.transaction, internal_count: 0 });
        self.frames.push(Frame { machine, checkpoint, purpose });
        true
    }

    fn top(&mut self) -> &mut Machine {
        &mut self.frames.last_mut().expect("the frame loop has a frame").machine
    }
}

/// The reason why the top frame stopped running.
enum Next {
    Ended(FrameResult),
    Asked(Request),
}

fn exit_of(result: &FrameResult, gas: u64) -> FrameExit {
    FrameExit { gas_used: gas - result.gas_left, output: result.output.clone(), status: result.status.clone() }
}
