//! The compressed coinbase: SHA-256 midstate ∥ tail (consensus.md §3.1).

use rhizome_crypto::{Sha256Midstate, sha256};
use rhizome_primitives::B256;

use crate::TAG;
use crate::error::PowError;

/// Bytes of a SHA-256 block; the tag must start within the first block of the tail.
const BLOCK_BYTES: usize = 64;

/// Bytes that may follow the hash for merged mining.
const MAX_BYTES_AFTER_HASH: usize = 128;

/// Every coinbase is longer than this, so that it cannot be mistaken for two hashes.
const TREE_NODE_BYTES: i64 = 64;

/// A parsed compressed coinbase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedCoinbase<'a> {
    /// SHA-256 midstate of the bytes before the tail.
    pub midstate: Sha256Midstate,
    /// The rest of the coinbase.
    pub tail: &'a [u8],
}

impl<'a> CompressedCoinbase<'a> {
    /// Parses the header's field.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PowError> {
        let (midstate, tail) = bytes.split_first_chunk().ok_or(PowError::CoinbaseTooShort(bytes.len()))?;
        Ok(Self { midstate: Sha256Midstate::from_bytes(midstate), tail })
    }

    /// Checks that the tail commits to the hash, steps 6 to 10 of consensus.md §3.2.
    pub fn check_commitment(&self, hash_for_merged_mining: &B256) -> Result<(), PowError> {
        let mut expected = [0; TAG.len() + 32];
        expected[..TAG.len()].copy_from_slice(TAG);
        expected[TAG.len()..].copy_from_slice(hash_for_merged_mining.as_slice());
        let position = last_index(self.tail, &expected).ok_or(PowError::TagMissing)?;
        if position >= BLOCK_BYTES {
            return Err(PowError::TagPosition(position));
        }
        if let Some(last) = last_index(self.tail, TAG).filter(|last| *last != position) {
            return Err(PowError::TagNotLast { position, last });
        }
        let after = self.tail.len() - position - expected.len();
        if after > MAX_BYTES_AFTER_HASH {
            return Err(PowError::BytesAfterHash(after));
        }
        let length = (self.midstate.byte_count as i64).wrapping_add(self.tail.len() as i64);
        if length <= TREE_NODE_BYTES {
            return Err(PowError::CoinbaseLength(length));
        }
        Ok(())
    }

    /// Transaction id of the whole coinbase.
    pub fn transaction_id(&self) -> B256 {
        sha256(self.midstate.finish(self.tail).as_slice())
    }
}

/// Compresses a coinbase serialised without witness: everything before the SHA-256 block in which
/// the last tag starts becomes the midstate. None when there is no tag.
pub fn compress_coinbase(coinbase: &[u8]) -> Option<Vec<u8>> {
    let position = last_index(coinbase, TAG)?;
    let midstate = Sha256Midstate::after_whole_blocks(coinbase, position);
    let mut compressed = midstate.to_bytes().to_vec();
    compressed.extend_from_slice(&coinbase[midstate.byte_count as usize..]);
    Some(compressed)
}

/// The last occurrence of `needle`.
fn last_index(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).rposition(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use rhizome_crypto::sha256d;
    use rhizome_primitives::hex;

    use super::*;

    /// A coinbase whose tag with the hash starts at `position`, with `after` bytes behind it.
    fn coinbase(position: usize, hash: &B256, after: usize) -> Vec<u8> {
        let mut bytes = vec![0x55; position];
        bytes.extend_from_slice(TAG);
        bytes.extend_from_slice(hash.as_slice());
        bytes.resize(bytes.len() + after, 0);
        bytes
    }

    fn check(bytes: &[u8], hash: &B256) -> Result<(), PowError> {
        CompressedCoinbase::read(bytes).and_then(|coinbase| coinbase.check_commitment(hash))
    }

    #[test]
    fn compressing_keeps_the_transaction_id_and_the_commitment() {
        let hash = B256::repeat_byte(7);
        for position in 0..200 {
            let whole = coinbase(position, &hash, 128);
            let compressed = compress_coinbase(&whole).expect("a tag");
            let read = CompressedCoinbase::read(&compressed).expect("a midstate");
            assert_eq!(read.transaction_id(), sha256d(&whole));
            assert_eq!(read.check_commitment(&hash), Ok(()), "{position}");
        }
        assert_eq!(compress_coinbase(&[0; 200]), None);
    }

    #[test]
    fn offline_vector_of_the_mining_sheet() {
        let whole = hex!(
            "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0d036500000800010203"
            "04050607ffffffff0200f2052a010000001976a914111111111111111111111111111111111111111188ac00000000000000"
            "002b6a2952534b424c4f434b3a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000"
        );
        let compressed = hex!(
            "00000000000000405d588faefba8e6fa3c66b7736c43d5894147767c3ad322d0a009fc3fc0bbf2ff010000001976a914111111"
            "111111111111111111111111111111111188ac00000000000000002b6a2952534b424c4f434b3a000102030405060708090a"
            "0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000"
        );
        assert_eq!(compress_coinbase(&whole).as_deref(), Some(&compressed[..]));
    }

    #[test]
    fn refusals() {
        let hash = B256::repeat_byte(7);
        let count = |count: u64| {
            let mut bytes = Sha256Midstate { byte_count: count, state: [1; 8] }.to_bytes().to_vec();
            bytes.extend_from_slice(&coinbase(0, &hash, 0));
            bytes
        };
        let raw = |tail: Vec<u8>| [vec![0; 40], tail].concat();
        assert_eq!(check(&[0; 39], &hash), Err(PowError::CoinbaseTooShort(39)));
        assert_eq!(check(&raw(coinbase(0, &B256::ZERO, 100)), &hash), Err(PowError::TagMissing));
        assert_eq!(check(&raw(coinbase(64, &hash, 0)), &hash), Err(PowError::TagPosition(64)));
        assert_eq!(check(&raw(coinbase(63, &hash, 128)), &hash), Ok(()));
        assert_eq!(check(&raw(coinbase(63, &hash, 129)), &hash), Err(PowError::BytesAfterHash(129)));
        let twice = [coinbase(0, &hash, 0), TAG.to_vec()].concat();
        assert_eq!(check(&raw(twice), &hash), Err(PowError::TagNotLast { position: 0, last: 41 }));
        assert_eq!(check(&count(23), &hash), Err(PowError::CoinbaseLength(64)));
        assert_eq!(check(&count(24), &hash), Ok(()));
        assert_eq!(check(&count(u64::MAX), &hash), Err(PowError::CoinbaseLength(40)));
    }
}
