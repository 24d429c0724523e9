//! The number of inputs that raw transaction bytes state, read before they are parsed (bridge.md §3.3).

use crate::reader::Reader;
use crate::transaction::TransactionError;

/// Offset of the number of inputs, or of the marker of a transaction with witnesses.
const COUNT_AT: usize = 4;

fn var_int_at(bytes: &[u8], at: usize) -> Result<i64, TransactionError> {
    Ok(Reader::new(bytes.get(at..).unwrap_or_default()).var_int()?)
}

/// The number that follows the version.
///
/// # Errors
/// [`TransactionError::Malformed`] when the bytes end before it.
pub fn stated_inputs(bytes: &[u8]) -> Result<i64, TransactionError> {
    var_int_at(bytes, COUNT_AT)
}

/// The number that follows marker and flag; -1 when they are not 0 and 1.
///
/// # Errors
/// As [`stated_inputs`].
pub fn stated_segwit_inputs(bytes: &[u8]) -> Result<i64, TransactionError> {
    if var_int_at(bytes, COUNT_AT)? != 0 || var_int_at(bytes, COUNT_AT + 1)? != 1 {
        return Ok(-1);
    }
    var_int_at(bytes, COUNT_AT + 2)
}

/// True when the bytes state at least one input; from RSKIP143 on also after a marker.
///
/// # Errors
/// As [`stated_inputs`].
pub fn states_inputs(bytes: &[u8], rskip143: bool) -> Result<bool, TransactionError> {
    Ok(stated_inputs(bytes)? != 0 || (rskip143 && stated_segwit_inputs(bytes)? != 0))
}
