//! Bitcoin headers that a network accepts by their proof of work and difficulty (bridge.md §3.2).
//!
//! This is not the `bitcoin` crate's code, because the reference masks a new target to the precision of the received
//! one, has targets of more than 256 bits on the regression test network, and does not use a median of times.

use rhizome_primitives::bridge_spec::{BitcoinNetwork, BitcoinSpec};
use rhizome_primitives::{B256, U256};
use thiserror::Error;

use crate::block_header::BlockHeader;
use crate::compact::{Target, U512, to_compact, work_of};
use crate::stored_header::StoredHeader;

/// Number of bits of the easiest target of the regression test network; all of them are ones.
const REGTEST_TARGET_BITS: usize = 263;

/// Targets of more bytes exceed the easiest ones whatever the adjustment; shorter ones, multiplied by the timespan,
/// have less than 512 bits.
const PRODUCT_BYTES: usize = 40;

/// Target duration of the blocks between two adjustments, in seconds.
pub const TARGET_TIMESPAN: i64 = 14 * 86_400;

/// Seconds without a block after which the test network allows the easiest target.
const EASY_AFTER: i64 = 2 * 600;

/// Before this time the test network had the main network's rules.
const TESTNET_EASY_SINCE: u32 = 1_329_264_000;

/// Reason why a header is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DifficultyError {
    /// Zero, negative, or easier than the network's easiest.
    #[error("a target that the network does not have")]
    Target,
    /// Not enough work.
    #[error("the hash is above the target")]
    HashAboveTarget,
    /// The target is not the one that the network requires.
    #[error("the difficulty is not that of the network")]
    Difficulty,
    /// A header below is not known.
    #[error("a header below is not known")]
    MissingHeader,
}

/// The easiest target of a network.
#[must_use]
pub fn easiest_target(bitcoin: &BitcoinSpec) -> U512 {
    match bitcoin.network {
        BitcoinNetwork::Regtest => (U512::from(1) << REGTEST_TARGET_BITS) - U512::from(1),
        _ => Target::from_compact(bitcoin.max_target_bits).positive().unwrap_or_default(),
    }
}

/// The target of a header.
///
/// # Errors
/// [`DifficultyError::Target`].
pub fn target(bitcoin: &BitcoinSpec, header: &BlockHeader) -> Result<U512, DifficultyError> {
    let target = Target::from_compact(header.bits()).positive();
    target.filter(|target| *target <= easiest_target(bitcoin)).ok_or(DifficultyError::Target)
}

/// The work of a header.
///
/// # Errors
/// [`DifficultyError::Target`].
pub fn work(bitcoin: &BitcoinSpec, header: &BlockHeader) -> Result<U256, DifficultyError> {
    target(bitcoin, header).map(work_of)
}

/// Checks that a header has the work that its target requires.
///
/// # Errors
/// [`DifficultyError::Target`] and [`DifficultyError::HashAboveTarget`].
pub fn check_proof_of_work(bitcoin: &BitcoinSpec, header: &BlockHeader) -> Result<(), DifficultyError> {
    check_hash(bitcoin, header, header.hash())
}

/// Like [`check_proof_of_work`], for a header whose hash, in display order, is known.
///
/// # Errors
/// [`DifficultyError::Target`] and [`DifficultyError::HashAboveTarget`].
pub fn check_hash(bitcoin: &BitcoinSpec, header: &BlockHeader, hash: B256) -> Result<(), DifficultyError> {
    let target = target(bitcoin, header)?;
    if U512::from_be_slice(hash.as_slice()) <= target { Ok(()) } else { Err(DifficultyError::HashAboveTarget) }
}

