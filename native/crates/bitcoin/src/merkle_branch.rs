//! Merkle branches from a transaction to the root of its block (bridge.md §3.3).

use rhizome_primitives::B256;

use crate::error::MerkleError;
use crate::merkle::combine;

/// Maximum number of hashes in a branch.
const MAX_HASHES: usize = 32;

/// A path from a transaction to the merkle root; hashes in display order.
#[derive(Clone, Debug)]
pub struct MerkleBranch {
    hashes: Vec<B256>,
    path: i32,
}

impl MerkleBranch {
    /// None when there are too many hashes, or the path has more significant bits than there are hashes; a negative
    /// path counts as having no bits.
    #[must_use]
    pub fn new(hashes: Vec<B256>, path: i32) -> Option<Self> {
        let bits = if path > 0 { (i32::BITS - path.leading_zeros()) as usize } else { 0 };
        (hashes.len() <= MAX_HASHES && bits <= hashes.len()).then_some(Self { hashes, path })
    }

    /// The root above a transaction; bit i of the path is set if the node is on the right at level i.
    ///
    /// # Errors
    /// As [`combine_display`].
    pub fn root(&self, transaction: B256) -> Result<B256, MerkleError> {
        self.hashes.iter().enumerate().try_fold(transaction, |current, (level, sibling)| {
            if self.path >> level & 1 == 1 {
                combine_display(*sibling, current)
            } else {
                combine_display(current, *sibling)
            }
        })
    }
}

/// The parent of two nodes, all in display order.
///
/// # Errors
/// [`MerkleError::SixtyFourByteTransaction`] when both could be a transaction.
pub fn combine_display(left: B256, right: B256) -> Result<B256, MerkleError> {
    combine(&reversed(left), &reversed(right)).map(reversed)
}

/// The hash with its bytes reversed.
#[must_use]
pub fn reversed(mut hash: B256) -> B256 {
    hash.0.reverse();
    hash
}
