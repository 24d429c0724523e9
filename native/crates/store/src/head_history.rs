//! The steps at which a row changed, for rows that changed often: the table of history. It is filled behind the line, in
//! batches; what it does not have yet is found along the records.
//!
//! `length of the key ∥ key ∥ last step of the shard as five bytes` → its steps, rising: each is what it is above the one
//! before, in groups of seven bits, the lowest first, with a bit on all but the last group.

use std::collections::BTreeMap;

use heed::{RoTxn, RwTxn};
use rhizome_primitives::state::StateError;

use crate::head_mark::HeadMark;
use crate::head_reads::record_of;
use crate::head_rows::{RowKey, Stamp, split_row};
use crate::lmdb::{LineTables, Lmdb};
use crate::lmdb_head::damaged;
use crate::state_store::StateStore;

/// Longest shard with its key, bytes.
const MAX_SHARD: usize = 1_900;

/// Changes of a row from which on it is in the table: fewer are found along the records.
const FIRST_COUNT: u8 = 5;

/// Steps that a batch takes, and with how many changes it ends before: some 16 MiB of memory, and some tenths of a second
/// for which commits of blocks wait.
const MAX_STEPS: u64 = 1_024;
const MAX_CHANGES: usize = 100_000;

/// Key of the last step that the table has, in the table of metadata.
const INDEXED: &[u8] = b"history";

/// Rows that a batch adds.
struct Batch {
    /// First block of the line.
    base: u64,
    /// The last step that was there before, and the last one with it.
    from: u64,
    to: u64,
    steps: BTreeMap<RowKey, Vec<u64>>,
}

pub(crate) fn shard_key(key: &[u8], last: u64) -> Vec<u8> {
    [&[key.len() as u8], key, &last.to_be_bytes()[3..]].concat()
}

