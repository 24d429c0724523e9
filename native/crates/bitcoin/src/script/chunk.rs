//! The elements of a script.
//!
//! This is not the `bitcoin` crate's code, because that crate keeps neither the opcode of a push nor its offset, and
//! the recognition of redeem scripts depends on both (bridge.md §3.4, §9).

use super::ScriptError;
use super::opcode::{
    OP_1, OP_16, OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY, OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4, small_number,
};

/// Longest data that the reference writes with the widest opcode.
const MAX_ELEMENT_BYTES: usize = 520;

/// An opcode, with the data that it pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The opcode.
    pub opcode: u8,
    /// Data that follow it; None for an opcode without data.
    pub data: Option<&'a [u8]>,
    /// Offset in the script; None for an element that does not come from a script. It takes part in equality.
    pub start: Option<usize>,
}

impl<'a> Chunk<'a> {
    /// An opcode that does not come from a script.
    #[must_use]
    pub const fn opcode(opcode: u8) -> Self {
        Self { opcode, data: None, start: None }
    }

    /// True when it has this opcode.
    #[must_use]
    pub const fn is(&self, opcode: u8) -> bool {
        self.opcode == opcode
    }

    /// True when it has no data; opcodes for numbers have none.
    #[must_use]
    pub const fn is_opcode(&self) -> bool {
        self.opcode > OP_PUSHDATA4
    }

    /// True when it only pushes, either data or a number.
    #[must_use]
    pub const fn is_push(&self) -> bool {
        self.opcode <= OP_16
    }

    /// True when it checks signatures of several keys.
    #[must_use]
    pub const fn is_multisig_check(&self) -> bool {
        matches!(self.opcode, OP_CHECKMULTISIG | OP_CHECKMULTISIGVERIFY)
    }

    /// The positive number that it pushes, up to four bytes. Zero is accepted if it is pushed as data.
    ///
    /// # Errors
    /// [`ScriptError::Argument`] when it pushes no such number; [`ScriptError::Other`] for an empty push, which the
    /// reference reads past its end.
    pub fn positive_number(&self) -> Result<i32, ScriptError> {
        if let (OP_1..=OP_16, Some(number)) = (self.opcode, small_number(self.opcode)) {
            return Ok(number);
        }
        let data = self.data.filter(|_| self.is_push()).ok_or(ScriptError::Argument("no number is pushed"))?;
        let last = data.last().ok_or(ScriptError::Other("an empty push is no number"))?;
        if last & 0x80 != 0 || data.len() > 4 {
            return Err(ScriptError::Argument("no positive number of up to four bytes"));
        }
        Ok(data.iter().rev().fold(0, |number, byte| number << 8 | i32::from(*byte)))
    }

    /// Appends the bytes of the element.
    ///
    /// # Errors
    /// [`ScriptError::State`] where the reference refuses to write an element that it has read.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), ScriptError> {
        out.push(self.opcode);
        let Some(data) = self.data else { return Ok(()) };
        match self.opcode {
            OP_PUSHDATA1 => out.push(data.len() as u8),
            OP_PUSHDATA2 => out.extend_from_slice(&(data.len() as u16).to_le_bytes()),
            OP_PUSHDATA4 if data.len() > MAX_ELEMENT_BYTES => return Err(ScriptError::State("too long to be pushed")),
            OP_PUSHDATA4 => out.extend_from_slice(&(data.len() as u32).to_le_bytes()),
            _ => {}
        }
        out.extend_from_slice(data);
        Ok(())
    }
}

/// The bytes of a script with the given elements.
///
/// # Errors
/// As [`Chunk::write`].
pub fn write_chunks(chunks: &[Chunk<'_>]) -> Result<Vec<u8>, ScriptError> {
    let mut out = Vec::new();
    chunks.iter().try_for_each(|chunk| chunk.write(&mut out))?;
    Ok(out)
}

/// Parses a script into its elements. Unknown opcodes are elements, too.
///
/// # Errors
/// [`ScriptError::Script`] for a push past the end of the script.
pub fn parse_chunks(program: &[u8]) -> Result<Vec<Chunk<'_>>, ScriptError> {
    let mut chunks = Vec::with_capacity(5);
    let mut rest = program;
    while let Some((&opcode, after)) = rest.split_first() {
        let start = Some(program.len() - rest.len());
        let (length, after) = match opcode {
            0..OP_PUSHDATA1 => (Some(usize::from(opcode)), after),
            OP_PUSHDATA1 => length::<1>(after)?,
            OP_PUSHDATA2 => length::<2>(after)?,
            OP_PUSHDATA4 => length::<4>(after)?,
            _ => (None, after),
        };
        let (data, after) = match length {
            Some(length) => {
                let split = after.split_at_checked(length).ok_or(ScriptError::Script("a push past the end"))?;
                (Some(split.0), split.1)
            }
            None => (None, after),
        };
        chunks.push(Chunk { opcode, data, start });
        rest = after;
    }
    Ok(chunks)
}

fn length<const N: usize>(bytes: &[u8]) -> Result<(Option<usize>, &[u8]), ScriptError> {
    let (length, rest) = bytes.split_first_chunk::<N>().ok_or(ScriptError::Script("the script ends in a length"))?;
    Ok((Some(length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte))), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_opcode_and_position() {
        let program = [0, 0x4c, 1, 7, 0x51, 1, 9, 0xba];
        let chunks = parse_chunks(&program).expect("it parses");
        let shown: Vec<_> = chunks.iter().map(|chunk| (chunk.opcode, chunk.data, chunk.start)).collect();
        assert_eq!(
            shown,
            [
                (0, Some(&[][..]), Some(0)),
                (0x4c, Some(&[7][..]), Some(1)),
                (0x51, None, Some(4)),
                (1, Some(&[9][..]), Some(5)),
                (0xba, None, Some(7))
            ]
        );
        assert_eq!(write_chunks(&chunks).as_deref(), Ok(&program[..]));
    }

    #[test]
    fn pushes_past_the_end() {
        for program in [&[5, 1][..], &[0x4c], &[0x4c, 5, 1], &[0x4d, 1], &[0x4e, 1, 0, 0], &[0x4e, 255, 255, 255, 255]]
        {
            assert!(parse_chunks(program).is_err_and(|error| error.is_script()));
        }
    }

    #[test]
    fn numbers() {
        let number = |program: &[u8]| parse_chunks(program).expect("it parses")[0].positive_number();
        assert_eq!(number(&[0x51]), Ok(1));
        assert_eq!(number(&[0x60]), Ok(16));
        assert_eq!(number(&[1, 16]), Ok(16));
        assert_eq!(number(&[2, 16, 0]), Ok(16));
        assert_eq!(number(&[4, 255, 255, 255, 127]), Ok(i32::MAX));
        assert!(matches!(number(&[1, 0x80]), Err(ScriptError::Argument(_))));
        assert!(matches!(number(&[5, 1, 0, 0, 0, 0]), Err(ScriptError::Argument(_))));
        assert!(matches!(number(&[0x4f]), Err(ScriptError::Argument(_))));
        assert!(matches!(number(&[0x76]), Err(ScriptError::Argument(_))));
        assert!(matches!(number(&[0]), Err(ScriptError::Other(_))));
    }
}
