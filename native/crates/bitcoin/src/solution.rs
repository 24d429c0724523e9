//! Proofs of work made by this node, for the dev chain's block producer and the solo miner. Both sides of eth_getWork
//! and eth_submitWork derive the same Bitcoin block from the work; [`Template`] is that block.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rhizome_crypto::{Sha256Midstate, sha256, sha256d};
use rhizome_primitives::{B256, U256, hex};

use crate::TAG;
use crate::coinbase::compress_coinbase;
use crate::header::{HEADER_BYTES, hash_as_number};

/// Nonces tried between two checks of the stop signal: about five milliseconds of work.
const NONCES_PER_CHECK: u64 = 1 << 15;

/// Byte at which the nonce of a Bitcoin header starts.
const NONCE_AT: usize = 76;

/// Version, previous hash (zero) and so on are those of Bitcoin's regtest; no rule reads them.
const HEADER_VERSION: [u8; 4] = hex!("00000020");
const HEADER_BITS: [u8; 4] = hex!("ffff7f20");

/// Start of the coinbase: version 1, one input without an outpoint, a script of five bytes that
/// pushes the extra nonce.
const COINBASE_START: [u8; 43] =
    hex!("01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0504");

/// End of the input, an output of 50 BTC to nobody, and an output with the tag and the hash.
const COINBASE_MIDDLE: [u8; 50] =
    hex!("ffffffff0200f2052a010000001976a914000000000000000000000000000000000000000088ac00000000000000002b6a29");

/// The three merged-mining fields of a solved header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Bitcoin header.
    pub bitcoin_header: [u8; HEADER_BYTES],
    /// Coinbase as midstate ∥ tail.
    pub compressed_coinbase: Vec<u8>,
    /// Merkle proof: empty, because the Bitcoin block has one transaction.
    pub merkle_proof: Vec<u8>,
}

/// A Bitcoin block that consists of a coinbase and is complete except for the nonce.
#[derive(Clone, Debug)]
pub struct Template {
    header: [u8; HEADER_BYTES],
    coinbase: Vec<u8>,
}

