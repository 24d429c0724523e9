//! `rskTracer`: every instruction in the reference's form, with its oddities (evm.md §6.1). Constructors are not shown,
//! the gas of a call that runs code appears at the last instruction of the callee, and storage is a view that follows
//! SLOAD and SSTORE.

use revm_bytecode::opcode::{SLOAD, SSTORE};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::json::JsonWriter;
use super::log_writer::LogWriter;
use super::options::TraceError;
use super::storage_map::StorageMap;
use super::traced::{Traced, Tracing};
use super::transfer_object::write_transfer;
use super::{FrameEntry, FrameExit, Inspector, StepView, Target};
use crate::journal::{Journal, Transfer};
use crate::trace::errors::TraceFailure;

/// Fields of the entries.
#[derive(Clone, Debug)]
pub(crate) struct StructLogOptions {
    pub(crate) memory: bool,
    pub(crate) stack: bool,
    pub(crate) storage: bool,
    /// A contract's storage is shown from the start up to this number of cells.
    pub(crate) max_initial_cells: usize,
    pub(crate) max_bytes: usize,
    pub(crate) interrupt: Option<Interrupt>,
}

/// Writes instructions as they run.
pub(crate) struct StructLogTracer {
    options: StructLogOptions,
    text: LogWriter,
    /// Storage views of those running frames that are shown.
    views: Vec<StorageView>,
    entries: Vec<Entered>,
    /// Number of constructors on the stack of frames.
    hidden: usize,
    top: Option<TopFrame>,
    transfers: Vec<Transfer>,
}

/// Storage of a frame's account, as its instructions show it.
struct StorageView {
    /// Index of the version in the text.
    version: usize,
    /// Slot that the last instruction touched.
    touched: Option<U256>,
    size: usize,
}

/// The frame of the transaction.
struct TopFrame {
    contract: Address,
    initial: StorageMap,
    /// Its storage at the end.
    current: StorageMap,
    size: usize,
}

#[derive(Clone, Copy)]
enum Entered {
    Top,
    /// Its instructions are shown; the cost of the call.
    Shown(u64),
    /// A constructor or a call below one.
    Hidden,
    /// It runs no instructions.
    Empty,
}

impl StructLogTracer {
    pub(crate) fn new(options: StructLogOptions) -> Self {
        Self {
            text: LogWriter::new(options.max_bytes),
            options,
            views: Vec::new(),
            entries: Vec::new(),
            hidden: 0,
            top: None,
            transfers: Vec::new(),
        }
    }

    /// The storage that a frame starts with, and its number of cells.
    fn initial_storage(&self, account: Address, journal: &mut Journal) -> Result<(StorageMap, usize), StateError> {
        let mut map = StorageMap::new();
        let mut count = 0;
        if !journal.seen_marker(account.into())? {
            return Ok((map, count));
        }
        let most = self.options.max_initial_cells;
        let interrupt = self.options.interrupt.as_ref();
        journal.seen_cells(account.into(), |slot, cell| {
            count += 1;
            if count <= most {
                map.put(slot, cell.word().unwrap_or_default());
            }
            !interrupt.is_some_and(|flag| flag.raised())
        })?;
        if count > most {
            map = StorageMap::new();
        }
        Ok((map, count))
    }

    fn open_view(&mut self, initial: &StorageMap, size: usize) {
        let version = self.text.add_version(initial.copy());
        self.views.push(StorageView { version, touched: None, size });
    }

    /// Copies the value that the last SLOAD or SSTORE of the frame left in the cell into the view.
    fn follow_storage(&mut self, account: Address, journal: &mut Journal) -> Result<(), StateError> {
        let Some(view) = self.views.last_mut() else { return Ok(()) };
        let Some(slot) = view.touched.take() else { return Ok(()) };
        let cell = journal.seen_cell(account.into(), slot)?;
        if cell.is_present() {
            let mut map = self.text.version(view.version).copy();
            map.put(slot, cell.word().unwrap_or_default());
            view.size = map.len();
            if self.options.storage {
                view.version = self.text.add_version(map);
            } else {
                // No instruction shows the previous version.
                *self.text.version_mut(view.version) = map;
            }
        } else {
            // In place: earlier instructions that share the view lose the cell as well.
            let map = self.text.version_mut(view.version);
            map.remove(&slot);
            view.size = map.len();
        }
        Ok(())
    }
}

