//! Merkle branches.

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;

/// Most hashes in a branch.
const MAX_HASHES: usize = 32;

/// A path from a transaction to the merkle root; hashes in display order.
pub(crate) struct MerkleBranch {
    hashes: Vec<B256>,
    path: i32,
}

impl MerkleBranch {
    /// None when there are too many hashes, or the path has more significant bits than hashes; a
    /// negative path counts as having none.
    pub(crate) fn new(hashes: Vec<B256>, path: i32) -> Option<Self> {
        let bits = if path > 0 { (i32::BITS - path.leading_zeros()) as usize } else { 0 };
        (hashes.len() <= MAX_HASHES && bits <= hashes.len()).then_some(Self { hashes, path })
    }

    /// The root above a transaction; bit i of the path says that the node stands on the right at level i.
    pub(crate) fn root(&self, transaction: B256) -> B256 {
        self.hashes.iter().enumerate().fold(transaction, |current, (level, sibling)| {
            if self.path >> level & 1 == 1 { combine(*sibling, current) } else { combine(current, *sibling) }
        })
    }
}

/// The node above two nodes, all in display order.
fn combine(left: B256, right: B256) -> B256 {
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(left.as_slice());
    bytes[32..].copy_from_slice(right.as_slice());
    bytes[..32].reverse();
    bytes[32..].reverse();
    reversed(sha256d(&bytes))
}

/// The hash with its bytes in the other order.
pub(crate) fn reversed(mut hash: B256) -> B256 {
    hash.0.reverse();
    hash
}
