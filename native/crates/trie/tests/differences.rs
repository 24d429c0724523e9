//! The differences of random tries are those of the maps that they hold, whatever the two have in common.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::{Address, U256};
use rhizome_trie::keys::{self, Item};
use rhizome_trie::{EMPTY_ROOT, MemoryNodes, Trie};

type Entries = BTreeMap<Vec<u8>, Vec<u8>>;
type Change = (Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>);

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0x00, 0x01, 0x80, 0xff, 0x7f]), 0..6)
}

fn entries() -> impl Strategy<Value = Entries> {
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..3),
        prop::collection::vec(any::<u8>(), 28..46),
        prop::collection::vec(any::<u8>(), 200..300)
    ];
    prop::collection::btree_map(key(), value, 0..40)
}

fn stored(nodes: &MemoryNodes, base: &Trie, changes: &Entries, removed: &[Vec<u8>]) -> Trie {
    let mut trie = base.clone();
    for key in removed {
        trie.delete(key).unwrap();
    }
    for (key, value) in changes {
        trie.put(key, value.clone().into()).unwrap();
    }
    let root = trie.root();
    nodes.extend(trie.take_new_nodes());
    Trie::at(Arc::new(nodes.clone()), root)
}

fn expected(old: &Entries, new: &Entries, after: Option<&[u8]>) -> Vec<Change> {
    let keys: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
    keys.into_iter()
        .filter(|key| after.is_none_or(|after| key.as_slice() > after) && old.get(*key) != new.get(*key))
        .map(|key| (key.clone(), old.get(key).cloned(), new.get(key).cloned()))
        .collect()
}

fn found(old: &Trie, new: &Trie, after: Option<&[u8]>, limit: usize) -> Vec<Change> {
    let mut found = Vec::new();
    old.differences(new, after, &mut |key, before, now| {
        let load = |trie: &Trie, value: &rhizome_trie::Value| {
            value.load(&**trie.source()).unwrap().map(|bytes| bytes.to_vec())
        };
        found.push((key.to_vec(), load(old, before), load(new, now)));
        Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })
    .unwrap();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn differences_are_those_of_the_contents(
        first in entries(), second in entries(), removed in prop::collection::vec(key(), 0..20), after in key(),
    ) {
        let nodes = MemoryNodes::default();
        let empty = Trie::at(Arc::new(nodes.clone()), EMPTY_ROOT);
        let old = stored(&nodes, &empty, &first, &[]);
        // A trie that grew out of the other one, and one that has nothing to do with it.
        let grown = stored(&nodes, &old, &second, &removed);
        let mut contents = first.clone();
        contents.retain(|key, _| !removed.contains(key));
        contents.extend(second.clone());
        let other = stored(&nodes, &empty, &second, &[]);
        let tries = [(&old, &first), (&grown, &contents), (&other, &second), (&empty, &Entries::new())];
        for (one, one_entries) in tries {
            for (another, another_entries) in tries {
                for after in [None, Some(after.as_slice())] {
                    let all = expected(one_entries, another_entries, after);
                    prop_assert_eq!(&found(one, another, after, usize::MAX), &all);
                    prop_assert_eq!(found(one, another, after, 3), &all[..all.len().min(3)]);
                }
            }
        }
    }

    #[test]
    fn keys_are_read_back(address in any::<[u8; 20]>(), slot in any::<[u8; 32]>(), zeros in 0_usize..33) {
        let mut slot = slot;
        slot[..zeros].fill(0);
        let slot = U256::from_be_bytes(slot);
        for account in [AccountRef::Address(Address::from(address)), AccountRef::RemascSender, AccountRef::NoAddress] {
            let items = [
                (keys::account_key(&account), Item::Account),
                (keys::code_key(&account), Item::Code),
                (keys::storage_prefix_key(&account), Item::Marker),
                (keys::storage_key(&account, &slot), Item::Cell(slot)),
            ];
            for (key, item) in items {
                prop_assert_eq!(keys::item_of(&key), Some((account, item)));
            }
        }
    }
}

#[test]
fn keys_that_no_state_has_are_none() {
    let account = keys::account_key(&AccountRef::Address(Address::repeat_byte(1)));
    for key in [&account[..30], &[&account[..], &[1]].concat(), &[&account[..], &[0; 5]].concat(), &[1; 31]] {
        assert_eq!(keys::item_of(key), None);
    }
}
