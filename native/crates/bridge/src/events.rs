//! The events of the Bridge (bridge.md §5).

use rhizome_primitives::abi::{AbiValue, event_log};
use rhizome_primitives::contract::Log;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, B256};

use crate::ADDRESS;
use crate::storage::Frame;
use crate::storage::codec::encode_bytes;

/// `update_collections(address)`; before RSKIP146 one topic of text and the sender as RLP.
pub(crate) fn update_collections(frame: &mut Frame<'_>, sender: Address) {
    let log = if frame.active(Rule::Rskip146) {
        event_log(ADDRESS, "update_collections(address)", &[], &[AbiValue::Address(sender)])
    } else {
        legacy("update_collections_topic", encode_bytes(sender.as_slice()))
    };
    frame.state.log(log);
}

/// `release_request_rejected(address,uint256,int256)` (RSKIP185).
pub(crate) fn release_request_rejected(frame: &mut Frame<'_>, sender: Address, amount: AbiValue, reason: i64) {
    let signature = "release_request_rejected(address,uint256,int256)";
    let data = [amount, AbiValue::int(reason)];
    frame.state.log(event_log(ADDRESS, signature, &[AbiValue::Address(sender)], &data));
}

fn legacy(topic: &str, data: Vec<u8>) -> Log {
    Log { address: ADDRESS, topics: vec![B256::left_padding_from(topic.as_bytes())], data: data.into() }
}
