//! Proofs of work made here: the dev chain's block producer and the solo miner.

use std::sync::atomic::{AtomicBool, Ordering};

use rhizome_crypto::{Sha256Midstate, sha256, sha256d};
use rhizome_primitives::{B256, U256, hex};

use crate::TAG;
use crate::coinbase::compress_coinbase;
use crate::header::{HEADER_BYTES, hash_as_number};

/// Nonces tried between two looks at the stop signal: about five milliseconds of work.
const NONCES_PER_CHECK: u32 = 1 << 15;

/// Byte at which the nonce of a Bitcoin header starts.
const NONCE_AT: usize = 76;

/// Version, previous hash (zero) and so on stand as in Bitcoin's regtest; no rule reads them.
const HEADER_VERSION: [u8; 4] = hex!("00000020");
const HEADER_BITS: [u8; 4] = hex!("ffff7f20");

/// Start of the coinbase: version 1, one input without an outpoint, a script of nine bytes that
/// starts with a push of eight.
const COINBASE_START: [u8; 43] =
    hex!("01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0908");

/// End of the input; an output of 50 BTC to nobody; an output that holds the tag and the hash.
const COINBASE_MIDDLE: [u8; 50] =
    hex!("ffffffff0200f2052a010000001976a914000000000000000000000000000000000000000088ac00000000000000002b6a29");

/// The three merged-mining fields of a solved header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Bitcoin header.
    pub bitcoin_header: [u8; HEADER_BYTES],
    /// Coinbase as midstate ∥ tail.
    pub compressed_coinbase: Vec<u8>,
    /// Merkle proof: empty, the Bitcoin block has one transaction.
    pub merkle_proof: Vec<u8>,
}

/// A Bitcoin block with a coinbase only, complete but for the nonce.
#[derive(Clone, Debug)]
pub struct Template {
    header: [u8; HEADER_BYTES],
    coinbase: Vec<u8>,
}

impl Template {
    /// A block that commits to the hash. `time` is in seconds and goes into the Bitcoin header, which
    /// RSKIP179 compares with the block's own; `extra_nonce` gives the same work another four
    /// thousand million nonces.
    pub fn new(hash_for_merged_mining: &B256, time: u32, extra_nonce: u64) -> Self {
        let mut coinbase = COINBASE_START.to_vec();
        coinbase.extend_from_slice(&extra_nonce.to_le_bytes());
        coinbase.extend_from_slice(&COINBASE_MIDDLE);
        coinbase.extend_from_slice(TAG);
        coinbase.extend_from_slice(hash_for_merged_mining.as_slice());
        coinbase.extend_from_slice(&[0; 4]);

        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&HEADER_VERSION);
        header[36..68].copy_from_slice(sha256d(&coinbase).as_slice());
        header[68..72].copy_from_slice(&time.to_le_bytes());
        header[72..76].copy_from_slice(&HEADER_BITS);
        Self { header, coinbase }
    }

    /// The 80 bytes to search a nonce for; the last four are the nonce, little-endian.
    pub fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// The coinbase, without witness.
    pub fn coinbase(&self) -> &[u8] {
        &self.coinbase
    }

    /// The first nonce in the range whose block hash is at most the target. Gives up, within some
    /// milliseconds, when `stop` becomes true.
    pub fn search(&self, target: U256, nonces: std::ops::RangeInclusive<u32>, stop: &AtomicBool) -> Option<u32> {
        let start = Sha256Midstate::after_whole_blocks(&self.header, HEADER_BYTES);
        let mut tail = [0; 16];
        tail.copy_from_slice(&self.header[64..]);
        for nonce in nonces {
            if nonce.is_multiple_of(NONCES_PER_CHECK) && stop.load(Ordering::Relaxed) {
                return None;
            }
            tail[NONCE_AT - 64..].copy_from_slice(&nonce.to_le_bytes());
            if hash_as_number(&sha256(start.finish(&tail).as_slice())) <= target {
                return Some(nonce);
            }
        }
        None
    }

    /// The fields of the header solved with this nonce.
    pub fn solution(&self, nonce: u32) -> Solution {
        let mut bitcoin_header = self.header;
        bitcoin_header[NONCE_AT..].copy_from_slice(&nonce.to_le_bytes());
        // The template always holds a tag, so there is always something to compress.
        let compressed_coinbase = compress_coinbase(&self.coinbase).unwrap_or_default();
        Solution { bitcoin_header, compressed_coinbase, merkle_proof: Vec::new() }
    }
}

/// Searches a proof of work for the hash on the calling thread until it is found or `stop` becomes
/// true. The target is [`crate::target_from_difficulty`] of the header's difficulty; `time` is in
/// seconds.
pub fn mine(hash_for_merged_mining: &B256, target: U256, time: u32, stop: &AtomicBool) -> Option<Solution> {
    let mut extra_nonce = 0;
    while !stop.load(Ordering::Relaxed) {
        let template = Template::new(hash_for_merged_mining, time, extra_nonce);
        if let Some(nonce) = template.search(target, 0..=u32::MAX, stop) {
            return Some(template.solution(nonce));
        }
        extra_nonce += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::rules::{Rule, RuleSet};

    use super::*;
    use crate::{MergedMining, PowError, check_proof_of_work, target_from_difficulty};

    fn check(solution: &Solution, hash: B256, difficulty: U256) -> Result<(), PowError> {
        check_proof_of_work(&MergedMining {
            hash_for_merged_mining: Some(hash),
            difficulty,
            number: 1,
            bitcoin_header: Some(&solution.bitcoin_header),
            merkle_proof: Some(&solution.merkle_proof),
            coinbase: Some(&solution.compressed_coinbase),
            rules: [Rule::Rskip92, Rule::Rskip98, Rule::Rskip180].into_iter().collect::<RuleSet>(),
            fallback_mining_difficulty: U256::ZERO,
        })
    }

    #[test]
    fn mined_solutions_pass_the_rules() {
        let stop = AtomicBool::new(false);
        for difficulty in [1u64, 3, 1000, 20_000] {
            let hash = B256::repeat_byte(difficulty as u8);
            let difficulty = U256::from(difficulty);
            let solution = mine(&hash, target_from_difficulty(difficulty), 1_700_000_000, &stop).expect("not stopped");
            assert_eq!(check(&solution, hash, difficulty), Ok(()));
            assert_eq!(check(&solution, B256::ZERO, difficulty), Err(PowError::TagMissing));
            assert_eq!(crate::timestamp(&solution.bitcoin_header), 1_700_000_000);
            let hard = check(&solution, hash, U256::MAX);
            assert!(matches!(hard, Err(PowError::HashAboveTarget { .. })));
        }
    }

    #[test]
    fn a_stopped_search_ends() {
        assert_eq!(mine(&B256::ZERO, U256::ZERO, 0, &AtomicBool::new(true)), None);
        let template = Template::new(&B256::ZERO, 0, 7);
        assert_eq!(template.search(U256::ZERO, 0..=100, &AtomicBool::new(false)), None);
    }

    #[test]
    fn the_coinbase_is_a_transaction() {
        let template = Template::new(&B256::repeat_byte(1), 0, 7);
        let block = [&[1], template.coinbase()].concat();
        assert!(crate::transactions::check_transactions(&block).is_ok());
        assert!(crate::transactions::check_transactions(&block[..block.len() - 1]).is_err());
    }
}