/// Checks that a header has the difficulty that its network requires on top of `parent`.
///
/// # Errors
/// [`DifficultyError`] for the header, and the error of `stored`, which looks up a lower header by its hash in display
/// order.
pub fn check_difficulty<E: From<DifficultyError>>(
    bitcoin: &BitcoinSpec,
    parent: &StoredHeader,
    header: &BlockHeader,
    mut stored: impl FnMut(B256) -> Result<Option<StoredHeader>, E>,
) -> Result<(), E> {
    let interval = i64::from(bitcoin.difficulty_interval);
    let adjusts = (i64::from(parent.height.wrapping_add(1))) % interval == 0;
    if bitcoin.network == BitcoinNetwork::Testnet && !adjusts && header.time() > TESTNET_EASY_SINCE {
        return check_testnet(bitcoin, parent, header, &mut stored);
    }
    let parent_header = parent.block_header();
    if !adjusts {
        let same = header.bits() == parent_header.bits();
        return if same { Ok(()) } else { Err(DifficultyError::Difficulty.into()) };
    }
    let mut first = stored(parent.hash())?;
    for _ in 1..interval {
        let hash = first.ok_or(DifficultyError::MissingHeader)?.parent();
        first = stored(hash)?;
    }
    let first = first.ok_or(DifficultyError::MissingHeader)?;
    // The reference truncates the difference to 32 bits.
    let timespan = (i64::from(parent_header.time()) - i64::from(first.block_header().time())) as i32;
    let timespan = i64::from(timespan).clamp(TARGET_TIMESPAN / 4, TARGET_TIMESPAN * 4);
    let old = Target::from_compact(parent_header.bits());
    let easiest = easiest_target(bitcoin);
    let new = if !old.is_negative() && old.magnitude().len() > PRODUCT_BYTES {
        easiest
    } else {
        let old = old.positive().unwrap_or_default();
        (old * U512::from(timespan) / U512::from(TARGET_TIMESPAN)).min(easiest)
    };
    if to_compact(masked(new, header.bits())) == header.bits() {
        Ok(())
    } else {
        Err(DifficultyError::Difficulty.into())
    }
}

/// A target with the three bytes of precision of `bits`.
fn masked(target: U512, bits: u32) -> U512 {
    let precision = U512::from(0x00ff_ffff);
    let mask = match (bits >> 24) as usize {
        small @ 0..3 => precision >> (8 * (3 - small)),
        size => precision.checked_shl(8 * (size - 3)).unwrap_or_default(),
    };
    target & mask
}

