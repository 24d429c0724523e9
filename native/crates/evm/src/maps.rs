//! The maps of this crate. Keys come from contracts: the hash is seeded at random, and quick for the short keys of
//! state.

use foldhash::fast::RandomState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, RandomState>;
