//! Bitcoin's partial Merkle tree, the proof format before RSKIP92 (consensus.md §3.3).

use rhizome_primitives::B256;

use crate::error::{MerkleError, PartialTreeError};
use crate::merkle::combine;
use crate::reader::{Reader, Unparsable, write_bytes, write_var_int};

/// More transactions of at least 60 bytes do not fit into a block of a million bytes.
const MAX_TRANSACTIONS: u32 = 1_000_000 / 60;

/// A partial Merkle tree whose size matches its counts.
#[derive(Clone, Copy, Debug)]
pub struct PartialMerkleTree<'a> {
    transactions: u32,
    hashes: &'a [u8],
    flags: &'a [u8],
}

/// The result of a tree, in internal byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The transactions that the tree proves.
    pub matched: Vec<B256>,
    /// The root above them.
    pub root: B256,
}

impl<'a> PartialMerkleTree<'a> {
    /// Reads `count (u32 LE) ∥ VarInt n ∥ n hashes ∥ VarInt m ∥ m bytes of flags`. Lengths may have longer encodings
    /// than necessary; no bytes may follow.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PartialTreeError> {
        let tree = Self::parse(bytes)?;
        if Self::has_expected_size(bytes) { Ok(tree) } else { Err(PartialTreeError::Size) }
    }

    /// Like [`Self::read`], without a check of the size: bytes that follow are ignored, and only the low 32 bits of
    /// each count are used.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, PartialTreeError> {
        let mut reader = Reader::new(bytes);
        let mut parts = || -> Result<Self, Unparsable> {
            let transactions = reader.u32()?;
            let count = usize::try_from(reader.var_int()? as i32).map_err(|_| Unparsable)?;
            let hashes = reader.take(count.checked_mul(32).ok_or(Unparsable)?)?;
            Ok(Self { transactions, hashes, flags: reader.bytes()? })
        };
        parts().map_err(|_| PartialTreeError::Size)
    }

    /// True when the number of bytes is what their counts declare, whatever the contents.
    #[must_use]
    pub fn has_expected_size(bytes: &[u8]) -> bool {
        let mut reader = Reader::new(bytes.get(4..).unwrap_or_default());
        let mut declared = || -> Option<bool> {
            let hashes = i32::try_from(reader.var_int().ok()?).ok()?.checked_mul(32)?;
            reader.take(usize::try_from(hashes).ok()?).ok()?;
            let flags = i32::try_from(reader.var_int().ok()?).ok()?;
            Some(usize::try_from(flags).ok()? == reader.rest.len())
        };
        declared().unwrap_or(false)
    }

    /// Number of transactions in the block.
    #[must_use]
    pub const fn transactions(&self) -> u32 {
        self.transactions
    }

    /// Walks the tree.
    pub fn extract(&self) -> Result<Extracted, MerkleError> {
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
        let mut walk = Walk { tree: self, bits: 0, hashes: 0, matched: Vec::new() };
        let root = walk.node(height(count), 0)?;
        if walk.bits.div_ceil(8) != self.flags.len() || walk.hashes != hashes {
            return Err(PartialTreeError::Unused.into());
        }
        Ok(Extracted { matched: walk.matched, root })
    }

    /// Checks that the tree has this root and proves this transaction.
    pub fn check(&self, transaction_id: &B256, root: &B256) -> Result<(), MerkleError> {
        let extracted = self.extract()?;
        if extracted.root != *root {
            return Err(MerkleError::RootMismatch);
        }
        if extracted.matched.contains(transaction_id) { Ok(()) } else { Err(MerkleError::CoinbaseNotMatched) }
    }
}

/// Number of nodes at a height above the given number of leaves; leaves have height 0.
const fn width(leaves: u32, height: u32) -> u32 {
    (leaves + (1 << height) - 1) >> height
}

fn height(leaves: u32) -> u32 {
    (0..).find(|height| width(leaves, *height) <= 1).unwrap_or(0)
}

/// The tree that proves some of a block's transactions, given by their ids in internal byte order. None when there are
/// no transactions, more than fit into a block, or when a node looks like a transaction.
#[must_use]
pub fn build(leaves: &[B256], proven: impl Fn(usize) -> bool) -> Option<Vec<u8>> {
    let count = u32::try_from(leaves.len()).ok().filter(|count| (1..=MAX_TRANSACTIONS).contains(count))?;
    let mut levels = vec![leaves.iter().enumerate().map(|(index, leaf)| (*leaf, proven(index))).collect::<Vec<_>>()];
    while let Some(level) = levels.last().filter(|level| level.len() > 1) {
        let parent = |pair: &[(B256, bool)]| match pair {
            [(left, marked), (right, also)] => Some((combine(left, right).ok()?, *marked || *also)),
            [(only, marked)] => Some((combine(only, only).ok()?, *marked)),
            _ => None,
        };
        let above = level.chunks(2).map(parent).collect::<Option<_>>()?;
        levels.push(above);
    }
    let (mut bits, mut hashes) = (Vec::new(), Vec::new());
    let mut open = vec![(levels.len() - 1, 0)];
    while let Some((height, position)) = open.pop() {
        let Some((hash, marked)) = levels.get(height).and_then(|level| level.get(position)) else { continue };
        bits.push(*marked);
        if height == 0 || !marked {
            hashes.push(*hash);
        } else {
            open.extend([(height - 1, position * 2 + 1), (height - 1, position * 2)]);
        }
    }
    let mut out = count.to_le_bytes().to_vec();
    write_var_int(&mut out, hashes.len() as u64);
    hashes.iter().for_each(|hash| out.extend_from_slice(hash.as_slice()));
    let flags = bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)));
    write_bytes(&mut out, &flags.collect::<Vec<_>>());
    Some(out)
}

struct Walk<'a> {
    tree: &'a PartialMerkleTree<'a>,
    bits: usize,
    hashes: usize,
    matched: Vec<B256>,
}

impl Walk<'_> {
    /// Hash of a node; nodes are read depth first, in the order of the flags. At most 15 levels deep.
    fn node(&mut self, height: u32, position: u32) -> Result<B256, MerkleError> {
        let flags = self.tree.flags.get(self.bits / 8).ok_or(PartialTreeError::BitsExhausted)?;
        let matched_below = flags >> (self.bits % 8) & 1 == 1;
        self.bits += 1;
        if height == 0 || !matched_below {
            let at = self.hashes * 32;
            let hash = self.tree.hashes.get(at..at + 32).ok_or(PartialTreeError::HashesExhausted)?;
            let hash = B256::from_slice(hash);
            self.hashes += 1;
            if height == 0 && matched_below {
                self.matched.push(hash);
            }
            return Ok(hash);
        }
        let left = self.node(height - 1, position * 2)?;
        if position * 2 + 1 >= width(self.tree.transactions, height - 1) {
            return combine(&left, &left);
        }
        let right = self.node(height - 1, position * 2 + 1)?;
        if left == right {
            return Err(PartialTreeError::EqualSiblings.into());
        }
        combine(&left, &right)
    }
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
        let mut wide = valid.clone();
        wide.splice(4..5, [0xff, 1, 0, 0, 0, 1, 0, 0, 0]);
        assert!(PartialMerkleTree::parse(&wide).is_ok(), "only the low half of a count is read");
        assert_eq!(check(&wide, &leaf(1), &leaf(1)), Err(PartialTreeError::Size.into()));
        let mut huge = 1u32.to_le_bytes().to_vec();
        huge.extend_from_slice(&[0xff; 9]);
        assert_eq!(check(&huge, &leaf(1), &leaf(1)), Err(PartialTreeError::Size.into()));
    }
}
