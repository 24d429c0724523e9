//! Hooks into execution. [`NoInspector`] costs nothing: the loops are compiled once per inspector type, and its
//! constants remove the hooks that it does not use.

use revm_bytecode::opcode::{CALL, CALLCODE, DELEGATECALL, STATICCALL};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

use crate::error::Halt;
use crate::journal::{Journal, Transfer};

/// The instruction that started a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// CALL, or the transaction itself.
    Call,
    /// CALLCODE.
    CallCode,
    /// DELEGATECALL.
    DelegateCall,
    /// STATICCALL.
    StaticCall,
    /// CREATE, or a creating transaction.
    Create,
    /// CREATE2.
    Create2,
}

impl FrameKind {
    pub(crate) fn of_call(opcode: u8) -> Self {
        match opcode {
            CALLCODE => Self::CallCode,
            DELEGATECALL => Self::DelegateCall,
            STATICCALL => Self::StaticCall,
            _ => {
                debug_assert_eq!(opcode, CALL);
                Self::Call
            }
        }
    }

    /// True when the frame runs initcode.
    pub fn is_create(self) -> bool {
        matches!(self, Self::Create | Self::Create2)
    }
}

/// The target of a call or creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Runs code.
    Code,
    /// Reaches an account without code.
    NoCode,
    /// Runs a precompiled contract.
    Precompile,
}

/// The start of a call or creation. There is none for those that are refused because of depth, funds or a taken
/// address.
#[derive(Clone, Debug)]
pub struct FrameEntry {
    /// Kind of the frame.
    pub kind: FrameKind,
    /// Target.
    pub target: Target,
    /// Depth of the new frame; 0 for the transaction.
    pub depth: usize,
    /// Calling account, as CALLER returns it.
    pub from: Address,
    /// Account whose storage is used; for creations the new one.
    pub to: Address,
    /// Account whose code runs.
    pub code_address: Address,
    /// Wei; for DELEGATECALL the value of CALLVALUE.
    pub value: U256,
    /// Gas given.
    pub gas: u64,
    /// Call data, or initcode.
    pub input: Bytes,
}

/// The end of a call or creation that [`Inspector::enter`] reported.
#[derive(Clone, Debug)]
pub struct FrameExit {
    /// Gas used of the gas given.
    pub gas_used: u64,
    /// RETURN or REVERT data, or the code of a new contract.
    pub output: Bytes,
    /// Outcome.
    pub status: FrameStatus,
}

/// Outcome of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameStatus {
    /// Its changes are kept.
    Success,
    /// REVERT.
    Revert,
    /// Exceptional halt.
    Halt(Halt),
}

/// The machine before an instruction.
pub struct StepView<'a> {
    /// Program counter.
    pub pc: usize,
    /// Instruction.
    pub opcode: u8,
    /// Depth of the frame; 0 for the transaction.
    pub depth: usize,
    /// Gas left.
    pub gas: u64,
    /// Gas given to the frame.
    pub gas_limit: u64,
    /// Executing account.
    pub address: Address,
    /// Words, the bottom one first.
    pub stack: &'a [U256],
    /// Memory.
    pub memory: &'a [u8],
    /// Return data.
    pub return_data: &'a Bytes,
    /// Refund of the frame, including that of its calls.
    pub refund: i64,
}

/// Inspects an execution.
pub trait Inspector {
    /// True when [`step`](Self::step) and [`step_end`](Self::step_end) are wanted.
    const STEPS: bool;
    /// True when the other hooks are wanted.
    const FRAMES: bool;

    /// Called before an instruction.
    fn step(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (view, journal);
        Ok(())
    }

    /// True when the inspector needs nothing more: execution then ends as if interrupted.
    fn is_full(&self) -> bool {
        false
    }

    /// Called after an instruction; for calls, before the callee runs. `cost` includes the gas passed to a callee, but
    /// not the gas passed to a constructor; it is None when the instruction halted.
    fn step_end(&mut self, cost: Option<u64>) {
        let _ = cost;
    }

    /// Called when a call or creation starts.
    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (entry, journal);
        Ok(())
    }

    /// Called when it ends. At depth 0, changes that are to be undone are still present.
    fn exit(&mut self, exit: &FrameExit, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (exit, journal);
        Ok(())
    }

    /// SELFDESTRUCT of `account` with `balance` wei left to `beneficiary`.
    fn selfdestruct(&mut self, account: Address, beneficiary: Address, balance: U256) {
        let _ = (account, beneficiary, balance);
    }

    /// A payment by a precompiled contract (REMASC, Bridge).
    fn transfer(&mut self, transfer: &Transfer) {
        let _ = transfer;
    }
}

/// Inspects nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInspector;

impl Inspector for NoInspector {
    const STEPS: bool = false;
    const FRAMES: bool = false;
}

mod block;
#[cfg(test)]
mod bridge_tests;
mod call;
mod call_tracer;
mod call_tree;
mod errors;
mod flat;
mod four_byte;
mod geth_logs;
mod json;
mod log_writer;
mod names;
mod options;
mod prestate;
mod prestate_accounts;
mod prestate_json;
mod storage_map;
mod struct_logs;
#[cfg(test)]
mod tests;
mod traced;
mod transfer_object;
mod tree_tracer;

pub use block::trace_block;
pub use call::{CallTrace, trace_call};
pub use names::opcode_name;
pub use options::{BlockId, TraceError, TraceOptions, Tracer, TransactionTrace};
