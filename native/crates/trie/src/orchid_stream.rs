//! The orchid root of a trie whose values come in the order of its keys, without holding the trie.

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::bits::Bits;
use crate::keys::HASH_PREFIX;
use crate::orchid::{OrchidNode, OrchidValue};
use crate::{EMPTY_ROOT, keccak256};

const KEY_BITS: usize = 256;

/// Computes the orchid root of a secure trie. Keys are Keccak-256 hashes; each must come once, in ascending order of
/// their first ten bytes, which is the order in which the Unitrie holds accounts and the cells of an account. Memory
/// holds the branches above the newest key, at most 256, and the values whose first ten bytes are equal.
#[derive(Default)]
pub struct OrchidStream {
    /// Values whose keys share their first ten bytes: the order of the Unitrie does not determine the order of the rest
    /// of their keys.
    alike: Vec<(B256, OrchidValue)>,
    /// Branches above the newest subtree, which is on the side of bit 1 of all of them.
    branches: Vec<Branch>,
    newest: Option<Subtree>,
}

/// A branch whose left side (bit 0) is complete.
struct Branch {
    depth: usize,
    left: B256,
}

/// A subtree whose path is unknown until its parent is.
struct Subtree {
    key: B256,
    end: usize,
    children: [Option<B256>; 2],
    value: OrchidValue,
}

impl Subtree {
    /// Orchid hash of the node whose path begins at bit `start` of the key.
    fn hash(self, start: usize) -> B256 {
        let path = Bits::of_key(self.key.as_slice()).take(self.end).skip(start).to_path();
        keccak256(&OrchidNode { secure: true, path, children: self.children, value: self.value }.message())
    }
}

impl OrchidStream {
    /// Adds the next value. [`StateError::Corrupt`] when its key does not come after the previous ones.
    pub fn add(&mut self, key: B256, value: OrchidValue) -> Result<(), StateError> {
        if self.alike.first().is_some_and(|(first, _)| first[..HASH_PREFIX] != key[..HASH_PREFIX]) {
            self.insert_alike()?;
        }
        self.alike.push((key, value));
        Ok(())
    }

    /// The root; without values, that of the empty trie.
    pub fn root(mut self) -> Result<B256, StateError> {
        self.insert_alike()?;
        let Some(newest) = self.newest.take() else { return Ok(EMPTY_ROOT) };
        Ok(self.close(newest, 0).hash(0))
    }

    fn insert_alike(&mut self) -> Result<(), StateError> {
        let mut values = std::mem::take(&mut self.alike);
        values.sort_unstable_by_key(|(key, _)| *key);
        values.into_iter().try_for_each(|(key, value)| self.insert(key, value))
    }

    fn insert(&mut self, key: B256, value: OrchidValue) -> Result<(), StateError> {
        if let Some(newest) = self.newest.take() {
            if newest.key >= key {
                return Err(StateError::Corrupt { hash: key, reason: "it is not in the order of its trie".to_owned() });
            }
            let depth = Bits::of_key(newest.key.as_slice()).common_prefix(Bits::of_key(key.as_slice()));
            let left = self.close(newest, depth + 1).hash(depth + 1);
            self.branches.push(Branch { depth, left });
        }
        self.newest = Some(Subtree { key, end: KEY_BITS, children: [None, None], value });
        Ok(())
    }

    /// Completes the branches from a depth on: no more values come below them.
    fn close(&mut self, mut newest: Subtree, from: usize) -> Subtree {
        while let Some(branch) = self.branches.pop_if(|branch| branch.depth >= from) {
            let key = newest.key;
            let children = [Some(branch.left), Some(newest.hash(branch.depth + 1))];
            newest = Subtree { key, end: branch.depth, children, value: OrchidValue::None };
        }
        newest
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Trie, Value};

    fn leaf(value: &[u8]) -> OrchidValue {
        OrchidValue::of(&Value::new(value.to_vec().into()).unwrap())
    }

    fn both(mut entries: Vec<(B256, Vec<u8>)>) -> (B256, B256) {
        let mut trie = Trie::in_memory();
        for (key, value) in &entries {
            trie.put(key.as_slice(), value.clone().into()).unwrap();
        }
        entries.sort_by_key(|(key, _)| key[..HASH_PREFIX].to_vec());
        let mut stream = OrchidStream::default();
        for (key, value) in &entries {
            stream.add(*key, leaf(value)).unwrap();
        }
        (stream.root().unwrap(), trie.orchid_root(true).unwrap())
    }

    #[test]
    fn equals_the_trie_at_every_size() {
        for count in (0..70u32).chain([1000]) {
            let entry = |index: u32| {
                let key = keccak256(&index.to_be_bytes());
                (key, key.repeat(2)[..1 + index as usize % 40].to_vec())
            };
            let (streamed, walked) = both((0..count).map(entry).collect());
            assert_eq!(streamed, walked, "{count} values");
        }
    }

    #[test]
    fn equals_the_trie_where_keys_begin_alike() {
        // Descending among keys with equal first bytes, an order that the Unitrie may have.
        let key = |index: u8| {
            let mut key = keccak256(&[index / 8]);
            key[HASH_PREFIX] = 0x80 ^ index.wrapping_mul(37);
            key[31] = index;
            key
        };
        let (streamed, walked) = both((0..64).rev().map(|index| (key(index), vec![index + 1])).collect());
        assert_eq!(streamed, walked);
    }

    #[test]
    fn refuses_another_order() {
        let mut stream = OrchidStream::default();
        stream.add(B256::repeat_byte(2), leaf(&[1])).unwrap();
        stream.add(B256::repeat_byte(1), leaf(&[1])).unwrap();
        assert!(stream.root().is_err());
    }
}
