//! The commitment of a coinbase to the witnesses of its block (bridge.md §3.3).

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;

use crate::merkle_branch::reversed;
use crate::script::{Script, ScriptError};
use crate::transaction::Transaction;

/// OP_RETURN, a push of 36 bytes, the marker of commitments.
const PREFIX: [u8; 6] = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed];

/// The commitment in the last output that has one, in the order of its script; None without. With `parses_outputs`,
/// before RSKIP460, each output is parsed, starting from the last one.
///
/// # Errors
/// [`ScriptError::State`] for a transaction that is not a coinbase; [`ScriptError::Script`] for an output that does not
/// parse.
pub fn witness_commitment(coinbase: &Transaction, parses_outputs: bool) -> Result<Option<B256>, ScriptError> {
    if !coinbase.is_coinbase() {
        return Err(ScriptError::State("only a coinbase has a commitment to witnesses"));
    }
    for output in coinbase.outputs.iter().rev() {
        if parses_outputs {
            Script::parse(&output.script)?;
        }
        let commitment = output.script.strip_prefix(&PREFIX).and_then(<[u8]>::first_chunk::<32>);
        if let Some(commitment) = commitment {
            return Ok(Some(B256::new(*commitment)));
        }
    }
    Ok(None)
}

/// The commitment to a root of witnesses, display order, and the reserved value of the coinbase.
#[must_use]
pub fn expected_commitment(witness_root: B256, reserved: &[u8; 32]) -> B256 {
    let mut both = [0; 64];
    both[..32].copy_from_slice(reversed(witness_root).as_slice());
    both[32..].copy_from_slice(reserved);
    sha256d(&both)
}
