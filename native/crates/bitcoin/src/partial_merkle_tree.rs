//! Bitcoin's partial Merkle tree, the proof format before RSKIP92 (consensus.md §3.3).

use rhizome_primitives::B256;

use crate::error::{MerkleError, PartialTreeError};
use crate::merkle::combine;

/// More transactions of at least 60 bytes do not fit into a block of a million bytes.
const MAX_TRANSACTIONS: u32 = 1_000_000 / 60;

/// A partial Merkle tree whose declared size is its real one.
#[derive(Clone, Copy, Debug)]
pub struct PartialMerkleTree<'a> {
    transactions: u32,
    hashes: &'a [u8],
    flags: &'a [u8],
}

impl<'a> PartialMerkleTree<'a> {
    /// Reads `count (u32 LE) ∥ VarInt n ∥ n hashes ∥ VarInt m ∥ m bytes of flags`. Lengths need not be
    /// encoded shortest; nothing may follow.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PartialTreeError> {
        let (count, rest) = bytes.split_first_chunk().ok_or(PartialTreeError::Size)?;
        let (hashes, rest) = sized(rest, 32)?;
        let (flags, rest) = sized(rest, 1)?;
        if !rest.is_empty() {
            return Err(PartialTreeError::Size);
        }
        Ok(Self { transactions: u32::from_le_bytes(*count), hashes, flags })
    }

    /// Checks that the tree has this root and proves this transaction.
    pub fn check(&self, transaction_id: &B256, root: &B256) -> Result<(), MerkleError> {
        let count = self.transactions;
        if count == 0 || count > MAX_TRANSACTIONS {
            return Err(PartialTreeError::TransactionCount(count).into());
        }
        let hashes = self.hashes.len() / 32;
        if hashes > count as usize {
            return Err(PartialTreeError::TooManyHashes.into());
        }
        if self.flags.len() * 8 < hashes {
            return Err(PartialTreeError::TooFewBits.into());
        }
        let height = (0..).find(|height| self.width(*height) <= 1).unwrap_or(0);
        let mut walk = Walk { tree: self, bits: 0, hashes: 0, wanted: transaction_id, found: false };
        let computed = walk.node(height, 0)?;
        if walk.bits.div_ceil(8) != self.flags.len() || walk.hashes != hashes {
            return Err(PartialTreeError::Unused.into());
        }
        if computed != *root {
            return Err(MerkleError::RootMismatch);
        }
        if walk.found { Ok(()) } else { Err(MerkleError::CoinbaseNotMatched) }
    }

    /// Nodes at a height; leaves are at 0.
    fn width(&self, height: u32) -> u32 {
        (self.transactions + (1 << height) - 1) >> height
    }
}

struct Walk<'a> {
    tree: &'a PartialMerkleTree<'a>,
    bits: usize,
    hashes: usize,
    wanted: &'a B256,
    found: bool,
}

impl Walk<'_> {
    /// Hash of a node, depth first as the flags were written. At most 15 levels deep.
    fn node(&mut self, height: u32, position: u32) -> Result<B256, MerkleError> {
        let flags = self.tree.flags.get(self.bits / 8).ok_or(PartialTreeError::BitsExhausted)?;
        let matched_below = flags >> (self.bits % 8) & 1 == 1;
        self.bits += 1;
        if height == 0 || !matched_below {
            let at = self.hashes * 32;
            let hash = self.tree.hashes.get(at..at + 32).ok_or(PartialTreeError::HashesExhausted)?;
            let hash = B256::from_slice(hash);
            self.hashes += 1;
            self.found |= height == 0 && matched_below && hash == *self.wanted;
            return Ok(hash);
        }
        let left = self.node(height - 1, position * 2)?;
        if position * 2 + 1 >= self.tree.width(height - 1) {
            return combine(&left, &left);
        }
        let right = self.node(height - 1, position * 2 + 1)?;
        if left == right {
            return Err(PartialTreeError::EqualSiblings.into());
        }
        combine(&left, &right)
    }
}

