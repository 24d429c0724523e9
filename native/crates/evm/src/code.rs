//! Analysed code: jump destinations, the 0xFC header, and the cache that all threads share.
#![allow(unsafe_code, reason = "revm takes the analysis on trust")]

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use revm_bytecode::{Bytecode, JumpTable, opcode};
use rhizome_primitives::{B256, Bytes};

use crate::maps::HashMap;

/// First byte of code with a header (evm.md §2.5).
const HEADER: u8 = 0xfc;
/// Zero bytes appended to the code: the longest PUSH at its very end, the byte that DUPN skips, and a STOP.
const PADDING: usize = 34;
/// Bytes of analysed code in the cache. A mainnet block touches well below a megabyte of distinct code; 64 MiB hold
/// every contract that is called regularly.
const CACHE_BYTES: usize = 64 << 20;

/// Code ready to run.
#[derive(Debug)]
pub struct Code {
    /// The code as stored.
    pub bytes: Bytes,
    /// Its Keccak-256.
    pub hash: B256,
    analysis: Bytecode,
    start: usize,
}

impl Code {
    /// Analyses code whose hash is known.
    pub fn new(bytes: Bytes, hash: B256) -> Self {
        let (analysis, start) = analyse(&bytes);
        Self { bytes, hash, analysis, start }
    }

    /// The bytecode for the interpreter and the first program counter; None when the header points
    /// beyond the end of the code, which halts at once.
    pub(crate) fn entry(&self) -> Option<(Bytecode, usize)> {
        (self.start < self.bytes.len()).then(|| (self.analysis.clone(), self.start))
    }
}

/// Analyses initcode for a single run; returns the entry as [`Code::entry`] does.
pub(crate) fn initcode_entry(bytes: &Bytes) -> Option<(Bytecode, usize)> {
    let (analysis, start) = analyse(bytes);
    (start < bytes.len()).then_some((analysis, start))
}

/// Program counter at which execution and the search for jump destinations start.
fn start(code: &[u8]) -> usize {
    match code {
        [HEADER, _, _, extension, ..] => 4 + usize::from(*extension),
        _ => 0,
    }
}

fn analyse(code: &Bytes) -> (Bytecode, usize) {
    let start = start(code);
    let mut jumps = vec![0u8; code.len().div_ceil(8)];
    let mut at = start;
    while let Some(&byte) = code.get(at) {
        match byte {
            opcode::JUMPDEST => jumps[at >> 3] |= 1 << (at & 7),
            opcode::PUSH1..=opcode::PUSH32 => at += usize::from(byte - opcode::PUSH1) + 1,
            _ => {}
        }
        at += 1;
    }
    let mut padded = Vec::with_capacity(code.len() + PADDING);
    padded.extend_from_slice(code);
    padded.resize(code.len() + PADDING, opcode::STOP);
    let table = JumpTable::from_slice(&jumps, code.len());
    // SAFETY: 34 zero bytes follow the code: a PUSH32 in its last byte reads 32 of them and the next
    // instruction is a STOP, and DUPN there skips one. Jump destinations lie within the code.
    let analysis = unsafe { Bytecode::new_analyzed(padded.into(), code.len(), table) };
    (analysis, start)
}

/// Two generations of entries: when the recent one is full, the old one is dropped and the recent one becomes old. An
/// entry that is used moves back to the recent one.
#[derive(Default)]
struct Generations {
    recent: HashMap<B256, Arc<Code>>,
    old: HashMap<B256, Arc<Code>>,
    recent_bytes: usize,
}

impl Generations {
    fn insert(&mut self, code: Arc<Code>) {
        // Analysed code holds the bytes twice and a bit for each; the map entry is the rest.
        let size = code.bytes.len() * 2 + 256;
        if self.recent_bytes + size > CACHE_BYTES / 2 {
            self.old = std::mem::take(&mut self.recent);
            self.recent_bytes = 0;
        }
        if self.recent.insert(code.hash, code).is_none() {
            self.recent_bytes += size;
        }
    }
}

static CACHE: LazyLock<Mutex<Generations>> = LazyLock::new(Mutex::default);

fn lock() -> MutexGuard<'static, Generations> {
    // The map is consistent between any two calls, so a panic elsewhere does not corrupt it.
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The analysed code with this hash, loaded by `load` when it is not in the cache.
pub(crate) fn cached<E>(hash: B256, load: impl FnOnce() -> Result<Bytes, E>) -> Result<Arc<Code>, E> {
    {
        let mut cache = lock();
        if let Some(code) = cache.recent.get(&hash) {
            return Ok(code.clone());
        }
        if let Some(code) = cache.old.remove(&hash) {
            cache.insert(code.clone());
            return Ok(code);
        }
    }
    let code = Arc::new(Code::new(load()?, hash));
    lock().insert(code.clone());
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_moves_the_start_and_hides_destinations_before_it() {
        let code = Bytes::from_static(&[0xfc, 0, 0, 2, 0x5b, 0x5b, 0x5b]);
        let (analysis, start) = initcode_entry(&code).expect("starts inside");
        assert_eq!(start, 6);
        let table = analysis.legacy_jump_table().expect("analysed");
        assert!(!table.is_valid(4) && !table.is_valid(5) && table.is_valid(6));
        assert!(initcode_entry(&Bytes::from_static(&[0xfc, 0, 0, 0xff, 0x60])).is_none());
        assert!(initcode_entry(&Bytes::from_static(&[0xfc, 0, 0])).is_some_and(|(_, start)| start == 0));
    }

    #[test]
    fn push_data_holds_no_destination() {
        let (analysis, _) = initcode_entry(&Bytes::from_static(&[0x60, 0x5b, 0x5b])).expect("starts inside");
        let table = analysis.legacy_jump_table().expect("analysed");
        assert!(!table.is_valid(1) && table.is_valid(2) && !table.is_valid(3));
    }
}
