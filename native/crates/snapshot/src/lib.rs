//! Chunks of snapshots. A chunk is named by the SHA-256 of its uncompressed contents: the same contents have the same
//! name whatever the compressor.

mod stream;

use std::io::{self, Read as _};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

pub use stream::StreamDecoder;

/// Compression level: higher ones shrink hashes by a few per cent more and cost several times as much.
const LEVEL: i32 = 3;

/// Largest zstd window that a compressed chunk may request, as a power of two: it holds the largest chunk.
const MAX_WINDOW_LOG: u32 = 26;

/// Reason why bytes are not the chunk that they should be.
#[derive(Debug, Error)]
pub enum ChunkError {
    /// Not a whole zstd frame.
    #[error("it cannot be decompressed: {0}")]
    Compression(#[from] io::Error),
    /// The unpacked size differs from the stated one.
    #[error("it has another size than {0} bytes when it is decompressed")]
    Size(usize),
    /// The contents do not have the stated hash.
    #[error("its contents have another hash")]
    Hash,
}

/// SHA-256 of contents.
pub fn content_hash(contents: &[u8]) -> [u8; 32] {
    Sha256::digest(contents).into()
}

/// Contents as they are written to a file.
///
/// # Errors
/// Fails when there is no memory for it.
pub fn pack(contents: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(contents, LEVEL)
}

/// The contents of a chunk, which must have this size and hash. Allocates no more than that size.
///
/// # Errors
/// [`ChunkError`] for anything else.
pub fn unpack(packed: &[u8], size: usize, hash: &[u8; 32]) -> Result<Vec<u8>, ChunkError> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    let mut contents = Vec::with_capacity(size);
    decoder.take(size as u64 + 1).read_to_end(&mut contents)?;
    if contents.len() != size {
        return Err(ChunkError::Size(size));
    }
    if content_hash(&contents) != *hash {
        return Err(ChunkError::Hash);
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        (0..100_000u32).flat_map(|number| (number / 7).to_le_bytes()).collect()
    }

    #[test]
    fn what_was_packed_comes_back() {
        let contents = sample();
        let packed = pack(&contents).expect("packs");
        assert!(packed.len() < contents.len() / 2);
        assert_eq!(unpack(&packed, contents.len(), &content_hash(&contents)).expect("unpacks"), contents);
    }

    #[test]
    fn another_size_is_refused_in_both_directions() {
        let contents = sample();
        let (packed, hash) = (pack(&contents).expect("packs"), content_hash(&contents));
        for size in [0, contents.len() - 1, contents.len() + 1] {
            assert!(matches!(unpack(&packed, size, &hash), Err(ChunkError::Size(_))));
        }
    }

    #[test]
    fn a_bomb_ends_at_its_bound() {
        let packed = pack(&vec![0; 1 << 28]).expect("packs");
        assert!(packed.len() < 1 << 16);
        assert!(matches!(unpack(&packed, 1 << 20, &[0; 32]), Err(ChunkError::Size(_))));
    }

    #[test]
    fn damage_is_found() {
        let contents = sample();
        let (packed, hash) = (pack(&contents).expect("packs"), content_hash(&contents));
        assert!(unpack(&packed[..packed.len() - 1], contents.len(), &hash).is_err());
        assert!(unpack(&[], contents.len(), &hash).is_err());
        assert!(unpack(&packed, contents.len(), &[7; 32]).is_err());
        for at in (0..packed.len()).step_by(97) {
            let mut changed = packed.clone();
            changed[at] ^= 1;
            if let Ok(found) = unpack(&changed, contents.len(), &hash) {
                assert_eq!(found, contents);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(packed: Vec<u8>, size in 0..10_000usize) {
            let _ = unpack(&packed, size, &[0; 32]);
        }
    }
}
