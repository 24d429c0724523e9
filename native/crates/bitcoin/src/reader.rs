//! Reads the Bitcoin wire format with the widths and limits of the reference's library (bridge.md §9).

/// The bytes do not parse: they end early, or a length is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unparsable;

/// Longest byte string that the reference reads.
const MAX_FIELD_BYTES: usize = 0x0200_0000;

/// The bytes that are left to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Unparsable> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Unparsable)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Unparsable> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Unparsable)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Unparsable> {
        self.array().map(u32::from_le_bytes)
    }

    /// A CompactSize as the signed number that the reference stores. Its encoding may be longer than necessary.
    pub(crate) fn var_int(&mut self) -> Result<i64, Unparsable> {
        Ok(match self.array::<1>()? {
            [0xfd] => i64::from(u16::from_le_bytes(self.array()?)),
            [0xfe] => i64::from(self.u32()?),
            [0xff] => i64::from_le_bytes(self.array()?),
            [small] => i64::from(small),
        })
    }

    /// Length of a list. The reference allocates for its low 32 bits, so they must not be negative.
    pub(crate) fn list_length(&mut self) -> Result<i64, Unparsable> {
        let length = self.var_int()?;
        if (length as i32) < 0 { Err(Unparsable) } else { Ok(length) }
    }

    /// A byte string; only the low 32 bits of its length count.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Unparsable> {
        let length = usize::try_from(self.var_int()? as i32).map_err(|_| Unparsable)?;
        if length > MAX_FIELD_BYTES {
            return Err(Unparsable);
        }
        self.take(length)
    }
}

/// Appends a CompactSize in its shortest form.
pub fn write_var_int(out: &mut Vec<u8>, value: u64) {
    match value {
        small @ 0..=0xfc => out.push(small as u8),
        short @ 0xfd..=0xffff => {
            out.push(0xfd);
            out.extend_from_slice(&(short as u16).to_le_bytes());
        }
        word @ 0x1_0000..=0xffff_ffff => {
            out.push(0xfe);
            out.extend_from_slice(&(word as u32).to_le_bytes());
        }
        long => {
            out.push(0xff);
            out.extend_from_slice(&long.to_le_bytes());
        }
    }
}

/// Appends bytes, preceded by their length.
pub(crate) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_var_int(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_sizes_are_written_shortest_and_read_in_every_form() {
        for (value, length) in [(0, 1), (0xfc, 1), (0xfd, 3), (0xffff, 3), (0x1_0000, 5), (0x1_0000_0000, 9)] {
            let mut written = Vec::new();
            write_var_int(&mut written, value);
            assert_eq!(written.len(), length);
            assert_eq!(Reader::new(&written).var_int(), Ok(value as i64));
            assert_eq!(Reader::new(&written[..length - 1]).var_int(), Err(Unparsable));
        }
        assert_eq!(Reader::new(&[0xfd, 1, 0]).var_int(), Ok(1));
        assert_eq!(Reader::new(&[0xff; 9]).var_int(), Ok(-1));
        assert_eq!(Reader::new(&[0xff; 9]).list_length(), Err(Unparsable));
        let minimum = [0xff, 0, 0, 0, 0, 0, 0, 0, 0x80];
        assert_eq!(Reader::new(&minimum).list_length(), Ok(i64::MIN), "the low half is zero");
    }
}
