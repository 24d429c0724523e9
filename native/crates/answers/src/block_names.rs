//! What names of blocks stand for.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_primitives::block::BlockEnv;
use rhizome_primitives::{B256, hex};
use rhizome_store::{DeepBlock, HeadBranch};

use crate::encoded_object_cache::ObjectBlock;

/// Names that are known at once; beyond, all are looked up again.
const MAX_NAMES: usize = 65_536;

/// Characters of a name that is a hash: longer ones are no names, and shorter ones are numbers.
const HASH_CHARACTERS: usize = 66;

/// Blocks between the head and those that two tags stand for.
#[derive(Clone, Copy, Debug, Default)]
pub struct TagDepths {
    /// `safe`.
    pub safe: u64,
    /// `finalized`.
    pub finalized: u64,
}

/// A block that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBlock {
    /// Its height.
    pub number: u64,
    /// Its hash.
    pub hash: B256,
    /// Root of the state after it; none where that cannot be read.
    pub root: Option<B256>,
}

/// The head that names are read at.
pub struct NamedHead {
    /// Its branch.
    pub branch: HeadBranch,
    /// Root of the state after it; none where that cannot be read.
    pub root: Option<B256>,
    /// Height of the lowest block that is kept besides genesis.
    pub first_block: u64,
}

/// Blocks of one head of the chain, by the tags, numbers and hashes that stand for them, as requests write these without
/// quotes. They are in memory or quickly read; the head is set from outside.
#[derive(Default)]
pub struct BlockNames {
    depths: TagDepths,
    head: Option<NamedHead>,
    found: HashMap<Vec<u8>, NamedBlock, RandomState>,
}

impl BlockNames {
    /// Says how deep tags are.
    pub fn set_depths(&mut self, depths: TagDepths) {
        self.depths = depths;
    }

    /// Says what the head is.
    pub fn set_head(&mut self, head: Option<NamedHead>) {
        self.found.clear();
        self.head = head;
    }

    /// The block of a name; none for a block that is not canonical, not there or not quickly read, and for what is no
    /// such name.
    pub fn get(&mut self, name: &[u8]) -> Option<NamedBlock> {
        if let Some(block) = self.found.get(name) {
            return Some(*block);
        }
        let head = self.head.as_ref()?;
        let block = head.block_of(name, self.depths)?;
        if self.found.len() >= MAX_NAMES {
            self.found.clear();
        }
        self.found.insert(name.to_vec(), block);
        Some(block)
    }

    /// True for the head itself.
    pub fn is_head(&self, block: &NamedBlock) -> bool {
        self.head.as_ref().is_some_and(|head| head.branch.head().hash == block.hash)
    }

    /// The block as programs of calls on it see it. None where it is not quickly read, and as for
    /// [`rhizome_primitives::block::AncestorBlock::env`].
    pub fn env_of(&self, block: &NamedBlock) -> Option<BlockEnv> {
        self.head.as_ref()?.branch.block_of(block.hash, block.number)?.env()
    }

    /// True when a block is canonical and recent.
    pub fn has(&self, block: ObjectBlock) -> bool {
        self.head.as_ref().is_some_and(|head| head.branch.has(block.block_hash, block.block_number))
    }
}

impl NamedHead {
    fn block_of(&self, name: &[u8], depths: TagDepths) -> Option<NamedBlock> {
        let head = self.branch.head();
        let below = |depth| head.number.saturating_sub(depth).max(self.first_block);
        let number = match name {
            b"latest" => head.number,
            b"earliest" => self.first_block,
            b"safe" => below(depths.safe),
            b"finalized" => below(depths.finalized),
            _ if name.len() == HASH_CHARACTERS => return self.block_of_hash(name),
            _ => number_of(name)?,
        };
        self.block_at(number)
    }

    /// The canonical block of a hash.
    fn block_of_hash(&self, name: &[u8]) -> Option<NamedBlock> {
        let mut hash = B256::ZERO;
        hex::decode_to_slice(name.strip_prefix(b"0x")?, hash.as_mut_slice()).ok()?;
        self.block_at(self.branch.number_of(hash)?).filter(|block| block.hash == hash)
    }

    fn block_at(&self, number: u64) -> Option<NamedBlock> {
        let head = self.branch.head();
        if number == head.number {
            return Some(NamedBlock { number, hash: head.hash, root: self.root });
        }
        if number != 0 && number < self.first_block {
            return None;
        }
        let DeepBlock { hash, root } = self.branch.name_at(number)?;
        Some(NamedBlock { number, hash, root })
    }
}

/// The number that is written as `0x` and hexadecimal digits; none for one that no block has.
fn number_of(name: &[u8]) -> Option<u64> {
    let digits = name.strip_prefix(b"0x").filter(|digits| !digits.is_empty() && name.len() < HASH_CHARACTERS)?;
    digits.iter().try_fold(0u64, |number, &digit| {
        let digit = (digit as char).to_digit(16)?;
        Some(number.checked_mul(16)? + u64::from(digit))
    })
}
