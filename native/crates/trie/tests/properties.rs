//! Properties of random tries: same content as a map, canonical form, proofs that verify.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Arc, RwLock};

use proptest::prelude::*;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::node::Node;
use rhizome_trie::orchid::OrchidNode;
use rhizome_trie::proof::verify_proof;
use rhizome_trie::{EMPTY_ROOT, Location, MemoryNodes, NodeSink, NodeSource, StoredNode, Trie, keccak256};

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    Delete(Vec<u8>),
    DeleteRecursive(Vec<u8>),
    Store,
}

/// Few distinct bytes, so that keys are prefixes of each other and share paths.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0x00, 0x01, 0x80, 0xff, 0x7f]), 0..6)
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        prop::collection::vec(any::<u8>(), 28..46),
        prop::collection::vec(any::<u8>(), 200..300)
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (key(), value()).prop_map(|(key, value)| Step::Put(key, value)),
        3 => key().prop_map(Step::Delete),
        1 => key().prop_map(Step::DeleteRecursive),
        1 => Just(Step::Store),
    ];
    prop::collection::vec(step, 0..60)
}

fn run(steps: &[Step]) -> (Trie, MemoryNodes, BTreeMap<Vec<u8>, Vec<u8>>) {
    let stored = MemoryNodes::default();
    let mut trie = Trie::at(Arc::new(stored.clone()), EMPTY_ROOT);
    let mut map = BTreeMap::new();
    for step in steps {
        match step {
            Step::Put(key, value) => {
                trie.put(key, value.clone().into()).unwrap();
                if value.is_empty() {
                    map.remove(key)
                } else {
                    map.insert(key.clone(), value.clone())
                };
            }
            Step::Delete(key) => {
                trie.delete(key).unwrap();
                map.remove(key);
            }
            Step::DeleteRecursive(key) => {
                trie.delete_recursive(key).unwrap();
                if map.contains_key(key) {
                    map.retain(|other, _| !other.starts_with(key));
                }
            }
            Step::Store => stored.extend(trie.take_new_nodes()),
        }
    }
    (trie, stored, map)
}

/// Nodes in the order in which they were stored. They are found by their positions only, roots by hash.
#[derive(Clone, Default)]
struct Log {
    nodes: Arc<RwLock<Vec<(B256, StoredNode)>>>,
    values: Arc<RwLock<HashMap<B256, Bytes>>>,
}

impl NodeSource for Log {
    fn node(&self, hash: &B256, at: Location) -> Result<StoredNode, StateError> {
        let log = self.nodes.read().unwrap();
        let found = match at {
            Location::UNKNOWN => log.iter().rev().find(|(stored, _)| stored == hash),
            Location(offset) => log.get(offset as usize - 1),
        };
        let (stored, node) = found.ok_or(StateError::MissingNode(*hash))?;
        assert_eq!(stored, hash);
        Ok(node.clone())
    }

    fn value(&self, hash: &B256) -> Result<Bytes, StateError> {
        self.values.read().unwrap().get(hash).cloned().ok_or(StateError::MissingNode(*hash))
    }
}

impl NodeSink for Log {
    fn node(&mut self, hash: B256, message: &Bytes, children: [Location; 2]) -> Location {
        let mut log = self.nodes.write().unwrap();
        log.push((hash, StoredNode { message: message.clone(), children }));
        Location(log.len() as u64)
    }

    fn value(&mut self, hash: B256, bytes: &Bytes) {
        self.values.write().unwrap().insert(hash, bytes.clone());
    }
}

