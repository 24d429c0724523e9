//! What a layer above the table of the head may have, in some bits for each row. A read of a row that no layer has would
//! look into the maps of each of them: 64 of them between the commits of an import.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use rhizome_primitives::U256;
use rhizome_primitives::account::AccountRef;

use crate::head_changes::HeadChanges;

/// Bits for each row, of which it sets two: one look-up in some sixty goes to the maps in vain.
const BITS_PER_ROW: usize = 16;
/// Most bytes of one filter: beyond, more look-ups go to the maps.
const MAX_FILTER_BYTES: usize = 64 << 10;

/// One for all layers, so that a read hashes its key once. Random, so that nobody can choose keys that share their bits.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Hash of an account's row, or of its cell's with a slot.
pub(crate) fn filter_hash(account: &AccountRef, slot: Option<&U256>) -> u64 {
    HASHER.hash_one((account, slot))
}

/// A Bloom filter of the rows of a layer.
pub(crate) struct LayerFilter {
    /// A power of two of them; none where everything may be in the layer.
    words: Box<[u64]>,
}

impl LayerFilter {
    /// `rows` is the number of rows of the changes.
    pub(crate) fn of(changes: &HeadChanges, rows: usize) -> Self {
        // A deletion concerns each cell of its account.
        if changes.accounts.values().any(|change| change.reset) {
            return Self { words: Box::default() };
        }
        let words = (rows * BITS_PER_ROW / 64).next_power_of_two().min(MAX_FILTER_BYTES / 8);
        let mut filter = Self { words: vec![0; words].into() };
        for (account, change) in &changes.accounts {
            filter.add(filter_hash(account, None));
            for slot in change.cells.keys() {
                filter.add(filter_hash(account, Some(slot)));
            }
        }
        filter
    }

    fn add(&mut self, hash: u64) {
        let index = self.index(hash);
        self.words[index] |= bits(hash);
    }

    /// False when the layer says nothing of a row with this hash.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        self.words.is_empty() || self.words[self.index(hash)] & bits(hash) == bits(hash)
    }

    fn index(&self, hash: u64) -> usize {
        (hash >> 12) as usize & (self.words.len() - 1)
    }
}

/// Two bits of one word, by the lowest bits of the hash.
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63)
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::Address;
    use rhizome_trie::keys::Item;

    use super::*;
    use crate::head_changes::{AccountChange, CellValue, ItemValue};

    fn account(number: u64) -> AccountRef {
        AccountRef::Address(Address::from_word(U256::from(number).into()))
    }

    #[test]
    fn what_a_layer_has_passes_and_most_of_the_rest_does_not() {
        let mut changes = HeadChanges::default();
        for number in 0..100 {
            changes.put(&account(number), Item::Account, ItemValue::Bytes(None));
            let value = ItemValue::Cell(Some(CellValue::Here(vec![1].into())));
            changes.put(&account(number % 3), Item::Cell(U256::from(number)), value);
        }
        let filter = LayerFilter::of(&changes, changes.rows());
        for (account, change) in &changes.accounts {
            assert!(filter.may_have(filter_hash(account, None)));
            assert!(change.cells.keys().all(|slot| filter.may_have(filter_hash(account, Some(slot)))));
        }
        let passing = (100..10_100).filter(|number| filter.may_have(filter_hash(&account(*number), None))).count();
        assert!(passing < 1_000, "{passing}");
    }

    #[test]
    fn a_deletion_lets_everything_pass() {
        let mut changes = HeadChanges::default();
        changes.accounts.insert(account(1), AccountChange { reset: true, ..AccountChange::default() });
        let filter = LayerFilter::of(&changes, 1);
        assert!((0..100).all(|number| filter.may_have(filter_hash(&account(1), Some(&U256::from(number))))));
    }

    #[test]
    fn a_layer_without_changes_has_nothing() {
        let filter = LayerFilter::of(&HeadChanges::default(), 0);
        assert!((0..100).all(|number| !filter.may_have(filter_hash(&account(number), None))));
    }
}
