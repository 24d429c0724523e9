//! Tries over lists: transactions and receipts (consensus.md §2.6).

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256, rlp};

use crate::trie::Trie;

/// The trie that maps `int(i)` in RLP to the i-th value.
pub fn ordered_trie(values: &[Bytes]) -> Result<Trie, StateError> {
    let mut trie = Trie::in_memory();
    for (index, value) in values.iter().enumerate() {
        trie.put(&ordered_key(index), value.clone())?;
    }
    Ok(trie)
}

/// Key of the i-th value: `int(i)`, so `80` for the first.
pub fn ordered_key(index: usize) -> Vec<u8> {
    let mut key = Vec::with_capacity(4);
    rlp::write_uint(&mut key, U256::from(index));
    key
}

/// Root of [`ordered_trie`]: the transaction or receipt root of a block. `orchid` for blocks before
/// RSKIP126. Fails for a value above 2^24-1 bytes.
pub fn ordered_root(values: &[Bytes], orchid: bool) -> Result<B256, StateError> {
    let trie = ordered_trie(values)?;
    if orchid { trie.orchid_root(false) } else { Ok(trie.root()) }
}