/// Splits off a VarInt and that many items of `item` bytes.
fn sized(bytes: &[u8], item: usize) -> Result<(&[u8], &[u8]), PartialTreeError> {
    let (&first, rest) = bytes.split_first().ok_or(PartialTreeError::Size)?;
    let size = match first {
        0xfd => 2,
        0xfe => 4,
        0xff => 8,
        _ => 0,
    };
    let (encoded, rest) = rest.split_at_checked(size).ok_or(PartialTreeError::Size)?;
    let long = encoded.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let count = if size == 0 { u64::from(first) } else { long };
    let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(item)).ok_or(PartialTreeError::Size)?;
    rest.split_at_checked(length).ok_or(PartialTreeError::Size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(n: u8) -> B256 {
        B256::repeat_byte(n)
    }

    fn parent(left: B256, right: B256) -> B256 {
        combine(&left, &right).expect("no transaction")
    }

    fn tree(count: u32, hashes: &[B256], flags: &[u8]) -> Vec<u8> {
        let mut bytes = count.to_le_bytes().to_vec();
        bytes.push(hashes.len() as u8);
        hashes.iter().for_each(|hash| bytes.extend_from_slice(hash.as_slice()));
        bytes.push(flags.len() as u8);
        bytes.extend_from_slice(flags);
        bytes
    }

    fn check(bytes: &[u8], id: &B256, root: &B256) -> Result<(), MerkleError> {
        PartialMerkleTree::read(bytes).map_err(MerkleError::from)?.check(id, root)
    }

    #[test]
    fn first_of_three_leaves() {
        let inner = parent(leaf(1), leaf(2));
        let right = parent(leaf(3), leaf(3));
        let root = parent(inner, right);
        // Flags depth first: root 1, left 1, leaf one 1, leaf two 0, right 0.
        let valid = tree(3, &[leaf(1), leaf(2), right], &[0b00111]);
        assert_eq!(check(&valid, &leaf(1), &root), Ok(()));
        assert_eq!(check(&valid, &leaf(2), &root), Err(MerkleError::CoinbaseNotMatched));
        assert_eq!(check(&valid, &leaf(1), &inner), Err(MerkleError::RootMismatch));
        let mut long_form = valid.clone();
        long_form.splice(4..5, [0xfd, 3, 0]);
        assert_eq!(check(&long_form, &leaf(1), &root), Ok(()));
        let all = tree(3, &[leaf(1), leaf(2), leaf(3)], &[0b11_1111]);
        assert_eq!(check(&all, &leaf(3), &root), Ok(()));
    }

    #[test]
    fn malformed_trees() {
        let one = |count, flags: &[u8]| check(&tree(count, &[leaf(1)], flags), &leaf(1), &leaf(1));
        assert_eq!(one(1, &[1]), Ok(()));
        assert_eq!(one(0, &[1]), Err(PartialTreeError::TransactionCount(0).into()));
        assert_eq!(one(16_667, &[1]), Err(PartialTreeError::TransactionCount(16_667).into()));
        assert_eq!(one(u32::MAX, &[1]), Err(PartialTreeError::TransactionCount(u32::MAX).into()));
        assert_eq!(one(1, &[]), Err(PartialTreeError::TooFewBits.into()));
        assert_eq!(one(1, &[1, 0]), Err(PartialTreeError::Unused.into()));
        assert_eq!(one(2, &[0b11]), Err(PartialTreeError::HashesExhausted.into()));
        let check_tree = |count, hashes: &[B256], flags: &[u8]| check(&tree(count, hashes, flags), &leaf(1), &leaf(1));
        assert_eq!(check_tree(1, &[leaf(1); 2], &[1]), Err(PartialTreeError::TooManyHashes.into()));
        assert_eq!(check_tree(2, &[leaf(1); 2], &[0b111]), Err(PartialTreeError::EqualSiblings.into()));
        assert_eq!(check_tree(256, &[leaf(1)], &[0xff]), Err(PartialTreeError::BitsExhausted.into()));
    }

    #[test]
    fn declared_sizes_must_be_exact() {
        let valid = tree(1, &[leaf(1)], &[1]);
        for length in 0..valid.len() {
            assert_eq!(check(&valid[..length], &leaf(1), &leaf(1)), Err(PartialTreeError::Size.into()));
        }
        let mut trailing = valid.clone();
        trailing.push(0);
        assert_eq!(check(&trailing, &leaf(1), &leaf(1)), Err(PartialTreeError::Size.into()));
        let mut huge = 1u32.to_le_bytes().to_vec();
        huge.extend_from_slice(&[0xff; 9]);
        assert_eq!(check(&huge, &leaf(1), &leaf(1)), Err(PartialTreeError::Size.into()));
    }
}
