//! Keccak-256 with the original padding.

use rayon::prelude::*;
use rhizome_primitives::B256;

/// Batches smaller than this are hashed on the calling thread: hashing this many trie nodes takes some 150 µs, which
/// should outweigh waking the pool. The gain is not measured yet (the machine was busy); compare `keccak_batch` with
/// `keccak_136` of `examples/bench.rs` on idle cores and revise.
const MIN_PARALLEL_INPUTS: usize = 256;

/// Keccak-256. The implementation is alloy's with CRYPTOGAMS assembly (workspace feature
/// `asm-keccak`), the fastest of those measured; the same one serves the EVM's KECCAK256.
#[inline]
pub fn keccak256(bytes: &[u8]) -> B256 {
    alloy_primitives::keccak256(bytes)
}

/// Keccak-256 of each input, in order; large batches are spread over the cores.
pub fn keccak256_batch<T: AsRef<[u8]> + Sync>(inputs: &[T]) -> Vec<B256> {
    if inputs.len() < MIN_PARALLEL_INPUTS {
        return inputs.iter().map(|input| keccak256(input.as_ref())).collect();
    }
    inputs.par_iter().with_min_len(MIN_PARALLEL_INPUTS / 4).map(|input| keccak256(input.as_ref())).collect()
}

/// Incremental Keccak-256 whose digest so far can be read at any time.
#[derive(Clone, Default)]
pub struct RunningKeccak(alloy_primitives::Keccak256);

impl RunningKeccak {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Digest of everything added so far.
    pub fn digest(&self) -> B256 {
        self.0.clone().finalize()
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::b256;

    use super::*;

    #[test]
    fn known_hashes() {
        assert_eq!(keccak256(b""), rhizome_primitives::account::EMPTY_CODE_HASH);
        assert_eq!(keccak256(&[0x80]), b256!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"));
        assert_eq!(keccak256(&[0xc0]), b256!("1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"));
    }

    #[test]
    fn a_batch_equals_single_hashes_at_every_size() {
        let inputs: Vec<Vec<u8>> = (0..MIN_PARALLEL_INPUTS * 3).map(|n| vec![n as u8; n]).collect();
        for count in [0, 1, MIN_PARALLEL_INPUTS - 1, MIN_PARALLEL_INPUTS, inputs.len()] {
            let single: Vec<B256> = inputs[..count].iter().map(|input| keccak256(input)).collect();
            assert_eq!(keccak256_batch(&inputs[..count]), single);
        }
    }

    #[test]
    fn a_running_hash_is_that_of_the_bytes_so_far() {
        let bytes: Vec<u8> = (0..1000_u32).map(|index| index as u8).collect();
        let mut running = RunningKeccak::default();
        for end in 0..bytes.len() {
            assert_eq!(running.digest(), keccak256(&bytes[..end]));
            running.update(&bytes[end..=end]);
        }
        assert_eq!(running.digest(), keccak256(&bytes));
    }
}
