//! The precompiled contracts that Ethereum has too, with the prices and input rules of this network (evm.md §4.2), and
//! RSKIP516's secp256k1 arithmetic.
//!
//! Every module has the pure functions `gas(rules, input)` and `run(rules, input)`. An input of None is the absent data
//! of a transaction; a result of `Ok(None)` is the reference's null, which a calling contract sees as a failure.
//! Modules whose input is truncated since RSKIP516 have `MAX_INPUT`; `run` itself never truncates where the reference
//! does not.

pub(crate) mod blake2f;
pub(crate) mod bn128_add;
pub(crate) mod bn128_mul;
pub(crate) mod bn128_pairing;
pub(crate) mod ecrecover;
pub(crate) mod identity;
pub(crate) mod modexp;
pub(crate) mod ripemd160;
pub(crate) mod secp256k1_add;
pub(crate) mod secp256k1_mul;
pub(crate) mod sha256;

#[cfg(test)]
mod interrupt_tests;
mod small_power;

use rhizome_primitives::Bytes;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::{Rule, RuleSet};

/// `base + per_word · ceil(length / 32)`; an absent input has no length.
fn gas_per_word(input: Option<&[u8]>, base: u64, per_word: u64) -> u64 {
    base + per_word * input.map_or(0, |input| input.len().div_ceil(32)) as u64
}

/// The first `N` bytes of the input, padded with zeros.
fn padded<const N: usize>(input: Option<&[u8]>) -> [u8; N] {
    let mut bytes = [0; N];
    let input = input.unwrap_or_default();
    let length = input.len().min(N);
    bytes[..length].copy_from_slice(&input[..length]);
    bytes
}

/// The result of a failing bn128 contract: before RSKIP197 a contract cannot fail, and the output is empty.
fn bn128_failure(rules: RuleSet, reason: impl std::fmt::Display) -> Result<Option<Bytes>, ContractError> {
    if rules.active(Rule::Rskip197) {
        return Err(ContractError::Failed(reason.to_string()));
    }
    Ok(Some(Bytes::new()))
}
