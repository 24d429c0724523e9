//! Storing nodes of a trie again behind all others, so that the part of a log in which they were stored first can go.

use std::sync::Arc;

use rhizome_primitives::state::StateError;

use crate::bits::{Bits, Path};
use crate::node::{Link, Node, corrupt};
use crate::node_view::NodeError;
use crate::source::{Location, NodeSource};
use crate::trie::Trie;

/// Part of a trie that one call of [`Trie::renew`] went through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// Nodes that were read.
    pub visited: usize,
    /// Key at which the next call begins; None when the trie has no node before the location any more.
    pub next: Option<Vec<u8>>,
}

struct Walk<'a> {
    source: &'a dyn NodeSource,
    below: Location,
    from: Bits<'a>,
    limit: usize,
    visited: usize,
    path: Path,
    next: Option<Vec<u8>>,
}

impl Trie {
    /// Marks the nodes that are stored before `below`, and those that lead to them, as not stored: the next
    /// [`Trie::store_new`] writes them again. Goes through the trie in key order, from the position `from` that the last
    /// call returned, and reads about `limit` nodes. Nothing is marked when it fails.
    ///
    /// A trie may be changed between two calls, as long as what is stored for it lies behind `below`.
    pub fn renew(&mut self, below: Location, from: &[u8], limit: usize) -> Result<Renewed, StateError> {
        let mut walk = Walk {
            source: &*self.source,
            below,
            from: Bits::of_key(from),
            limit: limit.max(1),
            visited: 0,
            path: Path::default(),
            next: None,
        };
        let root = walk.renew(&self.root, None)?;
        let renewed = Renewed { visited: walk.visited, next: walk.next };
        if let Some(root) = root {
            self.root = Link::Node(root);
        }
        Ok(renewed)
    }
}

impl Walk<'_> {
    /// The node that replaces a link; None where it stays as it is. The path is unchanged on return.
    fn renew(&mut self, link: &Link, bit: Option<bool>) -> Result<Option<Arc<Node>>, StateError> {
        match link {
            Link::Empty => return Ok(None),
            // Written with its parent.
            Link::Node(node) if node.location().is_none() && node.is_embeddable() => return Ok(None),
            _ if self.next.is_some() => return Ok(None),
            _ => {}
        }
        let length = self.path.len();
        if let Some(bit) = bit {
            self.path.push_child(bit, Bits::of_key(&[]));
        }
        let renewed = self.renew_here(link);
        self.path.truncate(length);
        renewed
    }

    fn renew_here(&mut self, link: &Link) -> Result<Option<Arc<Node>>, StateError> {
        if self.has_passed() {
            return Ok(None);
        }
        if self.visited >= self.limit {
            self.next = Some(self.path.as_bytes().to_vec());
            return Ok(None);
        }
        let Some(node) = link.resolve(self.source)? else { return Ok(None) };
        self.path.push(node.path.bits());
        if self.has_passed() {
            return Ok(None);
        }
        // The way to where it goes on does not count, so that every call gets further.
        if !self.leads_to_start() {
            self.visited += 1;
        }
        let children = [self.renew(&node.left, Some(false))?, self.renew(&node.right, Some(true))?];
        let is_old = self.next.is_none() && node.location().is_some_and(|at| at < self.below);
        if !is_old && children.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut node = Arc::unwrap_or_clone(node);
        node.forget_location();
        let [left, right] = children;
        for (child, is_right) in [(left, false), (right, true)] {
            let Some(child) = child else { continue };
            let link = if is_right { &mut node.right } else { &mut node.left };
            let unstored = if matches!(link, Link::Hash(..)) { child.reference_size() } else { 0 };
            *link = Link::Node(child);
            node.stored_size = node
                .stored_size
                .checked_sub(unstored)
                .ok_or_else(|| corrupt(&node.known_hash().unwrap_or_default(), &NodeError::ChildrenSize))?;
        }
        Ok(Some(Arc::new(node)))
    }

    /// True when the path and everything below it lie before the position where the walk begins.
    fn has_passed(&self) -> bool {
        let path = self.path.bits();
        let common = path.common_prefix(self.from);
        common < path.len() && common < self.from.len() && !path.bit(common)
    }

    fn leads_to_start(&self) -> bool {
        let path = self.path.bits();
        path.len() <= self.from.len() && path.common_prefix(self.from) == path.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;

    use parking_lot::Mutex;
    use rhizome_primitives::{B256, Bytes};

    use super::*;
    use crate::keccak256;
    use crate::source::{NodeSink, StoredNode};

    #[derive(Default)]
    struct Log(Mutex<BTreeMap<u64, StoredNode>>);

    impl NodeSource for Log {
        fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
            self.0.lock().get(&at.0).cloned().ok_or(StateError::MissingNode(*hash))
        }

        fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
            Err(StateError::MissingNode(*hash))
        }
    }

    struct Writer<'a>(&'a Log);

    impl NodeSink for Writer<'_> {
        fn node(&mut self, _: B256, message: &Bytes, children: [Location; 2]) -> Location {
            let mut nodes = self.0.0.lock();
            let at = nodes.last_key_value().map_or(1, |(at, _)| at + 1);
            nodes.insert(at, StoredNode { message: message.clone(), children });
            Location(at)
        }

        fn value(&mut self, _: B256, _: &Bytes) {}
    }

    fn key(number: u64) -> [u8; 32] {
        keccak256(&number.to_be_bytes()).0
    }

    #[test]
    fn a_trie_that_changes_meanwhile_has_no_old_node_in_the_end() {
        for limit in [1, 3, 17, 10_000] {
            let log = Arc::new(Log::default());
            let mut trie = Trie::from_root(log.clone(), Link::Empty);
            for number in 0..300 {
                trie.put(&key(number), vec![(number % 250) as u8 + 1; 20].into()).unwrap();
            }
            trie.root();
            let mut at = trie.store_new(&mut Writer(&log));
            let below = Location(at.0 + 1);
            let (mut from, mut steps) = (Vec::new(), 0);
            loop {
                // Read again, or parsed already.
                if steps % 2 == 0 {
                    trie = Trie::from_root(log.clone(), Link::Hash(trie.root(), at));
                }
                trie.put(&key(steps % 400), vec![7; 10 + steps as usize % 20].into()).unwrap();
                trie.delete(&key(steps.wrapping_mul(31) % 400)).unwrap();
                let root = trie.root();
                let renewed = trie.renew(below, &from, limit).unwrap();
                assert_eq!(trie.root(), root);
                at = trie.store_new(&mut Writer(&log));
                steps += 1;
                match renewed.next {
                    Some(next) => from = next,
                    None => break,
                }
            }
            log.0.lock().retain(|at, _| *at >= below.0);
            let read = Trie::from_root(log.clone(), Link::Hash(trie.root(), at));
            assert!(read.nodes().unwrap().len() > 100, "{limit}");
            // Sizes that nodes state are still those of their children.
            let mut rebuilt = Trie::in_memory();
            for number in 0..400 {
                if let Some(value) = read.get(&key(number)).unwrap() {
                    rebuilt.put(&key(number), value).unwrap();
                }
            }
            let mut changed = read;
            changed.put(&key(1_000), vec![1].into()).unwrap();
            rebuilt.put(&key(1_000), vec![1].into()).unwrap();
            assert_eq!(changed.root(), rebuilt.root(), "{limit}");
        }
    }
}