impl Inspector for StructLogTracer {
    const STEPS: bool = true;
    const FRAMES: bool = true;

    fn step(&mut self, view: &StepView<'_>, journal: &mut Journal) -> Result<(), StateError> {
        if self.hidden > 0 {
            return Ok(());
        }
        self.follow_storage(view.address, journal)?;
        let Some(storage) = self.views.last_mut() else { return Ok(()) };
        if matches!(view.opcode, SLOAD | SSTORE) {
            storage.touched = view.stack.last().copied();
        }
        let version = self.options.storage.then_some(storage.version);
        let memory = self.options.memory.then_some(view.memory);
        let stack = self.options.stack.then_some(view.stack);
        self.text.add(view, memory, stack, version);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.text.is_full()
    }

    fn step_end(&mut self, cost: Option<u64>) {
        if self.hidden == 0 {
            self.text.set_cost(cost.unwrap_or(0));
        }
    }

    fn enter(&mut self, entry: &FrameEntry, journal: &mut Journal) -> Result<(), StateError> {
        let runs = entry.target == Target::Code;
        let entered = if entry.depth == 0 {
            if runs {
                let (initial, size) = self.initial_storage(entry.to, journal)?;
                self.open_view(&initial, size);
                self.top = Some(TopFrame { contract: entry.to, current: StorageMap::new(), initial, size });
            }
            Entered::Top
        } else if !runs {
            Entered::Empty
        } else if self.hidden > 0 || entry.kind.is_create() {
            self.hidden += 1;
            Entered::Hidden
        } else {
            let (initial, size) =
                if self.options.storage { self.initial_storage(entry.to, journal)? } else { (StorageMap::new(), 0) };
            self.open_view(&initial, size);
            Entered::Shown(self.text.replace_cost(0))
        };
        self.entries.push(entered);
        Ok(())
    }

    fn exit(&mut self, _exit: &FrameExit, _journal: &mut Journal) -> Result<(), StateError> {
        match self.entries.pop() {
            Some(Entered::Shown(cost)) => {
                self.views.pop();
                self.text.set_cost(cost);
            }
            Some(Entered::Hidden) => self.hidden -= 1,
            Some(Entered::Top) => {
                if let (Some(top), Some(view)) = (&mut self.top, self.views.pop()) {
                    top.current = self.text.version(view.version).clone();
                    top.size = view.size;
                }
            }
            Some(Entered::Empty) | None => {}
        }
        Ok(())
    }

    fn transfer(&mut self, transfer: &Transfer) {
        if matches!(self.entries[..], [Entered::Top]) {
            self.transfers.push(*transfer);
        }
    }
}

impl Tracing for StructLogTracer {
    fn finish(self, traced: &Traced<'_>, _journal: &mut Journal, max_bytes: usize) -> Result<Vec<String>, TraceError> {
        let mut json = JsonWriter::default();
        let Some(top) = self.top else {
            write_transfer(&mut json, traced, &self.transfers);
            return Ok(vec![json.into_string()]);
        };
        if self.text.is_full() {
            return Err(TraceError::TooLarge(max_bytes));
        }
        json.raw("{\"contractAddress\":\"");
        json.digits(top.contract.as_slice());
        json.raw("\",\"initStorage\":");
        top.initial.write(&mut json);
        json.raw(",\"structLogs\":[");
        self.text.write(&mut json);
        json.raw("],\"result\":\"");
        json.digits(&traced.outcome.output);
        json.raw("\",\"error\":");
        let failure = TraceFailure::of_transaction(traced.outcome.failure.as_ref());
        match &failure {
            Some(failure @ TraceFailure::Halt(_)) => json.string(&failure.geth()),
            _ => json.raw("\"\""),
        }
        json.raw(",\"reverted\":");
        json.raw(if failure == Some(TraceFailure::Revert) { "true" } else { "false" });
        json.raw(",\"storageSize\":");
        json.number(top.size as u64);
        json.raw(",\"currentStorage\":");
        top.current.write(&mut json);
        json.raw("}");
        if json.len() > max_bytes {
            return Err(TraceError::TooLarge(max_bytes));
        }
        Ok(vec![json.into_string()])
    }
}
