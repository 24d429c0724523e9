//! Unitrie nodes: the two readers agree, and a trie whose root is a stranger's node gives errors, never faults.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rhizome_primitives::Bytes;
use rhizome_trie::node::{Link, Node};
use rhizome_trie::node_view::{ChildView, NodeView};
use rhizome_trie::{MemoryNodes, Trie, keccak256};

fn same_child(view: ChildView<'_>, link: &Link) -> bool {
    match (view, link) {
        (ChildView::Empty, Link::Empty) => true,
        (ChildView::Hash(hash), Link::Hash(other, _)) => hash == *other,
        (ChildView::Embedded(bytes), Link::Node(node)) => **node.message() == *bytes,
        _ => false,
    }
}

fuzz_target!(|input: &[u8]| {
    let split = input.first().map_or(0, |&first| usize::from(first).min(input.len() - 1) + 1);
    let (key, message) = input.split_at(split);
    let key = key.get(1..).unwrap_or_default();
    let message = Bytes::copy_from_slice(message);
    let Ok(node) = Node::parse(message.clone()) else { return };
    let view = NodeView::parse(&message).expect("both readers take the same");
    assert_eq!(node.path().len(), view.path.len());
    assert_eq!(node.children_size(), view.children_size);
    assert!(same_child(view.left, node.child(false)));
    assert!(same_child(view.right, node.child(true)));
    assert_eq!(node.hash(), keccak256(&message));

    let nodes = MemoryNodes::default();
    nodes.extend([(node.hash(), message)]);
    let mut trie = Trie::at(Arc::new(nodes), node.hash());
    let _ = trie.get(key);
    let _ = trie.prove(key);
    let mut visited = 0;
    let _ = trie.walk(&mut |_, _| {
        visited += 1;
        Ok(std::ops::ControlFlow::Continue(()))
    });
    let value = Bytes::copy_from_slice(key);
    if trie.put(key, value.clone()).is_ok() && !key.is_empty() {
        assert_eq!(trie.get(key).expect("the way is in memory"), Some(value));
        let _ = trie.root();
    }
    if trie.delete(key).is_ok() {
        assert_eq!(trie.get(key).expect("the way is in memory"), None);
        let _ = trie.root();
    }
});
