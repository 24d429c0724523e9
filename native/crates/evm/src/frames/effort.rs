//! A bound on the work of an execution, for threads that must not block. It never changes a result: an execution that
//! exceeds the bound has no result.

use revm_interpreter::{InstructionResult, InterpreterAction};
use rhizome_contracts::Precompile;

use super::Evm;
use super::stopped::stopped;
use crate::error::ExecutionError;
use crate::host::{EvmHost, Request};
use crate::instructions::Machine;
use crate::tables::Tables;

/// Gas that a read of the state store counts as: a read takes some ten microseconds when it walks down the trie,
/// whatever the instruction costs.
const READ_EFFORT: u64 = 500;

/// Maximum bytes of memory of all frames together: one instruction may hash or copy all of it.
const MAX_MEMORY: usize = 128 << 10;

impl Evm {
    /// Limits executions to about the time of instructions that cost `gas` together. An execution that takes more ends
    /// with [`ExecutionError::TooLong`], and so does every call of a precompiled contract that may take long.
    pub fn set_effort(&mut self, gas: u64) {
        self.effort = Some(gas);
    }

    /// Bytes of memory that all frames may have together; None means that only the EVM's own limit counts.
    pub(super) fn max_memory(&self) -> Option<usize> {
        self.effort.map(|_| MAX_MEMORY)
    }

    /// True when the contract may be called under the current limit.
    pub(crate) fn check_effort(&self, precompile: Precompile) -> Result<(), ExecutionError> {
        // The prices of these follow their time; hashes and copies are bounded by the memory that holds their input.
        let short = matches!(
            precompile,
            Precompile::EcRecover | Precompile::Sha256 | Precompile::Ripemd160 | Precompile::Identity
        );
        if self.effort.is_some() && !short { Err(ExecutionError::TooLong) } else { Ok(()) }
    }
}

/// Runs a frame until it ends, requests another frame, or exceeds the effort `left`, which it reduces.
pub(super) fn run_bounded(
    machine: &mut Machine,
    tables: &Tables,
    host: &mut EvmHost,
    left: &mut u64,
) -> Result<InterpreterAction, ExecutionError> {
    let gas = machine.gas.remaining();
    let reads = host.journal.reads();
    loop {
        let outcome = machine.step(&tables.instructions, &tables.gas, host);
        let passed_on = match &host.request {
            Some(Request::Call(request)) => request.gas,
            _ => 0,
        };
        let spent = gas.saturating_sub(machine.gas.remaining()).saturating_sub(passed_on)
            + (host.journal.reads() - reads) * READ_EFFORT;
        if spent > *left {
            return Err(ExecutionError::TooLong);
        }
        match outcome {
            Ok(()) => {}
            Err(InstructionResult::MemoryLimitOOG) => return Err(ExecutionError::TooLong),
            Err(code) => {
                *left -= spent;
                return Ok(stopped(machine, code));
            }
        }
    }
}
