//! Removing elements from a script before it is signed.

use super::ScriptError;
use super::opcode::{OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4};

/// Longer than any script that is signed; the reference would pad up to two gigabytes with zeros.
const MAX_BYTES: usize = 1 << 25;

/// The script without the elements that begin with `removed`. The reference walks the bytes alone: it pads the last
/// push with zeros if it is truncated, and reads the length after the widest opcode from its first two bytes.
///
/// # Errors
/// [`ScriptError::Other`] when a length is truncated, [`ScriptError::Argument`] for a negative one.
pub(crate) fn without(script: &[u8], removed: &[u8]) -> Result<Vec<u8>, ScriptError> {
    let mut out = Vec::with_capacity(script.len());
    let mut rest = script;
    while let Some((&opcode, after)) = rest.split_first() {
        let keep = !rest.starts_with(removed);
        let byte =
            |at: usize| after.get(at).map(|byte| i32::from(*byte)).ok_or(ScriptError::Other("a length is cut short"));
        let additional = match opcode {
            0..OP_PUSHDATA1 => i32::from(opcode),
            OP_PUSHDATA1 => byte(0)? + 1,
            OP_PUSHDATA2 => (byte(0)? | byte(1)? << 8) + 2,
            OP_PUSHDATA4 => (byte(0)? | byte(1)? << 8 | byte(1)? << 16 | byte(1)? << 24).wrapping_add(4),
            _ => 0,
        };
        // A negative length is refused where the element is copied. An element that is left out would move the
        // reference backwards, which no script that is signed does.
        let additional = usize::try_from(additional).map_err(|_| ScriptError::Argument("a negative length"))?;
        let (data, next) = after.split_at_checked(additional).unwrap_or((after, &[]));
        if keep {
            if out.len() + additional > MAX_BYTES {
                return Err(ScriptError::Other("a script too long to be signed"));
            }
            out.push(opcode);
            out.extend_from_slice(data);
            out.resize(out.len() + additional - data.len(), 0);
        }
        rest = next;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_removed_where_they_start() {
        assert_eq!(without(&[0xab, 1, 0xab, 0xab, 0xac], &[0xab]), Ok(vec![1, 0xab, 0xac]));
        assert_eq!(without(&[2, 7, 8, 0x4c, 1, 9, 2, 7, 8], &[2, 7, 8]), Ok(vec![0x4c, 1, 9]));
        assert_eq!(
            without(&[0x4d, 1, 0, 5, 0x4e, 1, 0, 0, 0, 6], &[0xab]),
            Ok(vec![0x4d, 1, 0, 5, 0x4e, 1, 0, 0, 0, 6])
        );
    }

    #[test]
    fn a_push_that_is_cut_short_is_filled_up() {
        assert_eq!(without(&[3, 7], &[0xab]), Ok(vec![3, 7, 0, 0]));
        assert!(matches!(without(&[0x4d, 1], &[0xab]), Err(ScriptError::Other(_))));
        assert!(matches!(without(&[0x4e, 1, 0x80], &[0xab]), Err(ScriptError::Argument(_))));
        assert!(matches!(without(&[0x4e, 1, 0x7f], &[0xab]), Err(ScriptError::Other(_))));
    }
}
