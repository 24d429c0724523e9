//! Registered witness roots (bridge.md §3.3).

use rhizome_primitives::B256;
use rhizome_primitives::rules::Rule;

use super::proof::proved_root;
use super::throws;
use crate::outcome::Stop;
use crate::storage::Frame;
use rhizome_bitcoin::witness_commitment::{expected_commitment, witness_commitment};
use rhizome_bitcoin::{Transaction, display_hash};

/// A coinbase transaction that commits to the witnesses of its block.
pub(crate) struct CoinbaseInformation<'a> {
    /// The transaction, without witnesses.
    pub(crate) transaction: &'a [u8],
    /// Hash of the block.
    pub(crate) block: B256,
    /// Partial Merkle tree of the block, with the coinbase marked.
    pub(crate) tree: &'a [u8],
    /// Root of the witness tree, display order.
    pub(crate) witness_root: B256,
    /// The value that is hashed with it.
    pub(crate) reserved: B256,
}

/// Registers the witness root of a block. A tree without the transaction, or of another block, is ignored without an
/// error.
///
/// # Errors
/// [`Stop`] where the reference throws: a malformed tree or transaction, an unknown block, or a different commitment.
pub(crate) fn register(frame: &mut Frame<'_>, information: &CoinbaseInformation<'_>) -> Result<(), Stop> {
    frame.open_headers()?;
    let hash = display_hash(information.transaction);
    let Some(root) = proved_root(information.tree, hash)? else { return Ok(()) };
    let Some(block) = frame.header(information.block)? else {
        return Err(Stop::IllegalArgument("the Bitcoin block is not known"));
    };
    if block.merkle_root() != root {
        return Ok(());
    }
    let (coinbase, bytes_read) = Transaction::read(information.transaction).map_err(throws)?;
    coinbase.verify(bytes_read).map_err(throws)?;
    let committed = witness_commitment(&coinbase, !frame.active(Rule::Rskip460)).map_err(throws)?;
    if committed != Some(expected_commitment(information.witness_root, &information.reserved.0)) {
        return Err(Stop::IllegalArgument("the coinbase commits to other witnesses"));
    }
    frame.set_witness_root(information.block, information.witness_root);
    Ok(())
}
