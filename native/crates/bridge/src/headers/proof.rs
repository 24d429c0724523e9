//! Proofs that a Bitcoin transaction is in a block of the best chain (bridge.md §3.3).

use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::throws;
use crate::outcome::Stop;
use crate::storage::Frame;
use rhizome_bitcoin::partial_merkle_tree::PartialMerkleTree;
use rhizome_bitcoin::reversed;
use rhizome_bitcoin::stated_inputs::states_inputs;
use rhizome_bitcoin::stored_header::StoredHeader;

/// True when `tree` proves that the transaction with the bytes `raw`, whose hash with witnesses is `hash`, is in the best
/// chain's block at `height`, with as many confirmations as a peg-in needs. On false, the call ends without an error.
///
/// # Errors
/// [`Stop`] where the reference throws: a tree of the wrong size or that does not parse, no inputs, no block at the
/// height.
pub(crate) fn validate_proof(
    frame: &mut Frame<'_>,
    raw: &[u8],
    hash: B256,
    height: i32,
    tree: &[u8],
) -> Result<bool, Stop> {
    let head = match frame.open_headers() {
        Ok(head) => head.height,
        Err(ContractError::Failed(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let confirmations = head.wrapping_sub(height).wrapping_add(1);
    if height < 0 || i64::from(confirmations) < i64::from(frame.bridge().confirmations.pegin) {
        return Ok(false);
    }
    let Some(root) = proved_root(tree, hash)? else { return Ok(false) };
    if !states_inputs(raw, frame.active(Rule::Rskip143)).map_err(throws)? {
        return Err(throws("the Bitcoin transaction has no inputs").into());
    }
    let block = frame.header_at_height(height)?.ok_or_else(|| throws("the Bitcoin header is not stored"))?;
    Ok(frame.is_root_of(root, &block)?)
}

/// The root of a tree that marks the transaction of this hash, both in display order; None when it does not
/// mark it.
pub(super) fn proved_root(tree: &[u8], hash: B256) -> Result<Option<B256>, Stop> {
    if !PartialMerkleTree::has_expected_size(tree) {
        return Err(Stop::IllegalArgument("the partial merkle tree has a wrong size"));
    }
    let extracted = PartialMerkleTree::parse(tree).ok().and_then(|tree| tree.extract().ok());
    let extracted = extracted.ok_or(Stop::IllegalArgument("the partial merkle tree is malformed"))?;
    Ok(extracted.matched.contains(&reversed(hash)).then(|| reversed(extracted.root)))
}

impl Frame<'_> {
    /// True when a root is that of a block's transactions or, from RSKIP143 on, its registered witness root.
    pub(super) fn is_root_of(&mut self, root: B256, block: &StoredHeader) -> Result<bool, ContractError> {
        Ok(block.merkle_root() == root || self.witness_root(block.hash())? == Some(root))
    }
}
