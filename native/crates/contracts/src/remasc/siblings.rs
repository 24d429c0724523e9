//! Siblings of the paid block, and whether one of them should have been chosen instead (consensus.md §8.3).

use std::sync::Arc;

use rhizome_primitives::U256;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, UncleMetadata};

/// A block of the paid height that a descendant includes as uncle.
pub(super) struct Sibling<'a> {
    pub(super) uncle: &'a UncleMetadata,
    /// Miner of the block that includes it.
    pub(super) publisher: AccountRef,
    /// Height of the block that includes it.
    pub(super) published_at: u64,
}

/// Uncles of that height in blocks given by descending height; ascending by publisher, then in the
/// order of the uncle list.
pub(super) fn siblings_of(number: u64, descendants: &[Arc<AncestorBlock>]) -> Vec<Sibling<'_>> {
    descendants
        .iter()
        .rev()
        .flat_map(|block| {
            block.uncles.iter().filter(move |uncle| uncle.number == number).map(|uncle| Sibling {
                uncle,
                publisher: block.coinbase,
                published_at: block.number,
            })
        })
        .collect()
}

/// True when a sibling was the better block: it pays more than twice the fees, or it has the smaller
/// hash while the block pays less than twice the sibling's fees, or it has more uncles.
pub(super) fn breaks_selection_rule(block: &AncestorBlock, siblings: &[Sibling]) -> bool {
    let twice = |fees: U256| fees.saturating_mul(U256::from(2));
    let better = |uncle: &UncleMetadata| {
        uncle.paid_fees > twice(block.paid_fees)
            || (block.paid_fees < twice(uncle.paid_fees) && uncle.hash < block.hash)
            || uncle.uncle_count > block.uncle_count
    };
    siblings.iter().any(|sibling| better(sibling.uncle))
}
