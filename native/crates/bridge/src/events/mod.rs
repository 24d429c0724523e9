//! The events of the Bridge (bridge.md §5). Events with a single form are introduced by a rule; the caller checks
//! whether it is active.

pub(crate) mod federation;
pub(crate) mod pegin;
pub(crate) mod pegout;
pub(crate) mod union;

use rhizome_primitives::B256;
use rhizome_primitives::abi::{AbiValue, event_log};
use rhizome_primitives::contract::Log;

use crate::address::ADDRESS;
use crate::storage::Frame;

/// Emits an event with its signature as first topic.
fn emit(frame: &mut Frame<'_>, signature: &str, indexed: &[AbiValue], data: &[AbiValue]) {
    frame.state.log(event_log(ADDRESS, signature, indexed, data));
}

/// Emits an event in the form before RSKIP146: a name as the only topic, RLP as data.
fn emit_legacy(frame: &mut Frame<'_>, topic: &str, data: Vec<u8>) {
    let topics = vec![B256::left_padding_from(topic.as_bytes())];
    frame.state.log(Log { address: ADDRESS, topics, data: data.into() });
}
