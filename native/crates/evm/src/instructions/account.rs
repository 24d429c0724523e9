//! BALANCE, SELFBALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH.

use rhizome_primitives::U256;
use rhizome_primitives::account::EMPTY_CODE_HASH;

use super::memory::{Range, expansion, grow, words};
use super::{Context, Step, charge, low_address, pop, push};
use rhizome_contracts::Precompile;

pub(crate) fn balance(context: Context<'_>) -> Step {
    let [word] = pop(context.interpreter)?;
    let balance = context.host.journal.balance(low_address(word).into()).map_err(|error| context.host.failed(error))?;
    push(context.interpreter, balance.word())
}

/// RSKIP151.
pub(crate) fn self_balance(context: Context<'_>) -> Step {
    let address = context.interpreter.input.target_address;
    let balance = context.host.journal.balance(address.into()).map_err(|error| context.host.failed(error))?;
    push(context.interpreter, balance.word())
}

/// EXTCODESIZE; 2^256-1 for a precompiled contract (RSKIP90).
pub(crate) fn code_size(context: Context<'_>) -> Step {
    let [word] = pop(context.interpreter)?;
    let host = context.host;
    let length = host.journal.code_length(low_address(word).into()).map_err(|error| host.failed(error))?;
    let precompiled = host.rules.precompile_code_size && Precompile::lookup(word, host.rules.set).is_some();
    push(context.interpreter, if precompiled { U256::MAX } else { U256::from(length) })
}

pub(crate) fn code_copy(context: Context<'_>) -> Step {
    let machine = context.interpreter;
    let [word, memory_offset, code_offset, size] = pop(machine)?;
    let range = Range::new(memory_offset, size)?;
    charge(machine, 3 * words(range.size) + expansion(machine, range.end()))?;
    let host = context.host;
    let code = host.journal.code(low_address(word).into()).map_err(|error| host.failed(error))?;
    if range.size > 0 {
        grow(machine, range.end());
        let from = usize::try_from(code_offset).unwrap_or(usize::MAX);
        let bytes = code.as_ref().map_or(&[][..], |code| &code.bytes);
        machine.memory.set_data(range.offset, from.min(bytes.len()), range.size, bytes);
    }
    Ok(())
}

/// EXTCODEHASH (RSKIP140, RSKIP169; evm.md §5.2).
pub(crate) fn code_hash(context: Context<'_>) -> Step {
    let [word] = pop(context.interpreter)?;
    let host = context.host;
    let hash = if Precompile::lookup(word, host.rules.set).is_some() {
        EMPTY_CODE_HASH
    } else {
        let standard = host.rules.standard_code_hash;
        host.journal.code_hash(low_address(word).into(), standard).map_err(|error| host.failed(error))?
    };
    push(context.interpreter, U256::from_be_bytes(hash.0))
}