/// The last step of a shard of a key; None for one of another key.
fn last_of(shard: &[u8], key: &[u8]) -> Option<u64> {
    let (&length, rest) = shard.split_first()?;
    let last = rest.strip_prefix(key).filter(|_| usize::from(length) == key.len())?;
    (last.len() == 5).then(|| last.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn push_step(shard: &mut Vec<u8>, mut distance: u64) {
    while distance >= 0x80 {
        shard.push(distance as u8 | 0x80);
        distance >>= 7;
    }
    shard.push(distance as u8);
}

/// The steps of a shard.
fn steps_in(shard: &[u8]) -> impl Iterator<Item = u64> {
    let (mut step, mut distance, mut shift) = (0_u64, 0_u64, 0);
    shard.iter().filter_map(move |byte| {
        distance |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 != 0 {
            return None;
        }
        step += distance;
        (distance, shift) = (0, 0);
        Some(step)
    })
}

/// True when the change of a row with this stamp is in the table of history.
pub(crate) fn is_indexed_after(stamp: Stamp) -> bool {
    stamp.count + 1 >= FIRST_COUNT
}

/// True when a row with this stamp may be in the table of history.
pub(crate) fn changes_often(stamp: Stamp) -> bool {
    stamp.count >= FIRST_COUNT
}

/// The first change of a key behind a step. None when the table has none.
pub(crate) fn first_after(
    line: LineTables,
    transaction: &RoTxn<'_>,
    key: &[u8],
    step: u64,
) -> heed::Result<Option<u64>> {
    let found = line.history.get_greater_than_or_equal_to(transaction, &shard_key(key, step + 1))?;
    let Some((shard, steps)) = found.filter(|(shard, _)| last_of(shard, key).is_some()) else { return Ok(None) };
    let (mut first, mut last) = (None, None);
    for change in steps_in(steps) {
        first = first.or((change > step).then_some(change));
        last = Some(change);
    }
    // The last one is in the name of the shard.
    if first.is_none() || last != last_of(shard, key) { Err(damaged()) } else { Ok(first) }
}

/// Adds steps of a key, which are behind all that it has.
fn append(line: LineTables, transaction: &mut RwTxn<'_>, key: &[u8], steps: &[u64]) -> heed::Result<()> {
    let below = line.history.get_lower_than_or_equal_to(transaction, &shard_key(key, u64::MAX))?;
    let mut last = below.and_then(|(shard, _)| last_of(shard, key));
    let mut shard = below.filter(|_| last.is_some()).map(|(_, steps)| steps.to_vec()).unwrap_or_default();
    if let Some(last) = last {
        line.history.delete(transaction, &shard_key(key, last))?;
    }
    for &step in steps {
        let from = match last {
            Some(last) if step <= last => continue,
            Some(last) if shard.len() + key.len() + 16 > MAX_SHARD => {
                line.history.put(transaction, &shard_key(key, last), &shard)?;
                shard.clear();
                0
            }
            last => last.unwrap_or_default(),
        };
        push_step(&mut shard, step - from);
        last = Some(step);
    }
    match last {
        Some(last) => line.history.put(transaction, &shard_key(key, last), &shard),
        None => Ok(()),
    }
}

/// The shard behind a key of the table, with the number of its steps above the begin of the line: each of these is in the
/// record of its step.
pub(crate) fn check_shard(
    line: LineTables,
    transaction: &RoTxn<'_>,
    base: u64,
    after: &[u8],
) -> heed::Result<Option<(Vec<u8>, u64)>> {
    let Some((shard, steps)) = line.history.get_greater_than(transaction, after)? else { return Ok(None) };
    let key = shard.split_first().and_then(|(&length, rest)| rest.get(..usize::from(length))).ok_or_else(damaged)?;
    let (mut count, mut last) = (0, 0);
    for step in steps_in(steps) {
        let is_kept = step > base;
        if step <= last || (is_kept && record_of(line, transaction, step)?.find(key).is_none()) {
            return Err(damaged());
        }
        (count, last) = (count + u64::from(is_kept), step);
    }
    // A shard goes with its last step.
    if last > base && last_of(shard, key) == Some(last) { Ok(Some((shard.to_vec(), count))) } else { Err(damaged()) }
}

impl Lmdb {
    /// The last step that the table of history has.
    pub(crate) fn indexed(&self, transaction: &RoTxn<'_>) -> heed::Result<u64> {
        let step = self.meta.get(transaction, INDEXED)?;
        step.map_or(Ok(0), |step| step.try_into().map(u64::from_be_bytes).map_err(|_| damaged()))
    }

    pub(crate) fn put_indexed(&self, transaction: &mut RwTxn<'_>, step: u64) -> heed::Result<()> {
        self.meta.put(transaction, INDEXED, &step.to_be_bytes())
    }

    /// Steps that the table of history does not have yet.
    pub(crate) fn steps_to_index(&self) -> Result<u64, StateError> {
        self.transact(|transaction| match self.mark_in(transaction)? {
            Some(HeadMark::At(end)) => Ok(end.step - self.indexed(transaction)?.max(end.base)),
            _ => Ok(0),
        })
    }

    fn next_batch(&self, line: LineTables) -> Result<Option<Batch>, StateError> {
        self.transact(|transaction| {
            let Some(HeadMark::At(end)) = self.mark_in(transaction)? else { return Ok(None) };
            let from = self.indexed(transaction)?.max(end.base);
            let mut batch = Batch { base: end.base, from, to: from, steps: BTreeMap::new() };
            let mut changes = 0;
            while batch.to < end.step && batch.to - from < MAX_STEPS && changes < MAX_CHANGES {
                batch.to += 1;
                let to = batch.to;
                let record = record_of(line, transaction, to)?;
                for entry in record.entries() {
                    let (key, before) = entry.ok_or_else(damaged)?;
                    let (stamp, _) = split_row(before).ok_or_else(damaged)?;
                    if !is_indexed_after(stamp) {
                        continue;
                    }
                    changes += 1;
                    let steps = batch.steps.entry(key.clone()).or_default();
                    if stamp.count + 1 == FIRST_COUNT {
                        let mut earlier = Vec::new();
                        let mut step = stamp.step;
                        while step > end.base {
                            earlier.push(step);
                            let row = record_of(line, transaction, step)?.find(&key).ok_or_else(damaged)?;
                            step = split_row(row).ok_or_else(damaged)?.0.step;
                        }
                        steps.extend(earlier.iter().rev());
                    }
                    steps.push(to);
                }
            }
            Ok((batch.to > from).then_some(batch))
        })
    }
}

impl StateStore {
    /// Adds a batch of changes to the table of history. False when it has them all.
    pub(crate) fn index_step(&self) -> Result<bool, StateError> {
        let Some((lmdb, line)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.line?))) else {
            return Ok(false);
        };
        if !self.table.is_writable || self.is_closed() {
            return Ok(false);
        }
        let Some(batch) = lmdb.next_batch(line)? else { return Ok(false) };
        // Commits of blocks wait for the writing alone.
        let _committing = self.committing.lock();
        lmdb.change(|transaction| {
            // The line may have begun anew.
            let is_same = matches!(lmdb.mark_in(transaction)?, Some(HeadMark::At(end)) if end.base == batch.base);
            if !is_same || lmdb.indexed(transaction)?.max(batch.base) != batch.from {
                return Ok(false);
            }
            for (key, steps) in &batch.steps {
                append(line, transaction, key, steps)?;
            }
            lmdb.put_indexed(transaction, batch.to)?;
            Ok(true)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use rhizome_primitives::account::AccountRef;
    use rhizome_primitives::state::{StateReader as _, WriteSet};
    use rhizome_primitives::{Address, B256, Bytes, U256};
    use rhizome_trie::EMPTY_ROOT;

    use super::*;
    use crate::check::CheckProgress;
    use crate::options::StoreOptions;

    const BLOCKS: u64 = 3_000;

    fn counter() -> AccountRef {
        AccountRef::Address(Address::repeat_byte(0x11))
    }

    /// A cell that each block changes, and one that every 500th does.
    fn block(number: u64) -> WriteSet {
        let value = |number: u64| Some(Bytes::copy_from_slice(&number.to_be_bytes()));
        let mut storage = vec![(counter(), U256::from(1), value(number))];
        if number.is_multiple_of(500) {
            storage.push((counter(), U256::from(2), value(number)));
        }
        WriteSet { storage, ..WriteSet::default() }
    }

    fn read(store: &Arc<StateStore>, root: B256, slot: u64) -> Option<Bytes> {
        store.table_reader(root).storage(&counter(), &U256::from(slot)).unwrap()
    }

    #[test]
    fn a_row_that_always_changes_is_read_at_any_step() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        for number in 1..=BLOCKS {
            let parent = roots[number as usize - 1];
            let applied = store.apply(parent, &block(number)).unwrap();
            roots.push(applied.root());
            store.keep(applied);
            store.set_head(roots[number as usize], Some((&parent, &block(number))));
            if number == BLOCKS / 2 {
                // The table of history goes on where it ended, whatever is in its last shard.
                store.settle_head().unwrap();
            }
        }
        store.settle_head().unwrap();
        let bytes = |number: u64| Some(Bytes::copy_from_slice(&number.to_be_bytes()));
        for number in (1..=BLOCKS).step_by(7).chain([1, 2, 1_000, BLOCKS]) {
            assert_eq!(read(&store, roots[number as usize], 1), bytes(number));
            let seldom = number / 500 * 500;
            assert_eq!(read(&store, roots[number as usize], 2), if seldom == 0 { None } else { bytes(seldom) });
        }
        let lmdb = store.backend.lmdb().unwrap();
        let line = lmdb.line.unwrap();
        let shards = |transaction: &RoTxn<'_>| {
            let entries: Vec<_> = line.history.iter(transaction)?.collect::<heed::Result<_>>()?;
            Ok(entries.iter().map(|(key, steps)| (key.to_vec(), key.len() + steps.len())).collect::<Vec<_>>())
        };
        let found = lmdb.transact(shards).unwrap();
        let longest = found.iter().map(|(_, length)| *length).max().unwrap();
        assert!(longest <= MAX_SHARD && found.len() == 3, "{longest}, {}", found.len());
        let report = store.check_line(&CheckProgress::default()).unwrap().unwrap();
        // Six changes of the second cell are more than four.
        assert_eq!((report.steps, report.changes, report.indexed), (BLOCKS, BLOCKS + 6, BLOCKS + 6));
        // A shard that lacks a step is found.
        let (key, _) = &found[0];
        lmdb.change(|transaction| {
            let steps = line.history.get(transaction, key)?.unwrap().to_vec();
            line.history.put(transaction, key, &steps[..steps.len() - 1])
        })
        .unwrap();
        assert!(store.check_line(&CheckProgress::default()).is_err());
        assert!(store.table_reader(roots[9]).storage(&counter(), &U256::from(1)).is_err());
    }

    #[test]
    fn steps_are_what_was_written() {
        let mut shard = Vec::new();
        let distances = [1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 35];
        distances.iter().for_each(|distance| push_step(&mut shard, *distance));
        let mut sum = 0;
        let sums: Vec<u64> = distances
            .iter()
            .map(|distance| {
                sum += distance;
                sum
            })
            .collect();
        assert_eq!(steps_in(&shard).collect::<Vec<_>>(), sums);
    }
}
