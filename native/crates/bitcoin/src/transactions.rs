//! Walks Bitcoin transactions without storing them: in blocks that pools submit, and in headers before RSKIP98, which
//! may carry a whole block that the reference parses.

use std::ops::Range;

use rhizome_crypto::sha256d;
use rhizome_primitives::B256;

use crate::reader::{Reader, Unparsable};

/// Checks that `bytes` start with a count and that many transactions. What follows them is ignored.
pub(crate) fn check_transactions(bytes: &[u8]) -> Result<(), Unparsable> {
    let mut reader = Reader::new(bytes);
    // The count is truncated to 32 bits, unlike the counts inside a transaction.
    let count = reader.list_length()? as i32;
    for _ in 0..count {
        reader.transaction()?;
    }
    Ok(())
}

/// A transaction inside other bytes.
#[derive(Clone, Debug)]
pub(crate) struct Transaction<'a> {
    /// All of its bytes.
    pub(crate) bytes: &'a [u8],
    /// Range of the witnesses; None for a transaction without marker and flag.
    witness: Option<Range<usize>>,
}

impl Transaction<'_> {
    /// Its id: the hash without witnesses.
    pub(crate) fn id(&self) -> B256 {
        let Some(witness) = &self.witness else { return sha256d(self.bytes) };
        let mut stripped = self.bytes[..MARKER_AT].to_vec();
        stripped.extend_from_slice(&self.bytes[MARKER_AT + MARKER_BYTES..witness.start]);
        stripped.extend_from_slice(&self.bytes[witness.end..]);
        sha256d(&stripped)
    }
}

/// Offset of the marker of a transaction with witnesses, which follows the version, and the bytes of marker and flag.
const MARKER_AT: usize = 4;
const MARKER_BYTES: usize = 2;

/// The transaction at the start of the bytes; what follows it is ignored.
pub(crate) fn read_transaction(bytes: &[u8]) -> Result<Transaction<'_>, Unparsable> {
    Reader::new(bytes).whole_transaction()
}

/// A count and that many transactions. What follows them is ignored.
pub(crate) fn read_transactions(bytes: &[u8]) -> Result<Vec<Transaction<'_>>, Unparsable> {
    let mut reader = Reader::new(bytes);
    let count = reader.list_length()? as i32;
    (0..count).map(|_| reader.whole_transaction()).collect()
}

impl<'a> Reader<'a> {
    /// Skips a byte string.
    fn skip_bytes(&mut self) -> Result<(), Unparsable> {
        self.bytes().map(|_| ())
    }

    /// Skips inputs and returns their number.
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

    fn whole_transaction(&mut self) -> Result<Transaction<'a>, Unparsable> {
        let start = self.rest;
        let witness = self.transaction()?;
        let at = |left: usize| start.len() - left;
        let bytes = &start[..at(self.rest.len())];
        Ok(Transaction { bytes, witness: witness.map(|left| at(left.start)..at(left.end)) })
    }

    /// The range of its witnesses, as bytes left at their start and end; None without.
    fn transaction(&mut self) -> Result<Option<Range<usize>>, Unparsable> {
        self.take(MARKER_AT)?;
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
        let witness_start = self.rest.len();
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
        let witness = witness_start..self.rest.len();
        self.take(4)?;
        Ok((flags != 0).then_some(witness))
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
        let read = read_transactions(&block).expect("transactions");
        assert_eq!(read.iter().map(|transaction| transaction.bytes).collect::<Vec<_>>(), [COINBASE, COINBASE]);
        assert_eq!(read_transaction(&block[1..]).expect("a transaction").id(), sha256d(&COINBASE));
        assert!(read_transaction(&COINBASE[..COINBASE.len() - 1]).is_err());
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
        let read = read_transactions(&witness).expect("transactions");
        assert_eq!((read.len(), read[0].bytes), (1, &witness[1..]));
        assert_eq!(read[0].id(), sha256d(&COINBASE), "the id leaves witnesses out");
        witness[6] = 2;
        assert_eq!(check_transactions(&witness), Err(Unparsable));
    }

    #[test]
    fn hostile_counts_end() {
        assert_eq!(check_transactions(&[0xfe, 0xff, 0xff, 0xff, 0x7f]), Err(Unparsable));
        assert_eq!(check_transactions(&[0xff; 9]), Err(Unparsable));
    }
}
