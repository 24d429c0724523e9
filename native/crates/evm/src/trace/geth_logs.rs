//! Struct logs in geth's form: one entry per instruction, those of constructors included, with the cost of the
//! instruction itself. `memory` is written on request and if there is any; `storage` has the cells that the contract
//! touched so far and is written at SLOAD and SSTORE only; `refund` is the refund so far, unless it is zero.

use std::collections::BTreeMap;

use revm_bytecode::opcode::{INVALID, KECCAK256, SELFDESTRUCT, SLOAD, SSTORE};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::errors::TraceFailure;
use super::json::JsonWriter;
use super::options::TraceError;
use super::traced::{Traced, Tracing};
use super::{FrameExit, FrameStatus, Inspector, StepView, opcode_name};
use crate::journal::Journal;

const WORD: usize = 32;

/// Fields of the entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GethLogOptions {
    pub(crate) memory: bool,
    pub(crate) stack: bool,
    pub(crate) storage: bool,
    pub(crate) return_data: bool,
    /// Maximum number of entries; 0 for all.
    pub(crate) limit: u32,
    pub(crate) max_bytes: usize,
}

/// Writes instructions as they run.
pub(crate) struct GethLogTracer {
    options: GethLogOptions,
    text: JsonWriter,
    /// The part of the last entry after its cost; empty once it is written.
    tail: JsonWriter,
    /// Cost of the last entry, unless it halted.
    cost: Option<u64>,
    /// True when the last entry is still open.
    open: bool,
    count: u32,
    touched: BTreeMap<Address, BTreeMap<U256, U256>>,
    /// Refunds of the running frames, by depth.
    refunds: Vec<i64>,
}

impl GethLogTracer {
    pub(crate) fn new(options: GethLogOptions) -> Self {
        Self {
            options,
            text: JsonWriter::default(),
            tail: JsonWriter::default(),
            cost: None,
            open: false,
            count: 0,
            touched: BTreeMap::new(),
            refunds: Vec::new(),
        }
    }

    fn end_entry(&mut self, failure: Option<&TraceFailure>) {
        if !std::mem::replace(&mut self.open, false) {
            return;
        }
        self.text.number(self.cost.take().unwrap_or(0));
        self.text.raw(self.tail.as_str());
        self.tail.clear();
        if let Some(failure) = failure {
            self.text.raw(",\"error\":");
            self.text.string(&failure.geth());
        }
        self.text.raw("}");
    }

    /// Writes the cells that a contract touched so far, if the current instruction touches one.
    fn touch(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        let mut words = view.stack.iter().rev();
        let (slot, value) = match (view.opcode, words.next(), words.next()) {
            (SLOAD, Some(slot), _) => {
                (*slot, journal.seen_cell(view.address.into(), *slot)?.word().unwrap_or_default())
            }
            (SSTORE, Some(slot), Some(value)) => (*slot, *value),
            _ => return Ok(()),
        };
        let cells = self.touched.entry(view.address).or_default();
        cells.insert(slot, value);
        self.tail.raw(",\"storage\":{");
        let mut first = true;
        for (slot, value) in cells {
            self.tail.separate(&mut first);
            self.tail.word(slot);
            self.tail.raw(":");
            self.tail.word(value);
        }
        self.tail.raw("}");
        Ok(())
    }
}

/// Name of an opcode where geth's differs from the reference's.
fn name(opcode: u8) -> Option<&'static str> {
    match opcode {
        KECCAK256 => Some("KECCAK256"),
        SELFDESTRUCT => Some("SELFDESTRUCT"),
        INVALID => Some("INVALID"),
        _ => opcode_name(opcode),
    }
}

impl Inspector for GethLogTracer {
    const STEPS: bool = true;
    const FRAMES: bool = true;

    fn step(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        self.end_entry(None);
        self.refunds.truncate(view.depth);
        self.refunds.push(view.refund);
        if self.options.limit != 0 && self.count >= self.options.limit {
            return Ok(());
        }
        self.count += 1;
        self.open = true;
        self.text.raw(if self.count == 1 { "{\"pc\":" } else { ",{\"pc\":" });
        self.text.number(view.pc as u64);
        self.text.raw(",\"op\":");
        match name(view.opcode) {
            Some(name) => self.text.string(name),
            None => self.text.string(&format!("opcode {:#x} not defined", view.opcode)),
        }
        self.text.raw(",\"gas\":");
        self.text.number(view.gas);
        self.text.raw(",\"gasCost\":");
        self.tail.raw(",\"depth\":");
        self.tail.number(view.depth as u64 + 1);
        if self.options.stack {
            self.tail.raw(",\"stack\":[");
            let mut first = true;
            for word in view.stack {
                self.tail.separate(&mut first);
                self.tail.quantity(*word);
            }
            self.tail.raw("]");
        }
        if self.options.return_data && !view.return_data.is_empty() {
            self.tail.raw(",\"returnData\":");
            self.tail.data(view.return_data);
        }
        let refund: i64 = self.refunds.iter().sum();
        if refund > 0 {
            self.tail.raw(",\"refund\":");
            self.tail.number(refund.unsigned_abs());
        }
        if self.options.memory && !view.memory.is_empty() {
            self.tail.raw(",\"memory\":[");
            let mut first = true;
            for word in view.memory.chunks(WORD) {
                self.tail.separate(&mut first);
                self.tail.raw("\"");
                self.tail.digits(word);
                self.tail.raw("\"");
            }
            self.tail.raw("]");
        }
        if self.options.storage { self.touch(view, journal) } else { Ok(()) }
    }

    fn is_full(&self) -> bool {
        self.text.len() + self.tail.len() > self.options.max_bytes
    }

    fn step_end(&mut self, cost: Option<u64>) {
        self.cost = cost;
    }

    fn exit(&mut self, exit: &FrameExit, _journal: &mut Journal) -> Result<(), StateError> {
        // The open entry is the one that halted: every other one has a cost.
        if let FrameStatus::Halt(halt) = &exit.status
            && self.cost.is_none()
        {
            self.end_entry(Some(&TraceFailure::Halt(halt.clone())));
        }
        Ok(())
    }
}

impl Tracing for GethLogTracer {
    fn finish(
        mut self,
        traced: &Traced<'_>,
        _journal: &mut Journal,
        max_bytes: usize,
    ) -> Result<Vec<String>, TraceError> {
        self.end_entry(None);
        let failure = TraceFailure::of_transaction(traced.outcome.failure.as_ref());
        let mut json = JsonWriter::default();
        json.raw("{\"gas\":");
        json.number(traced.outcome.gas_used);
        json.raw(",\"failed\":");
        json.raw(if failure.is_some() { "true" } else { "false" });
        json.raw(",\"returnValue\":");
        json.data(&traced.outcome.output);
        json.raw(",\"structLogs\":[");
        if self.text.len() + json.len() > max_bytes {
            return Err(TraceError::TooLarge(max_bytes));
        }
        json.raw(self.text.as_str());
        json.raw("]}");
        Ok(vec![json.into_string()])
    }
}