impl Template {
    /// A block that commits to the hash. `time` is in seconds and goes into the Bitcoin header; RSKIP179 compares it
    /// with the block's own. A different `extra_nonce`, whose bytes are in the coinbase before the tag, opens another
    /// 2^32 nonces for the same work.
    pub fn new(hash_for_merged_mining: &B256, time: u32, extra_nonce: [u8; 4]) -> Self {
        let mut coinbase = COINBASE_START.to_vec();
        coinbase.extend_from_slice(&extra_nonce);
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

    /// The 80 bytes of the header to search a nonce for; the last four are the nonce, little-endian.
    pub fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// The coinbase, without witness.
    pub fn coinbase(&self) -> &[u8] {
        &self.coinbase
    }

    /// The first nonce in the range whose block hash is at most the target. Returns within some milliseconds when the
    /// search is stopped.
    pub fn search(&self, target: U256, nonces: std::ops::RangeInclusive<u32>, control: &Control) -> Option<u32> {
        let start = Sha256Midstate::after_whole_blocks(&self.header, HEADER_BYTES);
        let mut tail = [0; 16];
        tail.copy_from_slice(&self.header[64..]);
        let mut tried = 0;
        let mut found = None;
        for nonce in nonces {
            if tried == NONCES_PER_CHECK {
                control.hashes.fetch_add(tried, Ordering::Relaxed);
                tried = 0;
                if control.is_stopped() {
                    break;
                }
            }
            tried += 1;
            tail[NONCE_AT - 64..].copy_from_slice(&nonce.to_le_bytes());
            if hash_as_number(&sha256(start.finish(&tail).as_slice())) <= target {
                found = Some(nonce);
                break;
            }
        }
        control.hashes.fetch_add(tried, Ordering::Relaxed);
        found
    }

    /// The fields of a header that commits to the hash, for the nonce of a solution.
    pub fn solve(hash_for_merged_mining: &B256, time: u32, nonce: WorkNonce) -> Solution {
        let [a, b, c, d, nonce @ ..] = nonce;
        Self::new(hash_for_merged_mining, time, [a, b, c, d]).solution(u32::from_le_bytes(nonce))
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

/// Stop signal and progress of a search. All threads of a search share one.
#[derive(Debug, Default)]
pub struct Control {
    stopped: AtomicBool,
    hashes: AtomicU64,
}

impl Control {
    /// Ends the search within some milliseconds.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True when the search was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Block hashes tried so far.
    pub fn hashes(&self) -> u64 {
        self.hashes.load(Ordering::Relaxed)
    }
}

/// A nonce of eight bytes that solves a template: the extra nonce as in the coinbase, then the nonce as in the header.
pub type WorkNonce = [u8; 8];

/// Searches for a proof of work on the calling thread, until one is found or the search is stopped. The target is
/// [`crate::target_from_difficulty`] of the header's difficulty; `time` is in seconds.
pub fn mine(hash_for_merged_mining: &B256, target: U256, time: u32, control: &Control) -> Option<Solution> {
    let nonce = search_share(hash_for_merged_mining, target, time, (0, 1), control)?;
    Some(Template::solve(hash_for_merged_mining, time, nonce))
}

/// Like [`mine`], on several threads at once, but at least one: the first nonce that any of them finds.
pub fn mine_on_threads(hash: &B256, target: U256, time: u32, threads: u32, control: &Control) -> Option<WorkNonce> {
    let threads = threads.max(1);
    std::thread::scope(|scope| {
        let share = |at| {
            scope.spawn(move || {
                let found = search_share(hash, target, time, (at, threads), control);
                if found.is_some() {
                    control.stop();
                }
                found
            })
        };
        let running: Vec<_> = (0..threads).map(share).collect();
        running.into_iter().filter_map(|thread| thread.join().ok().flatten()).next()
    })
}

/// Tries every extra nonce of one thread: starting from the first number, in steps of the second.
fn search_share(
    hash: &B256,
    target: U256,
    time: u32,
    (first, step): (u32, u32),
    control: &Control,
) -> Option<WorkNonce> {
    let mut extra_nonce = first;
    while !control.is_stopped() {
        let bytes = extra_nonce.to_be_bytes();
        if let Some(nonce) = Template::new(hash, time, bytes).search(target, 0..=u32::MAX, control) {
            let mut found = [0; 8];
            found[..4].copy_from_slice(&bytes);
            found[4..].copy_from_slice(&nonce.to_le_bytes());
            return Some(found);
        }
        extra_nonce = extra_nonce.checked_add(step)?;
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
        for difficulty in [1u64, 3, 1000, 20_000] {
            let control = Control::default();
            let hash = B256::repeat_byte(difficulty as u8);
            let difficulty = U256::from(difficulty);
            let solution =
                mine(&hash, target_from_difficulty(difficulty), 1_700_000_000, &control).expect("not stopped");
            assert_eq!(check(&solution, hash, difficulty), Ok(()));
            assert_eq!(check(&solution, B256::ZERO, difficulty), Err(PowError::TagMissing));
            assert_eq!(crate::timestamp(&solution.bitcoin_header), 1_700_000_000);
            let hard = check(&solution, hash, U256::MAX);
            assert!(matches!(hard, Err(PowError::HashAboveTarget { .. })));
            assert!(control.hashes() > 0);
        }
    }

    #[test]
    fn threads_find_a_nonce_that_the_other_side_accepts() {
        let (hash, time) = (B256::repeat_byte(9), 1_700_000_000);
        let difficulty = U256::from(200_000);
        let control = Control::default();
        let nonce = mine_on_threads(&hash, target_from_difficulty(difficulty), time, 3, &control).expect("found");
        assert_eq!(check(&Template::solve(&hash, time, nonce), hash, difficulty), Ok(()));
        assert!(control.hashes() > 1000, "{} hashes", control.hashes());
    }

    #[test]
    fn a_stopped_search_ends() {
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(mine(&B256::ZERO, U256::ZERO, 0, &stopped), None);
        assert_eq!(mine_on_threads(&B256::ZERO, U256::ZERO, 0, 2, &stopped), None);
        let control = Control::default();
        assert_eq!(Template::new(&B256::ZERO, 0, [7; 4]).search(U256::ZERO, 0..=100, &control), None);
        assert_eq!(control.hashes(), 101);
    }

    #[test]
    fn the_coinbase_is_a_transaction() {
        let template = Template::new(&B256::repeat_byte(1), 0, [1, 2, 3, 4]);
        let block = [&[1], template.coinbase()].concat();
        assert!(crate::transactions::check_transactions(&block).is_ok());
        assert!(crate::transactions::check_transactions(&block[..block.len() - 1]).is_err());
    }

    /// The worked example of src/mining/README.md.
    #[test]
    fn worked_example() {
        let hash = B256::new(std::array::from_fn(|at| at as u8));
        let target = target_from_difficulty(U256::from(4096));
        let nonce = mine_on_threads(&hash, target, 1_700_000_000, 1, &Control::default()).expect("found");
        assert_eq!(nonce, hex!("00000000d81b0000"));
        let template = Template::new(&hash, 1_700_000_000, [0; 4]);
        let coinbase = hex!(
            "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff050400000000ffffffff"
            "0200f2052a010000001976a914000000000000000000000000000000000000000088ac00000000000000002b6a2952534b424c"
            "4f434b3a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000"
        );
        assert_eq!(template.coinbase(), coinbase);
        let solution = Template::solve(&hash, 1_700_000_000, nonce);
        let header = hex!(
            "000000200000000000000000000000000000000000000000000000000000000000000000"
            "bf7515f883079628e0be79ebcbdd5932db819015902420a08963616d2893bbe7"
            "00f15365ffff7f20d81b0000"
        );
        assert_eq!(solution.bitcoin_header, header);
        assert_eq!(check(&solution, hash, U256::from(4096)), Ok(()));
    }
}
