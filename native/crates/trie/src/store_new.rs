//! Writes new nodes to a store.

use std::sync::Arc;

use rhizome_primitives::{B256, Bytes};

use crate::node::{Link, Node};
use crate::source::{Location, NodeSink};
use crate::trie::Trie;
use crate::value::Value;

impl Trie {
    /// Writes the nodes and long values that are not stored yet to `sink`, children before parents, and returns the
    /// location of the root. They then count as stored and stay in memory.
    pub fn store_new(&self, sink: &mut dyn NodeSink) -> Location {
        match &self.root {
            Link::Empty => Location::UNKNOWN,
            Link::Hash(_, at) => *at,
            Link::Node(root) => store(root, sink),
        }
    }

    /// Drops parsed nodes that are reached through nodes stored at `fresh` or later and were themselves stored before
    /// `oldest`. Calling this after each [`Self::store_new`], with the location at which that call began, bounds the
    /// memory: the ancestors of a node are stored after it, and the root is stored every time.
    pub fn forget_stored_before(&mut self, fresh: Location, oldest: Location) {
        if let Link::Node(root) = &mut self.root {
            forget(root, fresh, oldest);
        }
    }

    /// Number of nodes and long values that are not stored yet.
    pub fn count_new(&self) -> usize {
        struct Counter(usize);
        impl NodeSink for Counter {
            fn node(&mut self, _: B256, _: &Bytes, _: [Location; 2]) -> Location {
                self.0 += 1;
                Location::UNKNOWN
            }
            fn value(&mut self, _: B256, _: &Bytes) {
                self.0 += 1;
            }
        }
        let mut counter = Counter(0);
        if let Link::Node(root) = &self.root {
            visit(root, &mut counter, &mut |_, _| ());
        }
        counter.0
    }

    /// Returns the nodes and long values that are not stored yet, by hash, children before parents. The trie then
    /// counts them as stored: they must be readable from its source before the trie is used again.
    pub fn take_new_nodes(&mut self) -> Vec<(B256, Bytes)> {
        let mut nodes = Collector(Vec::new());
        let at = self.store_new(&mut nodes);
        if let Link::Node(root) = &self.root {
            self.root = Link::Hash(root.hash(), at);
        }
        nodes.0
    }
}

struct Collector(Vec<(B256, Bytes)>);

impl NodeSink for Collector {
    fn node(&mut self, hash: B256, message: &Bytes, _children: [Location; 2]) -> Location {
        self.0.push((hash, message.clone()));
        Location::UNKNOWN
    }

    fn value(&mut self, hash: B256, bytes: &Bytes) {
        self.0.push((hash, bytes.clone()));
    }
}

fn store(node: &Node, sink: &mut dyn NodeSink) -> Location {
    visit(node, sink, &mut Node::set_location)
}

/// Writes a node and everything below it that is not stored to the sink, and returns the node's location.
fn visit(node: &Node, sink: &mut dyn NodeSink, stored: &mut dyn FnMut(&Node, Location)) -> Location {
    if let Some(at) = node.location() {
        return at;
    }
    store_value(node, sink);
    let mut children = [Location::UNKNOWN; 2];
    for (link, slot) in [&node.left, &node.right].into_iter().zip(&mut children) {
        match link {
            Link::Empty => {}
            Link::Hash(_, at) => *slot = *at,
            Link::Node(child) if child.is_embeddable() => store_value(child, sink),
            Link::Node(child) => *slot = visit(child, sink, stored),
        }
    }
    let at = sink.node(node.hash(), node.message(), children);
    stored(node, at);
    at
}

fn store_value(node: &Node, sink: &mut dyn NodeSink) {
    if let Value::Long { hash, bytes: Some(bytes), .. } = &node.value {
        sink.value(*hash, bytes);
    }
}

fn forget(node: &mut Arc<Node>, fresh: Location, oldest: Location) {
    // Nodes that another trie shares are left unchanged.
    let Some(node) = Arc::get_mut(node) else { return };
    forget_value(node);
    let mut stored_size = node.stored_size;
    for link in [&mut node.left, &mut node.right] {
        let Link::Node(child) = link else { continue };
        match child.location() {
            Some(at) if at < oldest => {
                stored_size = stored_size.saturating_add(child.reference_size());
                *link = Link::Hash(child.hash(), at);
            }
            Some(at) if at >= fresh => forget(child, fresh, oldest),
            Some(_) => {}
            None => {
                if let Some(embedded) = Arc::get_mut(child) {
                    forget_value(embedded);
                }
            }
        }
    }
    node.stored_size = stored_size;
}

/// Drops the bytes of a long value that is stored.
fn forget_value(node: &mut Node) {
    if let Value::Long { bytes, .. } = &mut node.value {
        *bytes = None;
    }
}
