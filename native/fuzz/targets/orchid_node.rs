//! Nodes in the orchid format: what is read and written is read again as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_trie::orchid::OrchidNode;

fuzz_target!(|input: &[u8]| {
    let Ok(node) = OrchidNode::parse(input) else { return };
    assert_eq!(OrchidNode::parse(&node.message()), Ok(node));
});
