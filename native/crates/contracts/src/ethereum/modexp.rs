//! `0x…05`: modular exponentiation, priced as in EIP-198 (evm.md §4.2 and §8).

use std::borrow::Cow;

use num_bigint::BigUint;
use revm_precompile::{Crypto, DefaultCrypto};
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::{Bytes, U256};

use super::small_power::small_power;

/// Offset of base, exponent and modulus, which follow their three lengths.
const ARGUMENTS_AT: u32 = 96;

/// Lengths and offsets are the reference's signed 32-bit numbers.
const MAX_LENGTH: u32 = i32::MAX as u32;

/// Number of leading exponent bytes whose value enters the price.
const PRICED_EXPONENT_BYTES: u32 = 32;

const GAS_DIVISOR: u128 = 20;

/// Number of word products between two checks for an interrupt, and the fixed cost of a multiplication in word
/// products.
const STEP_PRODUCTS: usize = 8_000_000;
const CALL_PRODUCTS: usize = 16;

/// At most 2^63-1, where the reference's gas saturates.
pub(crate) fn gas(_rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    let input = input.unwrap_or_default();
    let [base, exponent, modulus] = lengths(input);
    let head = offset(ARGUMENTS_AT, base)
        .map_or(Cow::default(), |at| argument(input, at, exponent.min(PRICED_EXPONENT_BYTES)));
    let complexity = multiplication_complexity(u64::from(base.max(modulus)));
    let price = u128::from(complexity) * u128::from(adjusted_exponent_length(&head, exponent).max(1)) / GAS_DIVISOR;
    Ok(u64::try_from(price).unwrap_or(u64::MAX).min(i64::MAX as u64))
}

/// # Errors
/// [`ContractError::Interrupted`]
pub(crate) fn run(state: &dyn ContractState, input: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    state.go_on()?;
    power(state, input.unwrap_or_default()).map(Some)
}

/// The output: empty when an offset overflows.
fn power(state: &dyn ContractState, input: &[u8]) -> Result<Bytes, ContractError> {
    let [base_length, exponent_length, modulus_length] = lengths(input);
    if base_length == 0 && modulus_length == 0 {
        return Ok(Bytes::new());
    }
    let Some(exponent_at) = offset(ARGUMENTS_AT, base_length) else { return Ok(Bytes::new()) };
    let Some(modulus_at) = offset(exponent_at, exponent_length) else { return Ok(Bytes::new()) };
    let modulus = argument(input, modulus_at, modulus_length);
    let mut output = vec![0; modulus_length as usize];
    let significant_modulus = significant(&modulus);
    // The result is zero for a modulus of zero or one; libraries also get the case of one wrong.
    if !matches!(significant_modulus, [] | [1]) {
        let base = argument(input, ARGUMENTS_AT, base_length);
        let exponent = argument(input, exponent_at, exponent_length);
        let power = raise(state, significant(&base), significant(&exponent), significant_modulus)?;
        let power = significant(&power);
        let start = output.len() - power.len();
        output[start..].copy_from_slice(power);
    }
    Ok(output.into())
}

/// base^exponent mod a modulus above one; arguments without leading zeros.
fn raise(state: &dyn ContractState, base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Vec<u8>, ContractError> {
    let step = step_length(modulus.len());
    Ok(match (base, exponent) {
        (_, []) => vec![1],
        ([], _) => Vec::new(),
        _ if modulus.len() <= 4 => {
            let modulus = modulus.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            small_power(base, exponent, modulus).to_be_bytes().to_vec()
        }
        _ if state.is_interruptible() && exponent.len() > step => raise_in_steps(state, base, exponent, modulus, step)?,
        _ => raise_at_once(base, exponent, modulus),
    })
}

fn raise_at_once(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
    // The default implementation has no failure; the fallback only satisfies its type.
    DefaultCrypto.modexp(base, exponent, modulus).unwrap_or_default()
}

/// Like [`raise_at_once`], but processes `step` bytes of the exponent at a time and can be interrupted between them. It
/// takes up to twice as long, because the power so far is raised for the bytes that follow.
fn raise_in_steps(
    state: &dyn ContractState,
    base: &[u8],
    exponent: &[u8],
    modulus: &[u8],
    step: usize,
) -> Result<Vec<u8>, ContractError> {
    let divisor = BigUint::from_bytes_be(modulus);
    let mut power = vec![1];
    for bytes in exponent.chunks(step) {
        state.go_on()?;
        let mut shift = vec![0; bytes.len() + 1];
        shift[0] = 1;
        let before = BigUint::from_bytes_be(&raise_at_once(significant(&power), &shift, modulus));
        state.go_on()?;
        let factor = BigUint::from_bytes_be(&raise_at_once(base, significant(bytes), modulus));
        power = (before * factor % &divisor).to_bytes_be();
    }
    Ok(power)
}

/// Number of exponent bytes that take some 10 ms.
fn step_length(modulus_length: usize) -> usize {
    let words = modulus_length.div_ceil(8);
    (STEP_PRODUCTS / (8 * (words * words + CALL_PRODUCTS))).max(1)
}

/// Lengths of base, exponent and modulus, capped at 2^31-1.
fn lengths(input: &[u8]) -> [u32; 3] {
    std::array::from_fn(|index| {
        let word = argument(input, 32 * index as u32, 32);
        let value = U256::try_from_be_slice(&word).unwrap_or(U256::MAX);
        u32::try_from(value).unwrap_or(MAX_LENGTH).min(MAX_LENGTH)
    })
}

fn offset(at: u32, length: u32) -> Option<u32> {
    at.checked_add(length).filter(|end| *end <= MAX_LENGTH)
}

/// `length` bytes from `at`, padded with zeros where the input ends; empty when all of them lie behind its end.
fn argument(input: &[u8], at: u32, length: u32) -> Cow<'_, [u8]> {
    let (at, length) = (at as usize, length as usize);
    let present = input.get(at..).unwrap_or_default();
    if present.is_empty() {
        return Cow::default();
    }
    match present.get(..length) {
        Some(whole) => whole.into(),
        None => {
            let mut bytes = present.to_vec();
            bytes.resize(length, 0);
            bytes.into()
        }
    }
}

