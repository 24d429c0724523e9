//! Flat traces: the calls of a transaction as a list in pre-order (evm.md §6.3), with Parity's values.

use rhizome_primitives::U256;

use super::FrameKind;
use super::call_tree::{Call, CallKind, CallTree};
use super::json::JsonWriter;
use super::options::TraceError;
use super::traced::Traced;
use super::tree_tracer::CallFormat;

/// Writes calls one after the other.
pub(crate) struct FlatCalls;

impl CallFormat for FlatCalls {
    fn write(&self, tree: &CallTree, traced: &Traced<'_>, max_bytes: usize) -> Result<Vec<String>, TraceError> {
        let top = traced.top_call(tree);
        let mut texts = Vec::with_capacity(1 + tree.calls.len());
        let mut address = Vec::new();
        let mut bytes = 0;
        for call in std::iter::once(&top).chain(&tree.calls) {
            next_address(&mut address, call.level);
            let text = element(call, &address, traced);
            bytes += text.len();
            if bytes > max_bytes {
                return Err(TraceError::TooLarge(max_bytes));
            }
            texts.push(text);
        }
        Ok(texts)
    }
}

/// The trace address of the next call in pre-order: the index of the previous sibling plus one.
fn next_address(address: &mut Vec<usize>, level: usize) {
    if level > address.len() {
        address.push(0);
        return;
    }
    address.truncate(level);
    if let Some(last) = address.last_mut() {
        *last += 1;
    }
}

fn element(call: &Call, address: &[usize], traced: &Traced<'_>) -> String {
    let mut json = JsonWriter::default();
    json.raw("{\"action\":{");
    write_action(&mut json, call);
    json.raw("},");
    if let Some(block) = traced.block {
        json.raw("\"blockHash\":");
        json.data(block.hash.as_slice());
        json.raw(",\"blockNumber\":");
        json.number(block.number);
        json.raw(",\"transactionHash\":");
        json.data(traced.transaction.hash.as_slice());
        json.raw(",\"transactionPosition\":");
        json.number(traced.index as u64);
        json.raw(",");
    }
    json.raw("\"type\":\"");
    json.raw(match call.kind {
        CallKind::SelfDestruct => "suicide",
        CallKind::Frame(kind) if kind.is_create() => "create",
        CallKind::Frame(_) => "call",
    });
    json.raw("\",\"subtraces\":");
    json.number(call.children as u64);
    json.raw(",\"traceAddress\":[");
    let mut first = true;
    for &index in address {
        json.separate(&mut first);
        json.number(index as u64);
    }
    json.raw("],\"result\":");
    write_result(&mut json, call);
    if let Some(failure) = &call.failure {
        json.raw(",\"error\":");
        json.string(failure.parity());
    }
    json.raw("}");
    json.into_string()
}

fn write_action(json: &mut JsonWriter, call: &Call) {
    let CallKind::Frame(kind) = call.kind else {
        json.raw("\"address\":");
        json.address(&call.from);
        json.raw(",\"refundAddress\":");
        json.address(&call.to);
        json.raw(",\"balance\":");
        json.quantity(call.value);
        return;
    };
    if kind.is_create() {
        json.raw("\"from\":");
        json.address(&call.from);
    } else {
        json.raw("\"callType\":\"");
        json.raw(call_type(kind));
        json.raw("\",\"from\":");
        json.address(&call.from);
        json.raw(",\"to\":");
        json.address(&call.to);
    }
    json.raw(",\"gas\":");
    json.quantity(U256::from(call.gas));
    json.raw(if kind.is_create() { ",\"init\":" } else { ",\"input\":" });
    json.data(&call.input);
    json.raw(",\"value\":");
    json.quantity(call.value);
    if call.level > 0 && kind.is_create() {
        json.raw(",\"creationMethod\":\"");
        json.raw(if kind == FrameKind::Create2 { "create2\"" } else { "create\"" });
    }
}

fn call_type(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::CallCode => "callcode",
        FrameKind::DelegateCall => "delegatecall",
        FrameKind::StaticCall => "staticcall",
        _ => "call",
    }
}

fn write_result(json: &mut JsonWriter, call: &Call) {
    let CallKind::Frame(kind) = call.kind else { return json.raw("null") };
    if call.failure.is_some() {
        return json.raw("null");
    }
    json.raw("{\"gasUsed\":");
    json.quantity(U256::from(call.gas_used));
    if kind.is_create() {
        json.raw(",\"code\":");
        json.data(&call.output);
        json.raw(",\"address\":");
        json.address(&call.to);
    } else {
        json.raw(",\"output\":");
        json.data(&call.output);
    }
    json.raw("}");
}

#[cfg(test)]
mod tests {
    use super::next_address;

    #[test]
    fn trace_addresses_follow_the_levels() {
        let mut address = Vec::new();
        let mut seen = Vec::new();
        for level in [0, 1, 2, 2, 1, 2, 3, 1] {
            next_address(&mut address, level);
            seen.push(address.clone());
        }
        let expected: [&[usize]; 8] = [&[], &[0], &[0, 0], &[0, 1], &[1], &[1, 0], &[1, 0, 0], &[2]];
        assert_eq!(seen, expected);
    }
}
