//! What a state store keeps beside its newest state: the log of nodes, and the line of earlier states.

use napi_derive::napi;
use rhizome_store::{CheckProgress, HeadPhase};

use crate::byte_array::Uint8Array;
use crate::bytes;
use crate::errors::{Result, invalid, state};
use crate::store::StateStore;

/// A line of earlier states that was found to be right.
#[napi(object)]
pub struct LineReport {
    /// Steps with a record: states before the newest one that can be read.
    pub steps: i64,
    /// Changes in the records.
    pub changes: i64,
    /// Changes in the table of history.
    pub indexed: i64,
}

/// Progress of the table of the head.
#[napi(object)]
pub struct HeadProgress {
    /// `ready`, `moving`, `sorting`, `merging`, or `noSpace` where it is to be made and cannot.
    #[napi(ts_type = "'ready' | 'moving' | 'sorting' | 'merging' | 'noSpace'")]
    pub phase: String,
    /// Part of the state that was moved or sorted, from 0 to 1.
    pub part: f64,
    /// Bytes that making it takes at most.
    pub needed: i64,
    /// Bytes that were left for it.
    pub available: i64,
}

/// The largest integer of JavaScript, for a state without nodes.
const MAX_POSITION: i64 = (1 << 53) - 1;

/// Sizes of the log of nodes.
#[napi(object)]
pub struct LogStats {
    /// Bytes of the log that are kept.
    pub log_bytes: i64,
    /// Those of them that are in files of their own.
    pub file_bytes: i64,
    /// Bytes that were given up since the store was made.
    pub dropped_bytes: i64,
    /// Reason why the last attempt to seal or to copy a part of it failed; null when it did not.
    pub fault: Option<String>,
}

/// Size of a table.
#[napi(object)]
pub struct TableSize {
    pub table: String,
    pub bytes: i64,
}

/// Sizes of the line of earlier states.
#[napi(object)]
pub struct HistoryStats {
    /// Earlier states that can be read.
    pub steps: i64,
    /// Bytes of their tables.
    pub bytes: i64,
}

#[napi]
impl StateStore {
    /// Keeps the states of so many blocks from now on, and gives up what only older ones have; null keeps all. Nothing
    /// is given up any more when it returns.
    #[napi(catch_unwind)]
    pub fn set_proofs(&self, blocks: Option<i64>) -> Result<()> {
        let blocks = blocks.map(|blocks| u64::try_from(blocks).map_err(invalid)).transpose()?;
        self.inner.set_proofs(blocks.map(rhizome_store::Proofs::of_blocks));
        Ok(())
    }

    /// Position of the log of nodes before which the state has no node; null when the state is not in the store.
    #[napi(catch_unwind)]
    pub fn floor(&self, root: Uint8Array) -> Result<Option<i64>> {
        let floor = self.inner.floor(&bytes::hash("root", &root)?).map_err(state)?;
        Ok(floor.map(|floor| i64::try_from(floor).unwrap_or(MAX_POSITION)))
    }

    /// Position of the log up to which nothing is needed, if this state and those that were made of it are all that is
    /// kept; null when that gives nothing up.
    #[napi(catch_unwind)]
    pub fn prunable(&self, root: Uint8Array) -> Result<Option<i64>> {
        let end = self.inner.prunable(&bytes::hash("root", &root)?).map_err(state)?;
        Ok(end.map(|end| end as i64))
    }

    /// Gives up the log before a position that `prunable` returned, durably. Returns the bytes; zero when it has to wait
    /// for a commit.
    #[napi(catch_unwind)]
    pub fn drop_before(&self, end: i64) -> Result<i64> {
        let dropped = self.inner.drop_before(u64::try_from(end).map_err(invalid)?).map_err(state)?;
        Ok(dropped as i64)
    }

    /// Seals what is due of the log and removes what is of no use, on this thread, for tests and tools.
    #[napi(catch_unwind)]
    pub fn settle_epochs(&self) -> Result<()> {
        self.inner.settle_epochs().map_err(state)
    }

    /// Reads the files of the log of nodes; throws for one that is no sequence of nodes.
    #[napi(catch_unwind)]
    pub fn check_log(&self) -> Result<()> {
        self.inner.check_log().map_err(state)
    }

    /// Sizes of the log of nodes, for metrics.
    #[napi(catch_unwind)]
    pub fn log_stats(&self) -> Result<LogStats> {
        let stats = self.inner.log_stats().map_err(state)?;
        Ok(LogStats {
            log_bytes: stats.log_bytes as i64,
            file_bytes: stats.file_bytes as i64,
            dropped_bytes: stats.dropped_bytes as i64,
            fault: stats.fault,
        })
    }

    /// Has the values of all states before this one given up, by a thread of the store. Returns the begin of the line of
    /// states at present, a number that grows as they are given up.
    #[napi(catch_unwind)]
    pub fn drop_history_before(&self, root: Uint8Array) -> Result<i64> {
        let begin = self.inner.drop_history_before(&bytes::hash("root", &root)?).map_err(state)?;
        Ok(begin as i64)
    }

    /// Has no values given up any more when it returns.
    #[napi(catch_unwind)]
    pub fn keep_history(&self) {
        self.inner.keep_history();
    }

    /// Gives up what is to be given up of earlier values, on this thread, for tests and tools.
    #[napi(catch_unwind)]
    pub fn settle_history(&self) -> Result<()> {
        self.inner.settle_history().map_err(state)
    }

    /// Sizes of the line of earlier states, for metrics.
    #[napi(catch_unwind)]
    pub fn history_stats(&self) -> Result<HistoryStats> {
        let stats = self.inner.history_stats().map_err(state)?;
        Ok(HistoryStats { steps: stats.steps as i64, bytes: stats.bytes as i64 })
    }

    /// Bytes of each table of the environment by its name, and what is free in its file, for metrics.
    #[napi(catch_unwind)]
    pub fn table_sizes(&self) -> Result<Vec<TableSize>> {
        let sizes = self.inner.table_sizes().map_err(state)?;
        Ok(sizes.into_iter().map(|(table, bytes)| TableSize { table: table.into(), bytes: bytes as i64 }).collect())
    }

    /// True when the table of the head has the state under a root, as its own or as an earlier one of its line.
    #[napi(catch_unwind)]
    pub fn has_on_line(&self, root: Uint8Array) -> Result<bool> {
        self.inner.has_on_line(&bytes::hash("root", &root)?).map_err(state)
    }

    /// Compares the states of that line and its records with the tries; throws at the first difference. Null where the
    /// table stands for no state at present.
    #[napi(catch_unwind)]
    pub fn check_line(&self) -> Result<Option<LineReport>> {
        let report = self.inner.check_line(&CheckProgress::default()).map_err(state)?;
        Ok(report.map(|report| LineReport {
            steps: report.steps as i64,
            changes: report.changes as i64,
            indexed: report.indexed as i64,
        }))
    }

    /// Progress of the table of the head.
    #[napi(catch_unwind)]
    pub fn head_progress(&self) -> HeadProgress {
        let progress = self.inner.head_progress();
        let phase = match progress.phase {
            HeadPhase::Ready => "ready",
            HeadPhase::Moving => "moving",
            HeadPhase::Sorting => "sorting",
            HeadPhase::Merging => "merging",
            HeadPhase::NoSpace => "noSpace",
        };
        HeadProgress {
            phase: phase.to_owned(),
            part: progress.part,
            needed: progress.needed as i64,
            available: progress.available as i64,
        }
    }
}