fn significant(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..]
}

fn multiplication_complexity(length: u64) -> u64 {
    let square = length * length;
    match length {
        0..=64 => square,
        65..=1024 => square / 4 + 96 * length - 3072,
        _ => square / 16 + 480 * length - 199_680,
    }
}

/// Index of the exponent's highest set bit, as far as its first 32 bytes determine it.
fn adjusted_exponent_length(head: &[u8], length: u32) -> u64 {
    let head = significant(head);
    let bits = head.first().map_or(0, |first| 8 * head.len() as u64 - u64::from(first.leading_zeros()));
    bits.saturating_sub(1) + 8 * u64::from(length.saturating_sub(PRICED_EXPONENT_BYTES))
}

#[cfg(test)]
mod tests {
    use super::super::interrupt_tests::{InterruptedAt, Uninterrupted};
    use super::*;

    fn input(lengths: [u64; 3], arguments: &[u8]) -> Vec<u8> {
        let words = lengths.into_iter().flat_map(|length| U256::from(length).to_be_bytes::<32>());
        words.chain(arguments.iter().copied()).collect()
    }

    fn output(input: &[u8]) -> Bytes {
        run(&Uninterrupted, Some(input)).expect("never fails").expect("never null")
    }

    fn price(input: &[u8]) -> u64 {
        gas(RuleSet::NONE, Some(input)).expect("never fails")
    }

    #[test]
    fn small_powers() {
        for (base, exponent, modulus) in
            [(3u64, 5u32, 7u64), (0, 0, 5), (0, 3, 5), (9, 0, 5), (5, 3, 1), (5, 3, 0), (200, 8, 250)]
        {
            let expected = if modulus == 0 { 0 } else { base.pow(exponent) % modulus };
            let bytes = input([1, 1, 2], &[base as u8, exponent as u8, 0, modulus as u8]);
            assert_eq!(output(&bytes)[..], [0, expected as u8], "{base} {exponent} {modulus}");
        }
        assert!(output(&input([0, 5, 0], &[1; 5])).is_empty());
    }

    #[test]
    fn an_exponent_partly_past_the_data_is_padded() {
        // 2^(0x0300) mod 251: the second exponent byte is missing; the modulus lies entirely outside.
        assert_eq!(output(&input([1, 2, 1], &[2, 3]))[..], [0]);
        assert_eq!(price(&input([8, 2, 8], &[0, 0, 0, 0, 0, 0, 0, 2, 3])), 64 * 9 / 20);
        assert_eq!(price(&input([8, 2, 8], &[0, 0, 0, 0, 0, 0, 0, 2])), 64 / 20);
    }

    #[test]
    fn offsets_that_overflow_leave_nothing() {
        assert!(output(&input([u64::MAX, 1, 1], &[1])).is_empty());
        assert!(output(&input([1, u64::from(MAX_LENGTH) - 96, 1], &[1])).is_empty());
    }

    /// Numbers of the given length whose first and last byte are not zero.
    fn number(length: usize, seed: u8) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            (0..length).map(|index| (index as u8).wrapping_mul(151).wrapping_add(seed) ^ (index >> 8) as u8).collect();
        bytes[0] |= 0x80;
        bytes
    }

    #[test]
    fn steps_come_to_the_same() {
        let moduli = [number(5, 1), number(9, 2), number(32, 3), number(40, 4), [number(8, 5), vec![0; 24]].concat()];
        for modulus in moduli {
            for step in [1, 2, 7, 32] {
                // A base above the modulus, one below, and the modulus itself, whose powers are zero.
                for base in [number(48, 7), number(3, 8), modulus.clone()] {
                    let mut exponent = number(70, 9);
                    exponent[20..52].fill(0);
                    let stepped = raise_in_steps(&Uninterrupted, &base, &exponent, &modulus, step).expect("goes on");
                    let whole = raise_at_once(&base, &exponent, &modulus);
                    assert_eq!(significant(&stepped), significant(&whole), "{modulus:?} {step}");
                }
            }
        }
    }

    #[test]
    fn a_long_power_ends_while_it_is_raised() {
        let (length, exponent_length) = (64, 40_000);
        let lengths = [length, exponent_length, length].map(|length| length as u64);
        let arguments = [number(length, 1), number(exponent_length, 2), number(length, 3)].concat();
        let data = input(lengths, &arguments);
        let steps = exponent_length.div_ceil(step_length(length));
        assert!(steps > 2);
        let state = InterruptedAt::look(4);
        assert!(matches!(run(&state, Some(&data)), Err(ContractError::Interrupted)));
        assert_eq!(state.looks(), 4);
    }

    #[test]
    fn prices_saturate() {
        assert_eq!(price(&input([u64::MAX, u64::MAX, u64::MAX], &[])), i64::MAX as u64);
    }
}
