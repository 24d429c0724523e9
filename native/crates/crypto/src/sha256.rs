//! SHA-256, RIPEMD-160 and their Bitcoin compositions, and SHA-256 resumed from a midstate.

use rhizome_primitives::B256;
use sha2::{Digest, Sha256};

/// Bytes in a SHA-256 block.
const BLOCK_BYTES: usize = 64;

/// The chaining value before the first block (FIPS 180-4 §5.3.3).
const INITIAL_STATE: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> B256 {
    B256::new(Sha256::digest(bytes).into())
}

/// SHA-256 of SHA-256, in internal byte order (Bitcoin displays the bytes reversed).
pub fn sha256d(bytes: &[u8]) -> B256 {
    sha256(sha256(bytes).as_slice())
}

/// RIPEMD-160.
pub fn ripemd160(bytes: &[u8]) -> [u8; 20] {
    ripemd::Ripemd160::digest(bytes).into()
}

/// RIPEMD-160 of SHA-256: the hash in Bitcoin addresses and P2PKH scripts.
pub fn hash160(bytes: &[u8]) -> [u8; 20] {
    ripemd160(sha256(bytes).as_slice())
}

/// SHA-256 after some bytes, as merged mining stores it (consensus.md §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sha256Midstate {
    /// Bytes already hashed. Taken as stated: it need not be a multiple of 64, and only its sum
    /// with the tail's length enters the hash, modulo 2^61.
    pub byte_count: u64,
    /// Chaining value H1..H8.
    pub state: [u32; 8],
}

impl Sha256Midstate {
    /// Length of the stored form.
    pub const ENCODED_BYTES: usize = 40;

    /// State after the longest prefix of `bytes` that is whole blocks and at most `limit` bytes long.
    pub fn after_whole_blocks(bytes: &[u8], limit: usize) -> Self {
        let length = limit.min(bytes.len()) / BLOCK_BYTES * BLOCK_BYTES;
        let mut state = INITIAL_STATE;
        compress(&mut state, &bytes[..length]);
        Self { byte_count: length as u64, state }
    }

    /// Reads `byteCount (u64 big-endian) ∥ H1..H8 (u32 big-endian each)`.
    pub fn from_bytes(bytes: &[u8; Self::ENCODED_BYTES]) -> Self {
        let word = |index: usize| {
            let at = 8 + 4 * index;
            u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let byte_count = bytes[..8].iter().fold(0, |count, &byte| count << 8 | u64::from(byte));
        Self { byte_count, state: std::array::from_fn(word) }
    }

    /// Writes the form that [`Self::from_bytes`] reads.
    pub fn to_bytes(&self) -> [u8; Self::ENCODED_BYTES] {
        let mut bytes = [0; Self::ENCODED_BYTES];
        bytes[..8].copy_from_slice(&self.byte_count.to_be_bytes());
        for (target, word) in bytes[8..].chunks_exact_mut(4).zip(self.state) {
            target.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// SHA-256 of the bytes already hashed followed by `tail`, which starts on a block boundary.
    pub fn finish(&self, tail: &[u8]) -> B256 {
        let bit_length = self.byte_count.wrapping_add(tail.len() as u64) << 3;
        let whole = tail.len() / BLOCK_BYTES * BLOCK_BYTES;
        let rest = &tail[whole..];
        let mut last = [0; 2 * BLOCK_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x80;
        let padded = if rest.len() < BLOCK_BYTES - 8 { BLOCK_BYTES } else { 2 * BLOCK_BYTES };
        last[padded - 8..padded].copy_from_slice(&bit_length.to_be_bytes());

        let mut state = self.state;
        compress(&mut state, &tail[..whole]);
        compress(&mut state, &last[..padded]);
        let mut hash = B256::ZERO;
        for (target, word) in hash.chunks_exact_mut(4).zip(state) {
            target.copy_from_slice(&word.to_be_bytes());
        }
        hash
    }
}

/// Compresses whole blocks; a shorter remainder is ignored.
fn compress(state: &mut [u32; 8], bytes: &[u8]) {
    let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
    for block in blocks {
        sha2::compress256(state, &[(*block).into()]);
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::{b256, hex};

    use super::*;

    #[test]
    fn known_hashes() {
        assert_eq!(sha256(b"abc"), b256!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        assert_eq!(sha256d(b"hello"), b256!("9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50"));
        assert_eq!(ripemd160(b"abc"), hex!("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"));
        assert_eq!(hash160(b"hello"), hex!("b6a9c8c230722b7c748331a8b450f05566dc7d0f"));
    }

    #[test]
    fn resuming_equals_hashing_at_once() {
        let bytes: Vec<u8> = (0..300u32).map(|n| (n * 7) as u8).collect();
        for length in 0..bytes.len() {
            for limit in [0, 63, 64, 130, length] {
                let midstate = Sha256Midstate::after_whole_blocks(&bytes[..length], limit);
                let tail = &bytes[midstate.byte_count as usize..length];
                assert_eq!(midstate.finish(tail), sha256(&bytes[..length]), "length {length} limit {limit}");
                assert_eq!(Sha256Midstate::from_bytes(&midstate.to_bytes()), midstate);
            }
        }
    }

    #[test]
    fn the_byte_count_only_changes_the_length_field() {
        let midstate = Sha256Midstate::after_whole_blocks(&[], 0);
        let odd = Sha256Midstate { byte_count: 5, ..midstate };
        assert_ne!(odd.finish(b"tail"), midstate.finish(b"tail"));
        let wrapped = Sha256Midstate { byte_count: 1 << 61, ..midstate };
        assert_eq!(wrapped.finish(b"tail"), midstate.finish(b"tail"));
        let negative = Sha256Midstate { byte_count: u64::MAX, ..midstate };
        assert_ne!(negative.finish(b"tail"), midstate.finish(b"tail"));
    }
}