/// Between adjustments, the target is that of the last header that did not have the easiest target. After a long time
/// without blocks, any target is accepted.
fn check_testnet<E: From<DifficultyError>>(
    bitcoin: &BitcoinSpec,
    parent: &StoredHeader,
    header: &BlockHeader,
    stored: &mut impl FnMut(B256) -> Result<Option<StoredHeader>, E>,
) -> Result<(), E> {
    let elapsed = i64::from(header.time()) - i64::from(parent.block_header().time());
    if !(0..=EASY_AFTER).contains(&elapsed) {
        return Ok(());
    }
    let interval = i64::from(bitcoin.difficulty_interval);
    let easiest = easiest_target(bitcoin);
    let mut cursor = parent.clone();
    while cursor.header[..] != bitcoin.genesis_header[..]
        && i64::from(cursor.height) % interval != 0
        && target(bitcoin, &cursor.block_header())? == easiest
    {
        cursor = stored(cursor.parent())?.ok_or(DifficultyError::MissingHeader)?;
    }
    if target(bitcoin, &cursor.block_header())? == target(bitcoin, header)? {
        Ok(())
    } else {
        Err(DifficultyError::Difficulty.into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rhizome_primitives::Bytes;

    use super::*;

    fn network(network: BitcoinNetwork) -> BitcoinSpec {
        BitcoinSpec {
            network,
            address_version: 0,
            script_address_version: 5,
            max_target_bits: 0x1d00_ffff,
            difficulty_interval: if network == BitcoinNetwork::Regtest { i32::MAX as u32 } else { 2016 },
            genesis_header: Bytes::from(vec![0; 80]),
        }
    }

    fn header(parent: B256, time: u32, bits: u32) -> BlockHeader {
        let mut bytes = [0; 80];
        bytes[4..36].copy_from_slice(crate::reversed(parent).as_slice());
        bytes[68..72].copy_from_slice(&time.to_le_bytes());
        bytes[72..76].copy_from_slice(&bits.to_le_bytes());
        BlockHeader::new(bytes)
    }

    /// A chain of headers up to `height`, given by time and bits of each.
    fn chain(height: i32, headers: &[(u32, u32)]) -> (StoredHeader, HashMap<B256, StoredHeader>) {
        let mut known = HashMap::new();
        let mut last = StoredHeader { chain_work: U256::ZERO, height: height - headers.len() as i32, header: [1; 80] };
        for (time, bits) in headers {
            let header = *header(last.hash(), *time, *bits).as_bytes();
            last = StoredHeader { chain_work: U256::ZERO, height: last.height + 1, header };
            known.insert(last.hash(), last.clone());
        }
        (last, known)
    }

    fn check(
        bitcoin: &BitcoinSpec,
        height: i32,
        headers: &[(u32, u32)],
        time: u32,
        bits: u32,
    ) -> Option<DifficultyError> {
        let (parent, known) = chain(height, headers);
        let next = header(parent.hash(), time, bits);
        check_difficulty(bitcoin, &parent, &next, |hash| Ok::<_, DifficultyError>(known.get(&hash).cloned())).err()
    }

    #[test]
    fn the_first_adjustment_of_the_main_network() {
        let main = network(BitcoinNetwork::Main);
        // Blocks 30,240 and 32,255; those between do not matter.
        let mut headers = vec![(1_261_130_161, 0x1d00_ffff); 2015];
        headers.push((1_262_152_739, 0x1d00_ffff));
        assert_eq!(check(&main, 32_255, &headers, 1_262_153_464, 0x1d00_d86a), None);
        assert_eq!(check(&main, 32_255, &headers, 1_262_153_464, 0x1d00_d86b), Some(DifficultyError::Difficulty));
        assert_eq!(check(&main, 32_255, &headers[1..], 0, 0x1d00_d86a), Some(DifficultyError::MissingHeader));
        assert_eq!(check(&main, 32_254, &headers, 0, 0x1d00_ffff), None, "no adjustment");
        assert_eq!(check(&main, 32_254, &headers, 0, 0x1d00_d86a), Some(DifficultyError::Difficulty));
    }

    #[test]
    fn adjustments_are_at_most_by_four_and_never_above_the_easiest() {
        let main = network(BitcoinNetwork::Main);
        let within = |seconds: u32| {
            let mut headers = vec![(1_000_000_000, 0x1c00_ffff); 2015];
            headers.push((1_000_000_000 + seconds, 0x1c00_ffff));
            headers
        };
        assert_eq!(check(&main, 4031, &within(0), 0, 0x1b3f_ffc0), None, "a quarter");
        assert_eq!(check(&main, 4031, &within(30 * 14 * 86_400), 0, 0x1c03_fffc), None, "four times");
        let easiest = vec![(1_000_000_000, 0x1d00_ffff); 2015];
        let slow = [easiest, vec![(1_010_000_000, 0x1d00_ffff)]].concat();
        assert_eq!(check(&main, 4031, &slow, 0, 0x1d00_ffff), None);
    }

    #[test]
    fn the_test_network_allows_the_easiest_target_after_a_time_without_blocks() {
        let testnet = network(BitcoinNetwork::Testnet);
        let hard = 0x1c00_ffff;
        let easy = 0x1d00_ffff;
        let time = 1_500_000_000;
        let headers = [(time, hard), (time, easy), (time, easy)];
        assert_eq!(check(&testnet, 5000, &headers, time + 1_200, hard), None);
        assert_eq!(check(&testnet, 5000, &headers, time + 1_200, easy), Some(DifficultyError::Difficulty));
        assert_eq!(check(&testnet, 5000, &headers, time + 1_201, easy), None);
        assert_eq!(check(&testnet, 5000, &headers, time + 1_201, 0x1700_1234), None, "any target passes then");
        assert_eq!(check(&testnet, 5000, &headers, time - 1, easy), None);
        assert_eq!(check(&testnet, 4033, &headers, time, easy), None, "the walk ends at an adjustment");
        assert_eq!(check(&testnet, 5000, &headers[1..], time, easy), Some(DifficultyError::MissingHeader));
        let old = [(1_329_263_000, easy)];
        assert_eq!(check(&testnet, 5000, &old, 1_329_264_000, hard), Some(DifficultyError::Difficulty), "not yet");
    }

    #[test]
    fn targets_of_more_than_256_bits_pass_on_the_regression_test_network() {
        let easy = header(B256::ZERO, 0, 0x217f_ffff);
        assert_eq!(check_proof_of_work(&network(BitcoinNetwork::Regtest), &easy), Ok(()));
        assert_eq!(work(&network(BitcoinNetwork::Regtest), &easy), Ok(U256::ZERO));
        assert_eq!(check_proof_of_work(&network(BitcoinNetwork::Main), &easy), Err(DifficultyError::Target));
        let easier = header(B256::ZERO, 0, 0x2200_8000);
        assert_eq!(check_proof_of_work(&network(BitcoinNetwork::Regtest), &easier), Err(DifficultyError::Target));
        let hard = header(B256::ZERO, 0, 0x0300_0001);
        assert_eq!(check_proof_of_work(&network(BitcoinNetwork::Main), &hard), Err(DifficultyError::HashAboveTarget));
    }
}
