//! What names of blocks stand for.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_primitives::B256;

/// Names that are known at once; beyond, all are asked for again.
const MAX_NAMES: usize = 65_536;

/// A block that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBlock {
    /// Its hash.
    pub hash: B256,
    /// Root of the state after it; none where that cannot be read.
    pub root: Option<B256>,
}

/// What tags and numbers, as they are written in requests without quotes, stand for at one head of the chain. It is
/// told from outside.
#[derive(Debug, Default)]
pub struct BlockNames(HashMap<Vec<u8>, NamedBlock, RandomState>);

impl BlockNames {
    /// What a name stands for, if it is known.
    pub fn get(&self, name: &[u8]) -> Option<NamedBlock> {
        self.0.get(name).copied()
    }

    /// Says what a name stands for.
    pub fn set(&mut self, name: &[u8], block: NamedBlock) {
        if self.0.len() >= MAX_NAMES {
            self.0.clear();
        }
        self.0.insert(name.to_vec(), block);
    }

    /// Forgets all: the head changed.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
