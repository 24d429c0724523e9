//! Traces of calls that nobody signed.

use std::sync::Arc;

use rhizome_primitives::state::StateReader;

use super::block::{WithTracer, with_tracer};
use super::options::{TraceError, TraceOptions};
use super::traced::{Traced, Tracing};
use crate::error::TransactionError;
use crate::frames::Workspace;
use crate::local::{LocalCall, execute, prepare};
use crate::transaction::TransactionOutcome;

/// The trace of a call.
#[derive(Clone, Debug)]
pub struct CallTrace {
    /// JSON as for a transaction of a block, without the block's fields.
    pub texts: Vec<String>,
    /// The outcome of the call.
    pub outcome: TransactionOutcome,
}

/// Traces a call. The interrupt flag of the options replaces that of `call`.
///
/// # Errors
/// [`TraceError`]: as for [`crate::call`], or the trace is too large.
pub fn trace_call(
    call: &LocalCall<'_>,
    state: Arc<dyn StateReader>,
    options: &TraceOptions,
) -> Result<CallTrace, TraceError> {
    with_tracer(options, CallRun { call, state, options })
}

struct CallRun<'a, 'b> {
    call: &'a LocalCall<'b>,
    state: Arc<dyn StateReader>,
    options: &'a TraceOptions,
}

impl WithTracer for CallRun<'_, '_> {
    type Output = Result<CallTrace, TraceError>;

    fn run<T: Tracing>(self, make: impl Fn(usize) -> T) -> Self::Output {
        let Self { call, state, options } = self;
        let call = LocalCall { interrupt: options.interrupt.clone(), ..call.clone() };
        let (mut evm, transaction) = prepare(&call, state, Workspace::default())?;
        let mut tracer = make(options.max_bytes);
        tracer.start(&transaction, evm.journal_mut()).map_err(TransactionError::from)?;
        let outcome = match execute(&mut evm, &transaction, &mut tracer) {
            Ok(outcome) => outcome,
            Err(_) if tracer.is_full() => return Err(TraceError::TooLarge(options.max_bytes)),
            Err(error) => return Err(error.into()),
        };
        let traced = Traced { transaction: &transaction, outcome: &outcome, index: 0, logs_before: 0, block: None };
        let texts = tracer.finish(&traced, evm.journal_mut(), options.max_bytes)?;
        Ok(CallTrace { texts, outcome })
    }
}
