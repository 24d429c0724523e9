//! The calls of a transaction as traces show them (evm.md §6.3). Calls of precompiled contracts by contracts, refused
//! calls, and failed or empty creations are left out; payments of a precompiled contract that the transaction itself
//! calls are included.

use std::ops::Range;

use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

use super::errors::TraceFailure;
use super::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector, Target};
use crate::error::HaltKind;
use crate::journal::{Journal, Transfer};

/// Approximate bytes of JSON that a call takes besides its data.
const CALL_BYTES: usize = 256;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    Frame(FrameKind),
    SelfDestruct,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Number of calls above it; 0 for the transaction.
    pub(crate) level: usize,
    pub(crate) kind: CallKind,
    /// For DELEGATECALL the account whose state is used.
    pub(crate) from: Address,
    /// For DELEGATECALL and CALLCODE the account whose code runs; for SELFDESTRUCT the beneficiary.
    pub(crate) to: Address,
    pub(crate) value: U256,
    pub(crate) gas: u64,
    pub(crate) gas_used: u64,
    pub(crate) input: Bytes,
    pub(crate) output: Bytes,
    pub(crate) failure: Option<TraceFailure>,
    /// Its logs and those of the calls below, by index in the transaction; empty when they were undone.
    pub(crate) logs: Range<usize>,
    /// Logs of the transaction that are before those of the calls which follow it.
    pub(crate) logs_passed: usize,
    pub(crate) children: usize,
}

/// Records the calls below the transaction.
#[derive(Debug)]
pub(crate) struct CallTree {
    /// In pre-order, without the transaction itself.
    pub(crate) calls: Vec<Call>,
    /// Number of calls of the transaction itself.
    pub(crate) children: usize,
    open: Vec<Open>,
    bytes: usize,
    max_bytes: usize,
}

/// An entry whose exit has not come yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Top,
    TopPrecompile,
    Call(usize),
    /// Left out of the trace.
    Absent,
}

impl CallTree {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { calls: Vec::new(), children: 0, open: Vec::new(), bytes: 0, max_bytes }
    }

    /// True when calls are missing because the limit was reached.
    pub(crate) fn is_over(&self) -> bool {
        self.bytes > self.max_bytes
    }

    fn level(&self) -> usize {
        self.open.iter().filter(|open| matches!(open, Open::Call(_))).count() + 1
    }

    fn push(&mut self, call: Call) -> Option<usize> {
        self.bytes += CALL_BYTES + 2 * call.input.len();
        if self.is_over() {
            return None;
        }
        match self.open.last() {
            Some(Open::Call(parent)) => self.calls[*parent].children += 1,
            _ => self.children += 1,
        }
        self.calls.push(call);
        Some(self.calls.len() - 1)
    }

    /// Removes a call with everything below it.
    fn drop_from(&mut self, index: usize) {
        for call in &self.calls[index..] {
            self.bytes -= CALL_BYTES + 2 * (call.input.len() + call.output.len());
        }
        self.calls.truncate(index);
        match self.open.last() {
            Some(Open::Call(parent)) => self.calls[*parent].children -= 1,
            _ => self.children -= 1,
        }
    }
}

impl Inspector for CallTree {
    const STEPS: bool = false;
    const FRAMES: bool = true;

    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        let open = match (entry.depth, entry.target) {
            (0, Target::Precompile) => Open::TopPrecompile,
            (0, _) => Open::Top,
            (_, Target::Precompile) => Open::Absent,
            (_, target) => {
                let delegate = entry.kind == FrameKind::DelegateCall;
                let lent = delegate || entry.kind == FrameKind::CallCode;
                let logs = journal.log_count();
                self.push(Call {
                    level: self.level(),
                    kind: CallKind::Frame(entry.kind),
                    from: if delegate { entry.to } else { entry.from },
                    to: if lent { entry.code_address } else { entry.to },
                    value: if delegate && target == Target::NoCode { U256::ZERO } else { entry.value },
                    gas: entry.gas,
                    gas_used: 0,
                    input: entry.input.clone(),
                    output: Bytes::new(),
                    failure: None,
                    logs: logs..logs,
                    logs_passed: logs,
                    children: 0,
                })
                .map_or(Open::Absent, Open::Call)
            }
        };
        self.open.push(open);
        Ok(())
    }

    fn exit(&mut self, exit: &FrameExit, journal: &mut Journal) -> Result<(), StateError> {
        let Some(Open::Call(index)) = self.open.pop() else { return Ok(()) };
        let failure = match &exit.status {
            FrameStatus::Success => None,
            FrameStatus::Revert => Some(TraceFailure::Revert),
            FrameStatus::Halt(halt) => Some(TraceFailure::Halt(halt.clone())),
        };
        let creation = matches!(self.calls[index].kind, CallKind::Frame(kind) if kind.is_create());
        if creation && failure.as_ref().is_some_and(|failure| !is_about_code(failure)) {
            self.drop_from(index);
            return Ok(());
        }
        if failure.is_some() {
            for call in &mut self.calls[index..] {
                call.logs = 0..0;
            }
        }
        let call = &mut self.calls[index];
        call.gas_used = exit.gas_used;
        call.output = exit.output.clone();
        if failure.is_none() {
            call.logs.end = journal.log_count();
            call.logs_passed = call.logs.end;
        }
        call.failure = failure;
        self.bytes += 2 * exit.output.len();
        Ok(())
    }

    fn selfdestruct(&mut self, account: Address, beneficiary: Address, balance: U256) {
        if self.open.last() == Some(&Open::Absent) {
            return;
        }
        let level = self.level();
        self.push(transfer_call(CallKind::SelfDestruct, level, account, beneficiary, balance));
    }

    fn transfer(&mut self, transfer: &Transfer) {
        if self.open.last() == Some(&Open::TopPrecompile) {
            let kind = CallKind::Frame(FrameKind::Call);
            self.push(transfer_call(kind, 1, transfer.from, transfer.to, transfer.amount));
        }
    }
}

fn transfer_call(kind: CallKind, level: usize, from: Address, to: Address, value: U256) -> Call {
    Call {
        level,
        kind,
        from,
        to,
        value,
        gas: 0,
        gas_used: 0,
        input: Bytes::new(),
        output: Bytes::new(),
        failure: None,
        logs: 0..0,
        // Nothing of the call above follows it.
        logs_passed: usize::MAX,
        children: 0,
    }
}

/// True when a creation failed while its code was stored. Such creations are shown; those whose initcode fails are not.
fn is_about_code(failure: &TraceFailure) -> bool {
    matches!(failure, TraceFailure::Halt(halt)
        if matches!(halt.kind, HaltKind::CodePrefix | HaltKind::CodeDeposit | HaltKind::CodeTooLong))
}
