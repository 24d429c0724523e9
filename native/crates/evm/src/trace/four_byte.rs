//! `4byteTracer`: how often each function selector was called, with the size of its arguments. As in geth, calls of
//! precompiled contracts and creations do not count.

use std::collections::BTreeMap;

use rhizome_primitives::state::StateError;

use super::json::JsonWriter;
use super::options::TraceError;
use super::traced::{Traced, Tracing};
use super::{FrameEntry, Inspector, Target};
use crate::journal::Journal;

const SELECTOR: usize = 4;

/// Counts selectors.
#[derive(Default)]
pub(crate) struct FourByteTracer {
    counts: BTreeMap<([u8; SELECTOR], usize), u64>,
}

impl Inspector for FourByteTracer {
    const STEPS: bool = false;
    const FRAMES: bool = true;

    fn enter(&mut self, entry: &FrameEntry, _journal: &mut Journal) -> Result<(), StateError> {
        if !entry.kind.is_create()
            && entry.target != Target::Precompile
            && let Some((selector, arguments)) = entry.input.split_first_chunk::<SELECTOR>()
        {
            *self.counts.entry((*selector, arguments.len())).or_default() += 1;
        }
        Ok(())
    }
}

impl Tracing for FourByteTracer {
    fn finish(self, _traced: &Traced<'_>, _journal: &mut Journal, max_bytes: usize) -> Result<Vec<String>, TraceError> {
        let mut json = JsonWriter::default();
        json.raw("{");
        let mut first = true;
        for ((selector, size), count) in &self.counts {
            json.separate(&mut first);
            json.raw("\"0x");
            json.digits(selector);
            json.raw("-");
            json.number(*size as u64);
            json.raw("\":");
            json.number(*count);
        }
        json.raw("}");
        if json.len() > max_bytes {
            return Err(TraceError::TooLarge(max_bytes));
        }
        Ok(vec![json.into_string()])
    }
}
