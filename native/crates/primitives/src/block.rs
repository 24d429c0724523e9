//! What execution knows about the executing block and its ancestors.

use std::sync::Arc;

use crate::account::AccountRef;
use crate::state::StateError;
use crate::{Address, B256, Bytes, U256};

/// The executing block as the EVM and the precompiled contracts see it.
#[derive(Clone, Debug, Default)]
pub struct BlockEnv {
    /// Height.
    pub number: u64,
    /// Seconds.
    pub timestamp: u64,
    /// Difficulty.
    pub difficulty: U256,
    /// Gas limit of the block.
    pub gas_limit: u64,
    /// Bytes of the gas limit in the header, zeros in front included: the reference takes the width for a size (see
    /// [`Self::usable_gas`] and [`Self::runs_programs`]). 0 counts as a usual width.
    pub gas_limit_width: usize,
    /// Miner; zero for an empty coinbase.
    pub coinbase: Address,
    /// Minimum gas price in wei; also BASEFEE (RSKIP412).
    pub minimum_gas_price: U256,
    /// Hash of the parent.
    pub parent_hash: B256,
}

impl BlockEnv {
    /// Gas of all its transactions, before sublists split it: the gas limit, or without end where the header
    /// has more than eight bytes for it (consensus.md §2.7).
    #[must_use]
    pub fn usable_gas(&self) -> u64 {
        if self.gas_limit_width > 8 { i64::MAX as u64 } else { self.gas_limit }
    }

    /// True when transactions may run programs: not where the gas limit fits in no word (consensus.md §2.7).
    #[must_use]
    pub fn runs_programs(&self) -> bool {
        self.gas_limit_width <= 32
    }
}

/// The fields of an ancestor's uncle that REMASC and the BlockHeader contract read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncleMetadata {
    /// Block hash.
    pub hash: B256,
    /// Height.
    pub number: u64,
    /// Miner; [`AccountRef::NoAddress`] for an empty coinbase.
    pub coinbase: AccountRef,
    /// Difficulty.
    pub difficulty: U256,
    /// Sum of fees in wei. No rule looks at what an uncle claims, so that it may be any number: what does not fit in
    /// 256 bits is the largest that does.
    pub paid_fees: U256,
    /// The header's uncle count.
    pub uncle_count: u64,
}

/// The fields of a connected block that BLOCKHASH, REMASC and the BlockHeader contract read. The chain thread passes
/// them on when a block is connected; they are stored beside the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AncestorBlock {
    /// Block hash.
    pub hash: B256,
    /// Hash of the parent.
    pub parent_hash: B256,
    /// Height.
    pub number: u64,
    /// Seconds.
    pub timestamp: u64,
    /// Miner; [`AccountRef::NoAddress`] for an empty coinbase.
    pub coinbase: AccountRef,
    /// Minimum gas price in wei.
    pub minimum_gas_price: U256,
    /// Gas limit, header bytes as stored.
    pub gas_limit: Bytes,
    /// Gas used.
    pub gas_used: u64,
    /// Difficulty.
    pub difficulty: U256,
    /// Sum of fees in wei.
    pub paid_fees: U256,
    /// The header's uncle count.
    pub uncle_count: u64,
    /// Total difficulty of the chain up to and with this block, uncles included.
    pub total_difficulty: U256,
    /// Merged-mining Bitcoin header; None when the block has none.
    pub bitcoin_header: Option<Bytes>,
    /// Compressed merged-mining coinbase; None when the block has none.
    pub bitcoin_coinbase: Option<Bytes>,
    /// Uncles in block order.
    pub uncles: Vec<UncleMetadata>,
    /// Unitrie root of the state after it; None when it was not known, or stored before it was kept here.
    pub state_root: Option<B256>,
}

/// Bytes of a gas limit that is taken as the number that it is.
const USUAL_GAS_LIMIT_BYTES: usize = 8;

impl AncestorBlock {
    /// The block as programs of calls on it see it; None when its gas limit fits in no word of the machine.
    pub fn env(&self) -> Option<BlockEnv> {
        let width = self.gas_limit.len();
        let digits = self.gas_limit.iter().position(|&byte| byte != 0).map_or(&[][..], |at| &self.gas_limit[at..]);
        if digits.len() > USUAL_GAS_LIMIT_BYTES {
            return None;
        }
        Some(BlockEnv {
            number: self.number,
            timestamp: self.timestamp,
            difficulty: self.difficulty,
            gas_limit: digits.iter().fold(0, |limit, &byte| limit << 8 | u64::from(byte)),
            gas_limit_width: if width > USUAL_GAS_LIMIT_BYTES { width } else { 0 },
            coinbase: self.coinbase.address(),
            minimum_gas_price: self.minimum_gas_price,
            parent_hash: self.parent_hash,
        })
    }
}

/// The branch below the executing block.
pub trait Ancestry: Send + Sync {
    /// The ancestor `depth` generations above the parent: 0 is the parent. None past genesis, or
    /// when it is not known.
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>>;

    /// Hash of that ancestor.
    fn ancestor_hash(&self, depth: u64) -> Option<B256> {
        self.ancestor(depth).map(|block| block.hash)
    }

    /// The reason why an ancestor that there is could not be given; None where those that were not given do not exist.
    fn failure(&self) -> Option<StateError> {
        None
    }
}

/// No ancestors.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAncestry;

impl Ancestry for NoAncestry {
    fn ancestor(&self, _depth: u64) -> Option<Arc<AncestorBlock>> {
        None
    }
}
