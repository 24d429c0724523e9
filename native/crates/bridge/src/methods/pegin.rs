//! Registration of Bitcoin transactions, as far as a Bitcoin chain without enough blocks lets it go
//! (bridge.md §4.2).

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::{Arguments, Outcome, Stop, throw};
use crate::bitcoin::merkle::reversed;
use crate::storage::Frame;

/// Hash of a serialised transaction with its witnesses, display order.
pub(super) fn transaction_hash(transaction: &[u8]) -> B256 {
    reversed(sha256d(transaction))
}

/// Whether a Bitcoin height has the confirmations that a peg-in needs.
pub(super) fn is_confirmed(frame: &mut Frame<'_>, height: i32) -> Result<bool, Stop> {
    let best = match frame.open_headers() {
        Ok(head) => head.height,
        Err(ContractError::Failed(_)) => return Ok(false),
        Err(error) => return Err(Stop::Error(error)),
    };
    let confirmations = best.wrapping_sub(height).wrapping_add(1);
    Ok(height >= 0 && confirmations >= frame.bridge().confirmations.pegin as i32)
}

/// Open to everybody from RSKIP199 on. A transaction that was processed, or lacks confirmations, is
/// passed over in silence.
pub(super) fn register(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    if !frame.active(Rule::Rskip199) && !frame.is_live_member(context.sender)? {
        return throw("only federation members may call registerBtcTransaction");
    }
    let processed = frame.processed_height(transaction_hash(arguments.bytes(0)))?;
    if processed.is_some() || !is_confirmed(frame, arguments.low_int(1))? {
        return Ok(None);
    }
    Err(Stop::Error(ContractError::Unsupported("registerBtcTransaction".into())))
}
