//! The maps of this crate. Contracts choose the keys, so the hash is seeded at random; it is fast for the short keys of
//! state.

use foldhash::fast::RandomState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, RandomState>;
