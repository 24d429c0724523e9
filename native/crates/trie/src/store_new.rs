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

    /// Drops parsed nodes that are reached through nodes stored at `fresh` or later, have less than `least_size` bytes
    /// below them, and were not changed twice since `oldest`. To be called after each [`Self::store_new`] with the
    /// location at which that call began. What stays is the upper part of the trie, which most changes pass, and what
    /// changes again and again; [`Self::parsed_bytes`] says how much that is.
    pub fn forget_cold(&mut self, fresh: Location, oldest: Location, least_size: u64) {
        if let Link::Node(root) = &mut self.root {
            forget(root, &Cold { fresh, oldest, least_size });
        }
    }

    /// Drops all parsed nodes with less than `least_size` bytes below them, but the root. They must be stored.
    pub fn forget_small(&mut self, least_size: u64) {
        if let Link::Node(root) = &mut self.root {
            forget(root, &Cold { fresh: Location::UNKNOWN, oldest: Location(u64::MAX), least_size });
        }
    }

    /// Bytes of memory that the parsed nodes take.
    pub fn parsed_bytes(&self) -> usize {
        let Link::Node(root) = &self.root else { return 0 };
        let mut bytes = 0;
        let mut rest = vec![root];
        while let Some(node) = rest.pop() {
            bytes += node.memory();
            rest.extend([&node.left, &node.right].into_iter().filter_map(|link| match link {
                Link::Node(node) => Some(node),
                _ => None,
            }));
        }
        bytes
    }

    /// Bytes below the root, as its node states them; zero while it is not read.
    pub fn size_below_root(&self) -> u64 {
        if let Link::Node(root) = &self.root { root.children_size() } else { 0 }
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

/// Rule by which parsed nodes are dropped.
struct Cold {
    fresh: Location,
    oldest: Location,
    least_size: u64,
}

impl Cold {
    fn includes(&self, node: &Node, at: Location) -> bool {
        // A node that was changed just now is as old as its change before.
        let last = if at >= self.fresh { node.location_before() } else { at };
        last < self.oldest && node.children_size() < self.least_size
    }
}

fn forget(node: &mut Arc<Node>, cold: &Cold) {
    // Nodes that another trie shares are left unchanged.
    let Some(node) = Arc::get_mut(node) else { return };
    forget_value(node);
    let mut stored_size = node.stored_size;
    for link in [&mut node.left, &mut node.right] {
        let Link::Node(child) = link else { continue };
        match child.location() {
            Some(at) if cold.includes(child, at) => {
                stored_size = stored_size.saturating_add(child.reference_size());
                *link = Link::Hash(child.hash(), at);
            }
            Some(at) if at >= cold.fresh => forget(child, cold),
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