impl Log {
    /// Stores the new nodes of a trie and forgets those that were stored more than `window` nodes ago.
    fn store(&mut self, trie: &mut Trie, window: u64) {
        let fresh = self.nodes.read().unwrap().len() as u64 + 1;
        trie.store_new(self);
        trie.forget_stored_before(Location(fresh), Location(fresh.saturating_sub(window)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stored_nodes_may_stay_in_memory(steps in steps(), window in 0..12u64) {
        let mut log = Log::default();
        let mut trie = Trie::at(Arc::new(log.clone()), EMPTY_ROOT);
        let mut plain = Trie::in_memory();
        let mut roots = Vec::new();
        for step in &steps {
            for trie in [&mut trie, &mut plain] {
                match step {
                    Step::Put(key, value) => trie.put(key, value.clone().into()).unwrap(),
                    Step::Delete(key) => trie.delete(key).unwrap(),
                    Step::DeleteRecursive(key) => trie.delete_recursive(key).unwrap(),
                    Step::Store => {}
                }
            }
            if matches!(step, Step::Store) {
                // Nodes that a clone shares are not forgotten.
                let shared = (roots.len() % 2 == 0).then(|| trie.clone());
                log.store(&mut trie, window);
                prop_assert_eq!(trie.count_new(), 0);
                if let Some(shared) = shared {
                    prop_assert_eq!(shared.nodes().unwrap(), trie.nodes().unwrap());
                }
                roots.push((trie.root(), plain.clone()));
            }
            prop_assert_eq!(trie.root(), plain.root());
        }
        prop_assert_eq!(trie.nodes().unwrap(), plain.nodes().unwrap());
        // Every stored state is complete when it is read from the log alone.
        for (root, plain) in roots {
            prop_assert_eq!(Trie::at(Arc::new(log.clone()), root).nodes().unwrap(), plain.nodes().unwrap());
        }
    }

    #[test]
    fn a_trie_holds_what_a_map_holds(steps in steps(), probe in key()) {
        let (trie, _, map) = run(&steps);
        for (key, value) in &map {
            prop_assert_eq!(trie.get(key).unwrap(), Some(Bytes::from(value.clone())));
            prop_assert_eq!(trie.value_info(key).unwrap(), Some((keccak256(value), value.len() as u32)));
        }
        prop_assert_eq!(trie.get(&probe).unwrap().map(|value| value.to_vec()), map.get(&probe).cloned());
        let mut listed = Vec::new();
        trie.walk(&mut |path, node| {
            if let Some(value) = node.value().load(&**trie.source())? {
                listed.push((path.as_bytes().to_vec(), value.to_vec()));
            }
            Ok(ControlFlow::Continue(()))
        }).unwrap();
        prop_assert_eq!(listed, map.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn the_form_depends_on_the_content_only(steps in steps()) {
        let (mut trie, stored, map) = run(&steps);
        let mut fresh = Trie::in_memory();
        for (key, value) in map.iter().rev() {
            fresh.put(key, value.clone().into()).unwrap();
        }
        prop_assert_eq!(trie.root(), fresh.root());
        prop_assert_eq!(trie.nodes().unwrap(), fresh.nodes().unwrap());
        prop_assert_eq!(trie.orchid_root(true).unwrap(), fresh.orchid_root(true).unwrap());
        let root = trie.root();
        stored.extend(trie.take_new_nodes());
        prop_assert!(trie.take_new_nodes().is_empty());
        let mut canonical = true;
        trie.walk(&mut |_, node| {
            canonical &= !node.value().is_none() || !(node.child(false).is_empty() || node.child(true).is_empty());
            Ok(ControlFlow::Continue(()))
        }).unwrap();
        prop_assert!(canonical);
        prop_assert_eq!(Trie::at(Arc::new(stored), root).nodes().unwrap(), fresh.nodes().unwrap());
    }

    #[test]
    fn only_new_nodes_are_handed_over(steps in steps(), key in key(), value in value()) {
        let (mut trie, stored, _) = run(&steps);
        stored.extend(trie.take_new_nodes());
        let before = stored.len();
        trie.put(&key, value.clone().into()).unwrap();
        let nodes = trie.take_new_nodes();
        // A path has at most 8 x 5 + 1 nodes; with the long value and a split there are two more.
        prop_assert!(nodes.len() <= 43);
        for (hash, bytes) in &nodes {
            prop_assert_eq!(&keccak256(bytes), hash);
        }
        stored.extend(nodes);
        prop_assert!(stored.len() <= before + 43);
        prop_assert_eq!(trie.get(&key).unwrap().unwrap_or_default().to_vec(), value);
    }

    #[test]
    fn proofs_verify_and_forgeries_do_not(steps in steps(), probe in key(), flip in any::<prop::sample::Index>()) {
        let (trie, _, map) = run(&steps);
        let root = trie.root();
        for key in map.keys().chain([&probe]) {
            let proof = trie.prove(key).unwrap();
            let proved = verify_proof(&root, key, &proof).unwrap();
            prop_assert_eq!(proved.hash(), map.get(key).map(|value| keccak256(value)));
            if proof.is_empty() {
                continue;
            }
            prop_assert!(verify_proof(&root, key, &proof[..proof.len() - 1]).is_err());
            let mut longer = proof.clone();
            longer.push(Bytes::from_static(&[0x40]));
            prop_assert!(verify_proof(&root, key, &longer).is_err());
            let mut forged = proof.clone();
            let item = flip.index(forged.len());
            let mut bytes = forged[item].to_vec();
            let at = flip.index(bytes.len());
            bytes[at] ^= 1;
            forged[item] = bytes.into();
            prop_assert!(verify_proof(&root, key, &forged).is_err());
        }
    }

    #[test]
    fn cells_after_a_key_are_the_rest_of_the_list(steps in steps(), prefix in key(), after in key()) {
        let (trie, _, map) = run(&steps);
        let mut listed = Vec::new();
        trie.walk_below(&prefix, Some(&after), &mut |path, node| {
            if !node.value().is_none() {
                listed.push(path.as_bytes().to_vec());
            }
            Ok(ControlFlow::Continue(()))
        }).unwrap();
        let expected: Vec<_> = map.into_keys().filter(|key| key.starts_with(&prefix) && *key > after).collect();
        prop_assert_eq!(listed, expected);
    }

    #[test]
    fn arbitrary_bytes_are_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..120), flags in 0x40u8..0x80) {
        let mut message = vec![flags];
        message.extend(&bytes);
        if let Ok(node) = Node::parse(message.into()) {
            let _ = (node.children_size(), node.is_embeddable());
        }
        let mut orchid = vec![2];
        orchid.extend(&bytes);
        if let Ok(node) = OrchidNode::parse(&orchid) {
            prop_assert_eq!(OrchidNode::parse(&node.message()), Ok(node));
        }
    }
}
