//! Recognises the kind of a redeem script by its elements (bridge.md §3.4).

use crate::script::opcode::{OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_ELSE, OP_ENDIF, OP_NOTIF};
use crate::script::{Chunk, ScriptError};

/// Threshold, one key, number of keys, check.
const MIN_CHUNKS: usize = 4;

/// Length of the data that a fly-over prefix pushes.
const DERIVATION_HASH_BYTES: usize = 32;

/// True when the script ends like a redeem script: with a check of several keys, which the end of a branch may follow.
pub(super) fn ends_like_one(chunks: &[Chunk<'_>]) -> bool {
    if chunks.len() < MIN_CHUNKS {
        return false;
    }
    match chunks {
        [.., last] if last.is_multisig_check() => true,
        [.., before, last] => last.is(OP_ENDIF) && before.is_multisig_check(),
        _ => false,
    }
}

/// The elements after the prefix of a fly-over.
pub(super) fn without_flyover_prefix<'c, 'a>(chunks: &'c [Chunk<'a>]) -> Option<&'c [Chunk<'a>]> {
    let [hash, drop, rest @ ..] = chunks else { return None };
    let pushes_hash = usize::from(hash.opcode) == DERIVATION_HASH_BYTES;
    (pushes_hash && drop.is(OP_DROP) && ends_like_one(rest)).then_some(rest)
}

/// True when the elements are threshold, keys, number of keys and check.
pub(super) fn is_multisig(chunks: &[Chunk<'_>]) -> Result<bool, ScriptError> {
    if !ends_like_one(chunks) {
        return Ok(false);
    }
    let [threshold, keys @ .., count, check] = chunks else { return Ok(false) };
    if !check.is_multisig_check() {
        return Ok(false);
    }
    // The number of keys is only read if the threshold is a number: an empty push throws.
    if positive(threshold)?.is_none() {
        return Ok(false);
    }
    let Some(count) = positive(count)? else { return Ok(false) };
    Ok(i64::from(count) == keys.len() as i64 && !keys.iter().any(Chunk::is_opcode))
}

fn positive(chunk: &Chunk<'_>) -> Result<Option<i32>, ScriptError> {
    match chunk.positive_number() {
        Ok(number) => Ok(Some(number)),
        Err(ScriptError::Argument(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The default and the emergency branch of a script with two branches: between its first element and the last `tail`
/// ones are `default ELSE delay CHECKSEQUENCEVERIFY DROP emergency`.
fn branches<'c, 'a>(chunks: &'c [Chunk<'a>], tail: usize) -> Result<Option<Branches<'c, 'a>>, ScriptError> {
    let opens = chunks.first().is_some_and(|first| first.is(OP_NOTIF));
    let closes = chunks.len().checked_sub(tail).and_then(|at| chunks.get(at)).is_some_and(|chunk| chunk.is(OP_ENDIF));
    if !opens || !closes {
        return Ok(None);
    }
    let with_two_behind = |at: &usize| chunks.len() >= at + 3;
    let Some(at) = (1..chunks.len()).find(|at| chunks[*at].is(OP_ELSE) && with_two_behind(at)) else {
        return Ok(None);
    };
    // The reference reads three elements after ELSE although it checked for two only.
    let Some([delay, check, drop]) = chunks.get(at + 1..at + 4) else {
        return Err(ScriptError::Other("the script ends behind ELSE"));
    };
    if !delay.is_push() || !check.is(OP_CHECKSEQUENCEVERIFY) || !drop.is(OP_DROP) {
        return Ok(None);
    }
    let emergency = chunks.get(at + 4..chunks.len() - tail);
    let emergency = emergency.ok_or(ScriptError::Argument("no room for an emergency branch"))?;
    Ok(Some(Branches { default: &chunks[1..at], emergency }))
}

struct Branches<'c, 'a> {
    default: &'c [Chunk<'a>],
    emergency: &'c [Chunk<'a>],
}

/// The default branch of `NOTIF multisig ELSE … multisig ENDIF`.
pub(super) fn p2sh_erp_default<'a>(chunks: &[Chunk<'a>]) -> Result<Option<Vec<Chunk<'a>>>, ScriptError> {
    if !ends_like_one(chunks) {
        return Ok(None);
    }
    let Some(Branches { default, emergency }) = branches(chunks, 1)? else { return Ok(None) };
    Ok((is_multisig(default)? && is_multisig(emergency)?).then(|| default.to_vec()))
}

/// The default branch of `NOTIF keys ELSE … keys ENDIF CHECKMULTISIG`, with a check of its own.
pub(super) fn non_standard_erp_default<'a>(chunks: &[Chunk<'a>]) -> Result<Option<Vec<Chunk<'a>>>, ScriptError> {
    if !ends_like_one(chunks) {
        return Ok(None);
    }
    let Some(Branches { default, emergency }) = branches(chunks, 2)? else { return Ok(None) };
    let checked = |branch: &[Chunk<'a>]| {
        let mut branch = branch.to_vec();
        branch.push(Chunk::opcode(crate::script::opcode::OP_CHECKMULTISIG));
        branch
    };
    let default = checked(default);
    Ok((is_multisig(&default)? && is_multisig(&checked(emergency))?).then_some(default))
}
