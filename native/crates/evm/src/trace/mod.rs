//! Hooks into execution. [`NoInspector`] costs nothing: the loops are compiled once for each
//! inspector and its constants remove what it does not want.

use revm_bytecode::opcode::{CALL, CALLCODE, DELEGATECALL, STATICCALL};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

use crate::error::Halt;
use crate::journal::{Journal, Transfer};

/// How a frame came about.
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

    /// Whether the frame runs initcode.
    pub fn is_create(self) -> bool {
        matches!(self, Self::Create | Self::Create2)
    }
}

/// What a call or creation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Runs code.
    Code,
    /// Reaches an account without code.
    NoCode,
    /// Runs a precompiled contract.
    Precompile,
}

/// The start of a call or creation. Those refused for depth, funds or a taken address have none.
#[derive(Clone, Debug)]
pub struct FrameEntry {
    /// How.
    pub kind: FrameKind,
    /// What it reaches.
    pub target: Target,
    /// Depth of the new frame; 0 for the transaction.
    pub depth: usize,
    /// Calling account as CALLER gives it.
    pub from: Address,
    /// Account whose storage is used; for creations the new one.
    pub to: Address,
    /// Account whose code runs.
    pub code_address: Address,
    /// Wei; for DELEGATECALL what CALLVALUE gives.
    pub value: U256,
    /// Gas given.
    pub gas: u64,
    /// Call data, or initcode.
    pub input: Bytes,
}

/// The end of what [`Inspector::enter`] announced.
#[derive(Clone, Debug)]
pub struct FrameExit {
    /// Gas used of what was given.
    pub gas_used: u64,
    /// RETURN or REVERT data, or the code of a new contract.
    pub output: Bytes,
    /// How it ended.
    pub status: FrameStatus,
}

/// How a frame ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameStatus {
    /// Its changes stay.
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
    /// Refund that the frame gathered, with what the calls that it made brought.
    pub refund: i64,
}

/// Watches an execution.
pub trait Inspector {
    /// Whether [`step`](Self::step) and [`step_end`](Self::step_end) are wanted.
    const STEPS: bool;
    /// Whether the other hooks are wanted.
    const FRAMES: bool;

    /// Before an instruction.
    fn step(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (view, journal);
        Ok(())
    }

    /// Whether watching any longer is useless: execution then ends as if interrupted.
    fn is_full(&self) -> bool {
        false
    }

    /// After an instruction, for calls before the callee runs: what it cost, with the gas handed to a
    /// callee but not that handed to a constructor; None when it halted.
    fn step_end(&mut self, cost: Option<u64>) {
        let _ = cost;
    }

    /// A call or creation starts.
    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        let _ = (entry, journal);
        Ok(())
    }

    /// It ends. At depth 0 changes that are to be undone are not yet.
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

/// Watches nothing.
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
mod log_text;
mod names;
mod options;
mod prestate;
mod prestate_text;
mod storage_map;
mod struct_logs;
#[cfg(test)]
mod tests;
mod traced;
mod transfer_object;

pub use block::trace_block;
pub use call::{CallTrace, trace_call};
pub use names::opcode_name;
pub use options::{BlockPlace, TraceError, TraceOptions, Tracer, TransactionTrace};
