//! `callTracer`: nested calls, with geth's values in the reference's order of fields (evm.md §6.2).

use rhizome_primitives::U256;

use super::FrameKind;
use super::call_tree::{Call, CallKind, CallTree};
use super::errors::{TraceFailure, revert_reason};
use super::json::JsonWriter;
use super::options::TraceError;
use super::traced::Traced;
use super::tree_tracer::CallFormat;

/// Writes calls nested.
pub(crate) struct NestedCalls {
    pub(crate) only_top_call: bool,
    pub(crate) with_log: bool,
}

impl NestedCalls {
    /// Writes everything after the nested calls. The position of a log is the number of those before it.
    fn close(&self, json: &mut JsonWriter, Unfinished { call, passed }: &Unfinished<'_>, traced: &Traced<'_>) {
        if self.with_log && !call.logs.is_empty() {
            json.raw(",\"logs\":[");
            let mut first = true;
            let mut position = 0;
            let range = call.logs.clone();
            for (index, log) in range.clone().zip(traced.outcome.logs.get(range).unwrap_or_default()) {
                json.separate(&mut first);
                json.raw("{\"index\":");
                json.number((traced.logs_before + index) as u64);
                json.raw(",\"address\":");
                json.address(&log.address);
                json.raw(",\"topics\":[");
                let mut first_topic = true;
                for topic in &log.topics {
                    json.separate(&mut first_topic);
                    json.data(topic.as_slice());
                }
                json.raw("],\"data\":");
                json.data(&log.data);
                position += passed[position..].iter().take_while(|&&logs| logs <= index).count();
                json.raw(",\"position\":");
                json.quantity(U256::from(position));
                json.raw("}");
            }
            json.raw("]");
        }
        json.raw("}");
    }
}

/// A call whose JSON is still open.
struct Unfinished<'a> {
    call: &'a Call,
    /// For each call that it made so far, the logs of the transaction until that ended; ascending.
    passed: Vec<usize>,
}

/// Writes everything before the nested calls.
fn open(json: &mut JsonWriter, call: &Call) {
    let CallKind::Frame(kind) = call.kind else { return open_selfdestruct(json, call) };
    json.raw("{\"type\":\"");
    json.raw(name(kind));
    json.raw("\",\"from\":");
    json.address(&call.from);
    if !kind.is_create() || call.failure.is_none() {
        json.raw(",\"to\":");
        json.address(&call.to);
    }
    json.raw(",\"value\":");
    json.quantity(call.value);
    json.raw(",\"gas\":");
    json.quantity(U256::from(call.gas));
    json.raw(",\"gasUsed\":");
    json.quantity(U256::from(call.gas_used));
    json.raw(",\"input\":");
    json.data(&call.input);
    json.raw(",\"output\":");
    json.data(&call.output);
    if let Some(failure) = &call.failure {
        json.raw(",\"error\":");
        json.string(&failure.geth());
        if *failure == TraceFailure::Revert
            && let Some(reason) = revert_reason(&call.output)
        {
            json.raw(",\"revertReason\":");
            json.string(&reason);
        }
    }
}

fn open_selfdestruct(json: &mut JsonWriter, call: &Call) {
    json.raw("{\"type\":\"SELFDESTRUCT\",\"from\":");
    json.address(&call.from);
    json.raw(",\"to\":");
    json.address(&call.to);
    json.raw(",\"value\":");
    json.quantity(call.value);
    json.raw(",\"gas\":\"0x0\",\"gasUsed\":\"0x0\",\"input\":\"0x\"");
}

/// CREATE2 is called CREATE, as in the reference.
fn name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Call => "CALL",
        FrameKind::CallCode => "CALLCODE",
        FrameKind::DelegateCall => "DELEGATECALL",
        FrameKind::StaticCall => "STATICCALL",
        FrameKind::Create | FrameKind::Create2 => "CREATE",
    }
}

impl CallFormat for NestedCalls {
    fn write(&self, tree: &CallTree, traced: &Traced<'_>, max_bytes: usize) -> Result<Vec<String>, TraceError> {
        let mut json = JsonWriter::default();
        let top = traced.top_call(tree);
        open(&mut json, &top);
        let mut unfinished = vec![Unfinished { call: &top, passed: Vec::new() }];
        let end = |json: &mut JsonWriter, ended: Unfinished<'_>| {
            if !ended.passed.is_empty() {
                json.raw("]");
            }
            self.close(json, &ended, traced);
        };
        for call in if self.only_top_call { &[][..] } else { &tree.calls } {
            while let Some(ended) = unfinished.pop_if(|above| above.call.level >= call.level) {
                end(&mut json, ended);
            }
            if let Some(Unfinished { passed, .. }) = unfinished.last_mut() {
                json.raw(if passed.is_empty() { ",\"calls\":[" } else { "," });
                passed.push(call.logs_passed);
            }
            open(&mut json, call);
            unfinished.push(Unfinished { call, passed: Vec::new() });
        }
        while let Some(ended) = unfinished.pop() {
            end(&mut json, ended);
        }
        if json.len() > max_bytes {
            return Err(TraceError::TooLarge(max_bytes));
        }
        Ok(vec![json.into_string()])
    }
}
