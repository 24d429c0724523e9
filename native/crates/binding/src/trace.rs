//! Traces of transactions and calls, as JSON.

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use rhizome_evm::trace::{
    BlockId, TraceError, TraceOptions as CoreOptions, Tracer, trace_block as trace_transactions,
    trace_call as trace_local_call,
};
use rhizome_evm::{CallStatus, LocalCall};

use crate::block::{BlockToExecute, block_error};
use crate::bytes;
use crate::call::{CallEnd, CallInput};
use crate::errors::{Code, Result, error, invalid};
use crate::execution::{count, transaction_error};
use crate::fork::fetching_ahead;
use crate::interrupt::InterruptSlot;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// Options of a trace. Options that a tracer does not have are ignored.
#[napi(object)]
pub struct TraceOptions {
    /// `structLogs`, `gethLogs`, `calls`, `flat`, `prestate` or `fourByte`.
    pub tracer: String,
    /// Leaves memory out of struct logs.
    pub disable_memory: Option<bool>,
    /// With memory, in geth's struct logs.
    pub enable_memory: Option<bool>,
    /// With the data that calls returned, in geth's struct logs.
    pub enable_return_data: Option<bool>,
    /// Maximum number of entries of geth's struct logs; 0 or absent for all.
    pub limit: Option<u32>,
    /// Leaves the stack out of struct logs.
    pub disable_stack: Option<bool>,
    /// Leaves storage out of the instructions of struct logs.
    pub disable_storage: Option<bool>,
    /// The outermost call alone.
    pub only_top_call: Option<bool>,
    /// With the logs of each call.
    pub with_log: Option<bool>,
    /// The changes, before and after, instead of the touched state.
    pub diff_mode: Option<bool>,
    /// Maximum bytes of the JSON of all transactions together.
    pub max_bytes: u32,
    /// Struct logs show a contract's whole storage up to this number of cells.
    pub max_initial_cells: u32,
    /// Stops the execution.
    pub interrupt: Option<InterruptSlot>,
}

/// A block whose transactions are to be traced.
#[napi(object)]
pub struct BlockToTrace {
    /// The block on its parent's state.
    pub block: BlockToExecute,
    /// Block hash.
    pub hash: Uint8Array,
    /// Indices of the wanted transactions; absent: all.
    pub wanted: Option<Vec<u32>>,
}

/// The trace of a transaction.
#[napi(object)]
pub struct TransactionTrace {
    /// Index in the block.
    pub index: u32,
    /// JSON: one value, or one per element of a flat trace.
    pub texts: Vec<String>,
}

/// The trace of a call.
#[napi(object)]
pub struct CallTrace {
    /// JSON: one value, or one per element of a flat trace.
    pub texts: Vec<String>,
    /// Outcome of the call.
    pub end: CallEnd,
    /// RETURN or REVERT data, or the code of the contract that would be created.
    pub output: napi::bindgen_prelude::Buffer,
}

impl TraceOptions {
    fn to_core(&self) -> Result<CoreOptions> {
        let on = |switch: Option<bool>| switch.unwrap_or(false);
        let tracer = match self.tracer.as_str() {
            "structLogs" => Tracer::StructLogs {
                disable_memory: on(self.disable_memory),
                disable_stack: on(self.disable_stack),
                disable_storage: on(self.disable_storage),
            },
            "gethLogs" => Tracer::GethLogs {
                memory: on(self.enable_memory),
                stack: !on(self.disable_stack),
                storage: !on(self.disable_storage),
                return_data: on(self.enable_return_data),
                limit: self.limit.unwrap_or(0),
            },
            "calls" => Tracer::Calls { only_top_call: on(self.only_top_call), with_log: on(self.with_log) },
            "flat" => Tracer::Flat,
            "prestate" => Tracer::Prestate { diff: on(self.diff_mode) },
            "fourByte" => Tracer::FourByte,
            other => return Err(invalid(format!("no tracer {other}"))),
        };
        Ok(CoreOptions {
            tracer,
            max_bytes: self.max_bytes as usize,
            max_initial_cells: self.max_initial_cells as usize,
            interrupt: self.interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?,
        })
    }
}

/// Traces transactions of a block by executing it on its parent's state (evm.md §6). Throws `OutputLimit` when the JSON
/// is too large, and `Interrupted` when it was stopped.
#[napi(catch_unwind)]
pub fn trace_block(
    spec: &ChainSpec,
    store: &StateStore,
    block: BlockToTrace,
    options: TraceOptions,
) -> Result<Vec<TransactionTrace>> {
    let id =
        BlockId { hash: bytes::hash("hash", &block.hash)?, number: count("number", block.block.environment.number)? };
    let wanted: Option<Vec<usize>> =
        block.wanted.map(|wanted| wanted.into_iter().map(|index| index as usize).collect());
    let options = options.to_core()?;
    block.block.with_input(spec, store, |input, state| {
        let run = || trace_transactions(input, state.clone(), id, wanted.as_deref(), &options);
        let traces = fetching_ahead(&store.inner, run).map_err(trace_error)?;
        let shape = |trace: rhizome_evm::trace::TransactionTrace| TransactionTrace {
            index: trace.index as u32,
            texts: trace.texts,
        };
        Ok(traces.into_iter().map(shape).collect())
    })
}

/// Traces a call on a state. Throws the errors of [`trace_block`], and `InvalidBlock` where the call cannot run at all.
#[napi(catch_unwind)]
pub fn trace_call(spec: &ChainSpec, store: &StateStore, input: CallInput, options: TraceOptions) -> Result<CallTrace> {
    let options = options.to_core()?;
    input.with_call(spec, store, |call: &LocalCall<'_>, state| {
        let trace =
            fetching_ahead(&store.inner, || trace_local_call(call, state.clone(), &options)).map_err(trace_error)?;
        let end = match trace.outcome.failure.map(CallStatus::from) {
            None | Some(CallStatus::Success) => CallEnd::Success,
            Some(CallStatus::Revert) => CallEnd::Revert,
            Some(CallStatus::Halt(_)) => CallEnd::Halt,
        };
        Ok(CallTrace { texts: trace.texts, end, output: trace.outcome.output.to_vec().into() })
    })
}

fn trace_error(failure: TraceError) -> napi::Error<Code> {
    match failure {
        TraceError::Block(failure) => block_error(failure),
        TraceError::Transaction(failure) => transaction_error(failure),
        TraceError::TooLarge(_) => error(Code::OutputLimit, failure),
    }
}
