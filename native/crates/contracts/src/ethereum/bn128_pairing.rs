//! `0x…08`: whether a product of pairings of bn128 is one (RSKIP137).

use ark_bn254::{Bn254, Fq, Fq2, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ec::pairing::{MillerLoopOutput, Pairing};
use ark_ff::{BigInt, One, PrimeField};
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{B256, Bytes};

use super::bn128_failure;

/// A point of G1 (64 bytes) and one of G2 (128 bytes).
const PAIR_BYTES: usize = 192;

const BASE_GAS: u64 = 45_000;
const PAIR_GAS: u64 = 34_000;

/// Number of pairs that are multiplied together, which takes a few milliseconds. A single pair takes longer than its
/// share of many.
const STEP_PAIRS: usize = 16;

pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(BASE_GAS + PAIR_GAS * (input.unwrap_or_default().len() / PAIR_BYTES) as u64)
}

/// The input is not padded: a length that is not a multiple of 192 fails.
pub(crate) fn run(
    rules: RuleSet,
    state: &dyn ContractState,
    input: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    let (pairs, rest) = input.unwrap_or_default().as_chunks::<PAIR_BYTES>();
    if !rest.is_empty() {
        return bn128_failure(rules, "the input is no sequence of pairs");
    }
    match is_product_one(state, pairs)? {
        Some(is_one) => Ok(Some(B256::with_last_byte(is_one.into()).into())),
        None => bn128_failure(rules, "the coordinates are no points of the groups"),
    }
}

/// None when coordinates are not points of their group.
fn is_product_one(state: &dyn ContractState, pairs: &[[u8; PAIR_BYTES]]) -> Result<Option<bool>, ContractError> {
    let mut product = <Bn254 as Pairing>::TargetField::one();
    for pairs in pairs.chunks(STEP_PAIRS) {
        state.go_on()?;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (Some(first), Some(second)) = (first_group(&pair[..64]), second_group(&pair[64..])) else {
                return Ok(None);
            };
            // The pairing with infinity is one.
            if !first.is_zero() && !second.is_zero() {
                left.push(first);
                right.push(second);
            }
        }
        product *= Bn254::multi_miller_loop(left, right).0;
    }
    Ok(Some(Bn254::final_exponentiation(MillerLoopOutput(product)).is_some_and(|result| result.0.is_one())))
}

/// A point x ∥ y; zeros are infinity.
fn first_group(bytes: &[u8]) -> Option<G1Affine> {
    let (x, y) = (number(&bytes[..32])?, number(&bytes[32..])?);
    if x == Fq::default() && y == Fq::default() {
        return Some(G1Affine::zero());
    }
    Some(G1Affine::new_unchecked(x, y)).filter(|point| point.is_on_curve())
}

/// A point x ∥ y, the imaginary part of each number first; zeros are infinity.
fn second_group(bytes: &[u8]) -> Option<G2Affine> {
    let (x, y) = (
        Fq2::new(number(&bytes[32..64])?, number(&bytes[..32])?),
        Fq2::new(number(&bytes[96..])?, number(&bytes[64..96])?),
    );
    if x == Fq2::default() && y == Fq2::default() {
        return Some(G2Affine::zero());
    }
    Some(G2Affine::new_unchecked(x, y))
        .filter(|point| point.is_on_curve() && point.is_in_correct_subgroup_assuming_on_curve())
}

/// A big-endian number below the prime of the field.
fn number(bytes: &[u8]) -> Option<Fq> {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().rev().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_be_bytes(*bytes);
    }
    Fq::from_bigint(BigInt::new(limbs))
}

#[cfg(test)]
mod tests {
    use revm_precompile::{Crypto, DefaultCrypto};
    use rhizome_primitives::hex;
    use rhizome_primitives::rules::Rule;

    use super::super::interrupt_tests::{InterruptedAt, Uninterrupted};
    use super::*;

    /// Generators, and minus that of the first group.
    const FIRST: [u8; 64] = hex!(
        "00000000000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000002"
    );
    const MINUS_FIRST: [u8; 64] = hex!(
        "000000000000000000000000000000000000000000000000000000000000000130644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd45"
    );
    const SECOND: [u8; 128] = hex!(
        "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
    );

    fn pair(first: &[u8], second: &[u8]) -> Vec<u8> {
        [first, second].concat()
    }

    fn answer(input: &[u8]) -> Option<bool> {
        let rules: RuleSet = [Rule::Rskip197].into_iter().collect();
        let output = run(rules, &Uninterrupted, Some(input)).ok()?;
        output.map(|word| word[31] == 1)
    }

    /// The result of revm, which takes all pairs at once.
    fn expected(input: &[u8]) -> Option<bool> {
        let pairs: Vec<(&[u8], &[u8])> = input.chunks(PAIR_BYTES).map(|pair| pair.split_at(64)).collect();
        DefaultCrypto.bn254_pairing_check(&pairs).ok()
    }

    #[test]
    fn agrees_with_the_whole_product() {
        let (one, minus) = (pair(&FIRST, &SECOND), pair(&MINUS_FIRST, &SECOND));
        let infinity = pair(&[0; 64], &SECOND);
        let (mut off_curve, mut off_group, mut too_large) = (one.clone(), one.clone(), one.clone());
        off_curve[63] ^= 1;
        off_group[191] ^= 1;
        too_large[..32].fill(0xff);
        for input in [
            Vec::new(),
            one.clone(),
            [one.clone(), minus.clone()].concat(),
            infinity.clone(),
            pair(&FIRST, &[0; 128]),
            vec![0; PAIR_BYTES],
            off_curve.clone(),
            off_group.clone(),
            too_large,
            // More pairs than are multiplied together, with and without remainder.
            [one.clone(), minus.clone()].concat().repeat(STEP_PAIRS),
            [one.repeat(STEP_PAIRS), minus.repeat(STEP_PAIRS - 1)].concat(),
            [one.repeat(STEP_PAIRS + 1), minus.repeat(STEP_PAIRS), minus, infinity].concat(),
            [one.repeat(STEP_PAIRS), off_curve].concat(),
            [one.repeat(STEP_PAIRS), off_group].concat(),
        ] {
            assert_eq!(answer(&input), expected(&input), "{} pairs", input.len() / PAIR_BYTES);
        }
        assert_eq!(answer(&[one, vec![0]].concat()), None);
    }

    #[test]
    fn many_pairings_end_while_they_are_multiplied() {
        let input = pair(&FIRST, &SECOND).repeat(3 * STEP_PAIRS);
        let state = InterruptedAt::look(2);
        assert!(matches!(run(RuleSet::NONE, &state, Some(&input)), Err(ContractError::Interrupted)));
        assert_eq!(state.looks(), 2);
    }
}
