//! Walks Bitcoin transactions without keeping them. Needed only because headers before RSKIP98 may
//! carry a whole block, which the reference parses: what it cannot parse is an invalid header.

/// The bytes are no list of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unparsable;

/// Longest byte string the reference reads.
const MAX_FIELD_BYTES: usize = 0x0200_0000;

/// Checks that `bytes` start with a count and that many transactions. What follows them is ignored.
pub(crate) fn check_transactions(bytes: &[u8]) -> Result<(), Unparsable> {
    let mut reader = Reader { rest: bytes };
    // The count is cut to 32 bits, unlike the counts inside a transaction.
    let count = reader.list_length()? as i32;
    for _ in 0..count {
        reader.transaction()?;
    }
    Ok(())
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Unparsable> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Unparsable)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A CompactSize, as signed as the reference keeps it.
    fn var_int(&mut self) -> Result<i64, Unparsable> {
        let size = match self.take(1)? {
            [0xfd] => 2,
            [0xfe] => 4,
            [0xff] => 8,
            [small, ..] => return Ok(i64::from(*small)),
            [] => return Err(Unparsable),
        };
        let value = self.take(size)?.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        Ok(value as i64)
    }

    /// Length of a list. The reference reserves room for its low 32 bits, so these may not be negative.
    fn list_length(&mut self) -> Result<i64, Unparsable> {
        let length = self.var_int()?;
        if (length as i32) < 0 { Err(Unparsable) } else { Ok(length) }
    }

    /// Skips a byte string; only the low 32 bits of its length count.
    fn skip_bytes(&mut self) -> Result<(), Unparsable> {
        let length = usize::try_from(self.var_int()? as i32).map_err(|_| Unparsable)?;
        if length > MAX_FIELD_BYTES {
            return Err(Unparsable);
        }
        self.take(length).map(|_| ())
    }

    /// Skips inputs and returns how many there were.
    fn inputs(&mut self) -> Result<i64, Unparsable> {
        let count = self.list_length()?;
        for _ in 0..count {
            self.take(36)?;
            self.skip_bytes()?;
            self.take(4)?;
        }
        Ok(count.max(0))
    }

    fn outputs(&mut self) -> Result<(), Unparsable> {
        for _ in 0..self.list_length()? {
            self.take(8)?;
            self.skip_bytes()?;
        }
        Ok(())
    }

    fn transaction(&mut self) -> Result<(), Unparsable> {
        self.take(4)?;
        let mut inputs = self.inputs()?;
        let mut flags = 0;
        if inputs == 0 {
            flags = self.take(1)?[0];
            if flags != 0 {
                inputs = self.inputs()?;
                self.outputs()?;
            }
        } else {
            self.outputs()?;
        }
        match flags {
            0 => {}
            1 => {
                for _ in 0..inputs {
                    for _ in 0..self.list_length()? {
                        self.skip_bytes()?;
                    }
                }
            }
            _ => return Err(Unparsable),
        }
        self.take(4).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;

    use super::*;

    const COINBASE: [u8; 150] = hex!(
        "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0d03650000080001020304"
        "050607ffffffff0200f2052a010000001976a914111111111111111111111111111111111111111188ac00000000000000002b6a"
        "2952534b424c4f434b3a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000"
    );

    #[test]
    fn walks_lists_and_ignores_what_follows() {
        let mut block = vec![2];
        block.extend_from_slice(&COINBASE);
        block.extend_from_slice(&COINBASE);
        assert_eq!(check_transactions(&block), Ok(()));
        for length in 0..block.len() {
            assert_eq!(check_transactions(&block[..length]), Err(Unparsable), "{length}");
        }
        block.push(0xaa);
        assert_eq!(check_transactions(&block), Ok(()));
    }

    #[test]
    fn witnesses_and_markers() {
        let mut witness = vec![1];
        witness.extend_from_slice(&COINBASE[..4]);
        witness.extend_from_slice(&[0, 1]);
        witness.extend_from_slice(&COINBASE[4..146]);
        witness.extend_from_slice(&[1, 2, 0xaa, 0xbb]);
        witness.extend_from_slice(&[0; 4]);
        assert_eq!(check_transactions(&witness), Ok(()));
        witness[6] = 2;
        assert_eq!(check_transactions(&witness), Err(Unparsable));
    }

    #[test]
    fn hostile_counts_end() {
        assert_eq!(check_transactions(&[0xfe, 0xff, 0xff, 0xff, 0x7f]), Err(Unparsable));
        assert_eq!(check_transactions(&[0xff; 9]), Err(Unparsable));
    }
}
