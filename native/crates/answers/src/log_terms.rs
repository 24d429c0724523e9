//! What the index of logs has of a block.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use rhizome_primitives::rlp::RlpError;

use crate::log_walk::walk_receipts;

/// Bytes of a term.
pub const TERM_LENGTH: usize = 8;

/// Every block with at least one log has it.
const ANY_LOG: [u8; TERM_LENGTH] = [0; TERM_LENGTH];

const ADDRESS_SEED: u32 = 1;

/// The terms of the logs of a block, 8 bytes each, every term once: of each log its address and its topics, and at the
/// end the term that all blocks with logs have (src/chain/tables/logTerm.ts has the form of a term). @param receipts RLP
/// list of the receipts
pub fn log_terms(receipts: &[u8]) -> Result<Vec<u8>, RlpError> {
    let mut known: HashSet<[u8; TERM_LENGTH], RandomState> = HashSet::default();
    let mut out = Vec::new();
    let mut add = |term: [u8; TERM_LENGTH]| {
        if known.insert(term) {
            out.extend_from_slice(&term);
        }
    };
    walk_receipts(receipts, |log| {
        add(term(log.address, ADDRESS_SEED));
        for (seed, topic) in (ADDRESS_SEED + 1..).zip(&log.topics) {
            add(term(topic, seed));
        }
    })?;
    if !out.is_empty() {
        out.extend_from_slice(&ANY_LOG);
    }
    Ok(out)
}

/// Two lanes of multiply-and-rotate over words of four bytes, as MurmurHash3 mixes them.
fn term(bytes: &[u8], seed: u32) -> [u8; TERM_LENGTH] {
    let mut a = seed.wrapping_mul(0x9e37_79b1);
    let mut b = seed.wrapping_mul(0x85eb_ca77) ^ bytes.len() as u32;
    let (words, rest) = bytes.as_chunks::<4>();
    for word in words {
        let word = u32::from_le_bytes(*word);
        a = (a ^ mix(word, 0xcc9e_2d51)).rotate_left(19).wrapping_add(b);
        b = (b ^ mix(word, 0x1b87_3593)).rotate_left(17).wrapping_add(a).wrapping_mul(5);
    }
    for byte in rest {
        a = (a ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        b = b.wrapping_add(a);
    }
    let low = finish(a.wrapping_add(b));
    let high = finish((b ^ 0x5bd1_e995).wrapping_add(a << 1));
    (u64::from(high) << 32 | u64::from(low)).to_le_bytes()
}

fn mix(value: u32, factor: u32) -> u32 {
    value.wrapping_mul(factor).rotate_left(15).wrapping_mul(0x2c1b_3c6d)
}

fn finish(value: u32) -> u32 {
    let mixed = (value ^ (value >> 16)).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
    mixed ^ (mixed >> 16)
}
