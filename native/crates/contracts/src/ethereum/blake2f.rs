//! `0x…09`: the compression function of BLAKE2b (RSKIP153, EIP-152).

use revm_precompile::{Crypto, DefaultCrypto};
use rhizome_primitives::Bytes;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};

/// rounds 4 ∥ h 64 ∥ m 128 ∥ t 16 ∥ final flag 1.
pub(crate) const MAX_INPUT: usize = 213;

/// One gas per round; an input of another length is free.
pub(crate) fn gas(rules: RuleSet, input: Option<&[u8]>) -> Result<u64, ContractError> {
    Ok(parameters(rules, input)?.map_or(0, |input| u64::from(rounds(input))))
}

/// # Errors
/// [`ContractError::Interrupted`] before the rounds start, which take about 8 ns each.
pub(crate) fn run(
    rules: RuleSet,
    state: &dyn ContractState,
    input: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    let failed = |reason: &str| ContractError::Failed(reason.to_owned());
    let input = parameters(rules, input)?.ok_or_else(|| failed("the input must have 213 bytes"))?;
    let is_final = match input[212] {
        0 => false,
        1 => true,
        _ => return Err(failed("the final flag must be 0 or 1")),
    };
    state.go_on()?;
    let mut hash: [u64; 8] = words(&input[4..68]);
    DefaultCrypto.blake2_compress(
        rounds(input),
        &mut hash,
        &words(&input[68..196]),
        &words(&input[196..212]),
        is_final,
    );
    Ok(Some(hash.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>().into()))
}

/// The input, if it has the right length. An absent input is an error until RSKIP552.
fn parameters(rules: RuleSet, input: Option<&[u8]>) -> Result<Option<&[u8; MAX_INPUT]>, ContractError> {
    if input.is_none() && !rules.active(Rule::Rskip552) {
        return Err(ContractError::Failed("absent input".to_owned()));
    }
    Ok(input.and_then(|input| input.try_into().ok()))
}

fn rounds(input: &[u8; MAX_INPUT]) -> u32 {
    u32::from_be_bytes([input[0], input[1], input[2], input[3]])
}

/// Little-endian words.
fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    std::array::from_fn(|index| {
        bytes[8 * index..8 * (index + 1)].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    })
}
