//! Checking the values from before the line against the tries, both ways.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use rhizome_primitives::state::StateError;
use rhizome_trie::Trie;
use rhizome_trie::keys::item_of;

use crate::ancestry::parent_of;
use crate::check::CheckProgress;
use crate::head_check::stop_if_cancelled;
use crate::head_move::item_value;
use crate::head_older::{encode_value, entry_key, item_prefix, split_entry};
use crate::lmdb::{Lmdb, Table};
use crate::lmdb_head::damaged;
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// Entries that are counted in one transaction.
const ENTRIES_AT_ONCE: usize = 10_000;

/// Values from before the line that were found to be those of the tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OlderReport {
    /// Blocks that were compared with their parents.
    pub blocks: u64,
    /// Their entries.
    pub changes: u64,
}

impl StateStore {
    /// Compares the trie after each converted block with its parent's: what differs has an entry with the earlier value,
    /// and there are no other entries. Blocks whose tries are gone are left out, with those below. None where nothing is
    /// converted, and where conversion goes on meanwhile or what is converted was given up.
    pub fn check_older(self: &Arc<Self>, progress: &CheckProgress) -> Result<Option<OlderReport>, StateError> {
        let Some((lmdb, older)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.older?))) else {
            return Ok(None);
        };
        let stored = || lmdb.transact(|transaction| lmdb.older_mark(transaction));
        let mark = stored()?;
        let Some(range) = mark.as_ref().and_then(|mark| mark.ranges.first().copied()) else { return Ok(None) };
        let corrupt = |reason: String| StateError::Corrupt { hash: range.root, reason };
        let mut report = OlderReport::default();
        let mut block = self
            .ancestor(&range.top.hash)?
            .ok_or_else(|| corrupt(format!("block {} is not there", range.top.number)))?;
        let mut number = range.top.number;
        while number > range.low.number {
            stop_if_cancelled(progress)?;
            let parent = parent_of(self, &block).ok_or_else(|| corrupt(format!("block {number} has no parent")))?;
            let (Some(from), Some(to)) = (self.stored_root_after(&parent)?, self.stored_root_after(&block)?) else {
                break;
            };
            let source = Arc::new(UncachedNodes::new(self.clone()));
            let (old, new) = (Trie::at(source.clone(), from), Trie::at(source, to));
            let (mut changes, mut has_changed) = (0, false);
            old.differences(&new, None, &mut |key, before, _| {
                let (account, item) = item_of(key).ok_or_else(|| corrupt("a trie has a strange key".to_owned()))?;
                let expected = encode_value(&item_value(&old, item, before)?);
                let key = entry_key(&item_prefix(&account, item), number);
                let is_there = lmdb.transact(|transaction| {
                    if lmdb.older_mark(transaction)? != mark {
                        return Ok(None);
                    }
                    Ok(Some(older.entries.get(transaction, &key)?.is_some_and(|found| *found == expected[..])))
                })?;
                if is_there.is_none() {
                    has_changed = true;
                    return Ok(ControlFlow::Break(()));
                }
                if is_there == Some(false) {
                    return Err(corrupt(format!("block {number} has another earlier {item:?} of {account:?}")));
                }
                changes += 1;
                Ok(ControlFlow::Continue(()))
            })?;
            if has_changed {
                return Ok(None);
            }
            report.changes += changes;
            report.blocks += 1;
            number -= 1;
            block = parent;
        }
        let counted = lmdb.count_older(older.entries, number, range.top.number, progress)?;
        if stored()? != mark {
            return Ok(None);
        }
        if counted != report.changes {
            let reason = format!("there are {counted} earlier values where the tries have {}", report.changes);
            return Err(corrupt(reason));
        }
        Ok(Some(report))
    }
}

impl Lmdb {
    /// Entries of the blocks above one number and up to another.
    fn count_older(&self, entries: Table, low: u64, top: u64, progress: &CheckProgress) -> Result<u64, StateError> {
        let mut after: Option<Vec<u8>> = None;
        let mut count = 0;
        loop {
            stop_if_cancelled(progress)?;
            let (found, last) = self.transact(|transaction| {
                let start = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
                let (mut found, mut last) = (0, None);
                for (read, entry) in entries.range(transaction, &(start, Bound::Unbounded))?.enumerate() {
                    let (key, _) = entry?;
                    let (_, number) = split_entry(key).ok_or_else(damaged)?;
                    found += u64::from(number > low && number <= top);
                    if read + 1 == ENTRIES_AT_ONCE {
                        last = Some(key.to_vec());
                        break;
                    }
                }
                Ok((found, last))
            })?;
            count += found;
            match last {
                Some(last) => after = Some(last),
                None => return Ok(count),
            }
        }
    }
}
