//! Conversion of states from before the line of the table of the newest state.

use napi_derive::napi;
use rhizome_store::CheckProgress;

use crate::byte_array::Uint8Array;
use crate::bytes;
use crate::errors::{Result, state};
use crate::store::StateStore;

/// Progress of the conversion.
#[napi(object)]
pub struct OlderProgress {
    /// Number of the lowest block that was not to be converted.
    pub top: i64,
    /// Number of the lowest block whose state is converted.
    pub low: i64,
    /// True while a thread goes on.
    pub is_under_way: bool,
}

/// Converted states that were found to be right.
#[napi(object)]
pub struct OlderReport {
    /// Blocks that were compared with their parents.
    pub blocks: i64,
    /// Changes in them.
    pub changes: i64,
}

#[napi]
impl StateStore {
    /// True when values of the state under this root are there without its trie: on the line, or converted.
    #[napi(catch_unwind)]
    pub fn has_values(&self, root: Uint8Array) -> Result<bool> {
        self.inner.has_values(&bytes::hash("root", &root)?).map_err(state)
    }

    /// Has a thread convert the states from before the line, of the branch that ends with this block.
    #[napi(catch_unwind)]
    pub fn start_conversion(&self, head: Uint8Array) -> Result<()> {
        self.inner.start_conversion(bytes::hash("head", &head)?);
        Ok(())
    }

    /// Converts all of them on this thread, for tests and tools.
    #[napi(catch_unwind)]
    pub fn convert_older(&self, head: Uint8Array) -> Result<()> {
        self.inner.convert(bytes::hash("head", &head)?, None).map_err(state)
    }

    /// Progress of the conversion; null where there was nothing to convert.
    #[napi(catch_unwind)]
    pub fn older_progress(&self) -> Result<Option<OlderProgress>> {
        let progress = self.inner.older_progress().map_err(state)?;
        Ok(progress.map(|progress| OlderProgress {
            top: progress.top as i64,
            low: progress.low as i64,
            is_under_way: progress.is_under_way,
        }))
    }

    /// Compares converted states with the tries; throws at the first difference. Null where there are none.
    #[napi(catch_unwind)]
    pub fn check_older(&self) -> Result<Option<OlderReport>> {
        let report = self.inner.check_older(&CheckProgress::default()).map_err(state)?;
        Ok(report.map(|report| OlderReport { blocks: report.blocks as i64, changes: report.changes as i64 }))
    }
}
