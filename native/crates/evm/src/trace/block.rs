//! Traces transactions of a block: the block runs again on its parent's state, under the rules of its height and in the
//! same sublists, up to the last wanted transaction (evm.md §3.8).

use std::sync::Arc;

use rhizome_primitives::state::{StateError, StateReader};

use super::call_tracer::NestedCalls;
use super::flat::FlatCalls;
use super::four_byte::FourByteTracer;
use super::geth_logs::{GethLogOptions, GethLogTracer};
use super::options::{BlockId, TraceError, TraceOptions, Tracer, TransactionTrace};
use super::prestate::PrestateTracer;
use super::struct_logs::{StructLogOptions, StructLogTracer};
use super::traced::{Traced, Tracing};
use super::tree_tracer::TreeTracer;
use crate::block::{BlockInput, Watcher, execute_block_watched};
use crate::journal::Journal;
use crate::transaction::TransactionOutcome;

/// Traces the transactions with the given indices, or all when None, in block order. The interrupt flag of the options
/// replaces that of `input`.
///
/// # Errors
/// [`TraceError`]: the block is invalid, its state is missing, the flag was raised, or the trace is too large.
pub fn trace_block(
    input: &BlockInput<'_>,
    state: Arc<dyn StateReader>,
    id: BlockId,
    wanted: Option<&[usize]>,
    options: &TraceOptions,
) -> Result<Vec<TransactionTrace>, TraceError> {
    let run = BlockRun { input, state, id, wanted, options };
    with_tracer(options, run)
}

/// A function that is generic over the type of the tracer.
pub(super) trait WithTracer {
    type Output;

    /// `make` creates a tracer with a limit on its bytes.
    fn run<T: Tracing>(self, make: impl Fn(usize) -> T) -> Self::Output;
}

/// Chooses the type of the tracer.
pub(super) fn with_tracer<W: WithTracer>(options: &TraceOptions, with: W) -> W::Output {
    match options.tracer {
        Tracer::StructLogs { disable_memory, disable_stack, disable_storage } => with.run(|max_bytes| {
            StructLogTracer::new(StructLogOptions {
                memory: !disable_memory,
                stack: !disable_stack,
                storage: !disable_storage,
                max_initial_cells: options.max_initial_cells,
                max_bytes,
                interrupt: options.interrupt.clone(),
            })
        }),
        Tracer::GethLogs { memory, stack, storage, return_data, limit } => with.run(|max_bytes| {
            GethLogTracer::new(GethLogOptions { memory, stack, storage, return_data, limit, max_bytes })
        }),
        Tracer::Calls { only_top_call, with_log } => {
            with.run(|max_bytes| TreeTracer::new(NestedCalls { only_top_call, with_log }, max_bytes))
        }
        Tracer::Flat => with.run(|max_bytes| TreeTracer::new(FlatCalls, max_bytes)),
        Tracer::Prestate { diff } => with.run(|max_bytes| PrestateTracer::new(diff, max_bytes)),
        Tracer::FourByte => with.run(|_| FourByteTracer::default()),
    }
}

struct BlockRun<'a, 'b> {
    input: &'a BlockInput<'b>,
    state: Arc<dyn StateReader>,
    id: BlockId,
    wanted: Option<&'a [usize]>,
    options: &'a TraceOptions,
}

impl WithTracer for BlockRun<'_, '_> {
    type Output = Result<Vec<TransactionTrace>, TraceError>;

    fn run<T: Tracing>(self, make: impl Fn(usize) -> T) -> Self::Output {
        let Self { input, state, id, wanted, options } = self;
        let last = match wanted {
            Some(wanted) => wanted.iter().max().copied(),
            None => input.transactions.len().checked_sub(1),
        };
        let Some(last) = last else { return Ok(Vec::new()) };
        let mut watcher = TraceWatcher {
            make,
            input,
            id,
            wanted,
            last,
            current: None,
            logs: 0,
            bytes_left: options.max_bytes,
            traces: Vec::new(),
            failure: None,
            done: false,
        };
        let input = BlockInput { interrupt: options.interrupt.clone(), ..input.clone() };
        let result = execute_block_watched(&input, state, &mut watcher);
        if let Some(failure) = watcher.failure {
            return Err(failure);
        }
        if watcher.current.is_some_and(|tracer| tracer.is_full()) {
            return Err(TraceError::TooLarge(options.max_bytes));
        }
        match result {
            Err(_) if watcher.done => Ok(watcher.traces),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(watcher.traces),
        }
    }
}

struct TraceWatcher<'a, 'b, T, F> {
    make: F,
    input: &'a BlockInput<'b>,
    id: BlockId,
    wanted: Option<&'a [usize]>,
    last: usize,
    current: Option<T>,
    /// Logs of the transactions so far.
    logs: usize,
    bytes_left: usize,
    traces: Vec<TransactionTrace>,
    failure: Option<TraceError>,
    done: bool,
}

impl<T: Tracing, F: Fn(usize) -> T> Watcher for TraceWatcher<'_, '_, T, F> {
    type Inspector = T;

    fn inspector(&mut self, index: usize, journal: &mut Journal) -> Result<Option<&mut T>, StateError> {
        if self.wanted.is_some_and(|wanted| !wanted.contains(&index)) {
            return Ok(None);
        }
        let mut tracer = (self.make)(self.bytes_left);
        tracer.start(&self.input.transactions[index], journal)?;
        Ok(Some(self.current.insert(tracer)))
    }

    fn finished(
        &mut self,
        index: usize,
        outcome: &TransactionOutcome,
        journal: &mut Journal,
    ) -> Result<(), StateError> {
        let logs_before = self.logs;
        self.logs += outcome.logs.len();
        if let Some(tracer) = self.current.take() {
            let transaction = &self.input.transactions[index];
            let traced = Traced { transaction, outcome, index, logs_before, block: Some(self.id) };
            match tracer.finish(&traced, journal, self.bytes_left) {
                Ok(texts) => {
                    let bytes: usize = texts.iter().map(String::len).sum();
                    self.bytes_left = self.bytes_left.saturating_sub(bytes);
                    self.traces.push(TransactionTrace { index, texts });
                }
                Err(failure) => self.failure = Some(failure),
            }
        }
        self.done = index == self.last;
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done || self.failure.is_some()
    }
}
