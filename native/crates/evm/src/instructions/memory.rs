//! Memory: the price of a range, and growth. The price is computed from the real size of the memory, because a call may
//! be charged for more than it grows (RSKIP516, calls that are refused).

use revm_interpreter::InstructionResult;
use rhizome_primitives::U256;

use super::Machine;

/// Maximum bytes of memory of a frame: a range beyond is out of gas, whatever gas there is.
pub(crate) const MAX_MEMORY: usize = 1 << 30;

/// A range of memory within the limit; empty ranges start anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

impl Range {
    /// Checks the limit of 2^30 bytes.
    pub(crate) fn new(offset: U256, size: U256) -> Result<Self, InstructionResult> {
        if size.is_zero() {
            return Ok(Self::default());
        }
        let within = |word: U256| usize::try_from(word).ok().filter(|&value| value <= MAX_MEMORY);
        match (within(offset), within(size)) {
            (Some(offset), Some(size)) if offset + size <= MAX_MEMORY => Ok(Self { offset, size }),
            _ => Err(InstructionResult::MemoryLimitOOG),
        }
    }

    /// One past the last byte; 0 when empty.
    pub(crate) fn end(self) -> usize {
        self.offset + self.size
    }
}

/// Price of `words` words of memory.
fn price(words: usize) -> u64 {
    let words = words as u64;
    3 * words + words * words / 512
}

/// Price of growing the memory to `end` bytes.
pub(crate) fn expansion(machine: &Machine, end: usize) -> u64 {
    let words = end.div_ceil(32);
    let current = machine.memory.len() / 32;
    if words > current { price(words) - price(current) } else { 0 }
}

/// Grows the memory to `end` bytes. They must have been paid for.
pub(crate) fn grow(machine: &mut Machine, end: usize) {
    let words = end.div_ceil(32);
    if words * 32 > machine.memory.len() {
        machine.memory.resize(words * 32);
        // Built-in instructions price expansion from this record.
        let _ = machine.gas.memory_mut().set_words_num(words, price(words));
    }
}

/// Number of words that hold `bytes` bytes.
pub(crate) fn words(bytes: usize) -> u64 {
    bytes.div_ceil(32) as u64
}
