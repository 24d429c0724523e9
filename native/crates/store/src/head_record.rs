//! What steps of the line changed: groups of records in the table of changes, each under its last step as eight bytes,
//! big-endian. The steps of one commit are in one group, because LMDB gives each entry of this size whole pages.
//!
//! - A group: number of records ∥ where each ends ∥ records. Its steps follow one another.
//! - A record: root of the new state ∥ number of entries ∥ where each run of 16 entries begins ∥ entries in key order.
//! - An entry: how many bytes its key has in common with the key before ∥ length of the rest ∥ rest ∥ length of the row ∥
//!   the row as it was before. The first key of a run is whole. The length of a row has one byte, or three from 255 on.
//!
//! A row has the step of its change before, so that entries of a key are a chain downwards. Other numbers have four
//! bytes, big-endian.

use rhizome_primitives::B256;

use crate::head_rows::RowKey;

/// In place of a root where a step led to no state, but was a part of the way to one.
pub(crate) const NO_STATE: B256 = B256::ZERO;

/// Bytes before the beginnings of runs.
const HEADER: usize = 36;

/// Entries of a run.
const RUN: usize = 16;

/// Length of a row from which on it has two more bytes.
const LONG: u8 = 255;

/// Bytes from which on a group ends before its commit does.
const GROUP_BYTES: usize = 256 << 10;

/// A record as it is stored.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    root: &'a [u8],
    count: usize,
    starts: &'a [u8],
    entries: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record of a step in the group that ends with the step `last`. None for other bytes, or where the group does not
    /// have the step.
    pub(crate) fn in_group(group: &'a [u8], last: u64, step: u64) -> Option<Self> {
        let (count, rest) = number(group)?;
        let (ends, records) = rest.split_at_checked(count.checked_mul(4)?)?;
        let index = count.checked_sub(1)?.checked_sub(usize::try_from(last.checked_sub(step)?).ok()?)?;
        let end = |index: usize| number(ends.get(index * 4..)?).map(|(end, _)| end);
        let start = if index == 0 { 0 } else { end(index - 1)? };
        Self::parse(records.get(start..end(index)?)?)
    }

    /// The first step of the group that ends with the step `last`. None for other bytes.
    pub(crate) fn first_in_group(group: &[u8], last: u64) -> Option<u64> {
        let (count, _) = number(group)?;
        last.checked_sub(count.checked_sub(1)? as u64)
    }

    /// None for bytes that are no record.
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (root, rest) = bytes.split_at_checked(HEADER - 4)?;
        let (count, rest) = number(rest)?;
        let (starts, entries) = rest.split_at_checked(count.div_ceil(RUN).checked_mul(4)?)?;
        Some(Self { root, count, starts, entries })
    }

    /// Root of the state behind the step.
    pub(crate) fn root(&self) -> B256 {
        B256::from_slice(self.root)
    }

    /// The entries of a run, and how many they are.
    fn run(&self, run: usize) -> Option<(&'a [u8], usize)> {
        let (start, _) = number(self.starts.get(run * 4..)?)?;
        Some((self.entries.get(start..)?, (self.count - run * RUN).min(RUN)))
    }

    /// Keys and rows as they were before, in key order. None in place of what is damaged, which ends it.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Option<(RowKey, &'a [u8])>> {
        let (mut rest, mut left) = (self.entries, self.count);
        let mut key = RowKey::new();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let found = next_entry(&mut rest, &mut key).map(|row| (key.clone(), row));
            if found.is_none() {
                left = 0;
            }
            Some(found)
        })
    }

    /// The row that a key had before: no bytes where it had none. None when the step did not change it.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&'a [u8]> {
        let (mut low, mut high) = (0, self.starts.len() / 4);
        // The last run whose first key is not above the key.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let (mut entries, _) = self.run(middle)?;
            let mut first = RowKey::new();
            next_entry(&mut entries, &mut first)?;
            if first[..] <= *key {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (mut entries, count) = self.run(low)?;
        let mut found = RowKey::new();
        for _ in 0..count {
            let row = next_entry(&mut entries, &mut found)?;
            match found[..].cmp(key) {
                std::cmp::Ordering::Equal => return Some(row),
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number) as usize, rest))
}

/// Takes the next entry, whose key follows `key`.
fn next_entry<'a>(entries: &mut &'a [u8], key: &mut RowKey) -> Option<&'a [u8]> {
    let (&[common, length], rest) = entries.split_first_chunk()?;
    let (suffix, rest) = rest.split_at_checked(usize::from(length))?;
    if usize::from(common) > key.len() {
        return None;
    }
    key.truncate(usize::from(common));
    key.extend_from_slice(suffix);
    let (&length, mut rest) = rest.split_first()?;
    let mut length = usize::from(length);
    if length == usize::from(LONG) {
        let (long, after) = rest.split_first_chunk()?;
        length = usize::from(u16::from_be_bytes(*long));
        rest = after;
    }
    let (row, rest) = rest.split_at_checked(length)?;
    *entries = rest;
    Some(row)
}

/// Changes of the present step: keys, and rows before it, whose bytes lie one behind the other.
#[derive(Default)]
pub(crate) struct Before {
    keys: Vec<(RowKey, u32, u32)>,
    rows: Vec<u8>,
}

impl Before {
    pub(crate) fn push(&mut self, key: RowKey, row: &[u8]) {
        let start = self.rows.len() as u32;
        self.rows.extend_from_slice(row);
        self.keys.push((key, start, self.rows.len() as u32));
    }

    /// Adds the record of the step to some bytes, and forgets the changes.
    fn encode(&mut self, root: &B256, record: &mut Vec<u8>) {
        self.keys.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        record.extend_from_slice(root.as_slice());
        record.extend_from_slice(&(self.keys.len() as u32).to_be_bytes());
        let starts = record.len();
        record.resize(starts + self.keys.len().div_ceil(RUN) * 4, 0);
        let entries = record.len();
        let mut last: &[u8] = &[];
        for (index, (key, start, end)) in self.keys.iter().enumerate() {
            let row = &self.rows[*start as usize..*end as usize];
            let mut common = 0;
            if index % RUN == 0 {
                let at = starts + index / RUN * 4;
                let start = (record.len() - entries) as u32;
                record[at..at + 4].copy_from_slice(&start.to_be_bytes());
            } else {
                common = last.iter().zip(key).take_while(|(one, other)| one == other).count();
            }
            record.extend_from_slice(&[common as u8, (key.len() - common) as u8]);
            record.extend_from_slice(&key[common..]);
            if row.len() < usize::from(LONG) {
                record.push(row.len() as u8);
            } else {
                record.push(LONG);
                record.extend_from_slice(&(row.len() as u16).to_be_bytes());
            }
            record.extend_from_slice(row);
            last = key;
        }
        self.keys.clear();
        self.rows.clear();
    }
}

/// Records that wait to be written as a group.
#[derive(Default)]
pub(crate) struct Group {
    ends: Vec<u32>,
    records: Vec<u8>,
}

impl Group {
    /// Adds the record of the next step.
    pub(crate) fn push(&mut self, root: &B256, before: &mut Before) {
        before.encode(root, &mut self.records);
        self.ends.push(self.records.len() as u32);
    }

    /// True when it is to be written.
    pub(crate) fn is_full(&self) -> bool {
        self.records.len() >= GROUP_BYTES
    }

    /// Its bytes, and none are left; None where there are none.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        if self.ends.is_empty() {
            return None;
        }
        let mut group = Vec::with_capacity(4 + 4 * self.ends.len() + self.records.len());
        group.extend_from_slice(&(self.ends.len() as u32).to_be_bytes());
        for end in self.ends.drain(..) {
            group.extend_from_slice(&end.to_be_bytes());
        }
        group.append(&mut self.records);
        Some(group)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn key(bytes: &[u8]) -> RowKey {
        RowKey::from_slice(bytes)
    }

    #[test]
    fn a_group_has_what_was_written_and_nothing_else() {
        let root = |number: usize| B256::repeat_byte(number as u8 + 1);
        // Steps 10 to 14.
        let steps: Vec<Vec<(RowKey, Vec<u8>)>> = vec![
            vec![(key(&[3, 1]), vec![1; 300]), (key(&[1]), vec![]), (key(&[2; 58]), vec![9])],
            vec![],
            (0..100_u8).rev().map(|number| (key(&[2, 7, number / 7, number]), vec![number; 20])).collect(),
            vec![(key(&[5]), vec![4; 255])],
            vec![(key(&[5]), vec![4; 254])],
        ];
        let mut group = Group::default();
        let mut before = Before::default();
        for (number, step) in steps.iter().enumerate() {
            step.iter().for_each(|(key, row)| before.push(key.clone(), row));
            group.push(&root(number), &mut before);
        }
        let bytes = group.take().unwrap();
        assert_eq!(group.take(), None);
        for (number, step) in steps.into_iter().enumerate() {
            assert_eq!(Record::first_in_group(&bytes, 14), Some(10));
            let record = Record::in_group(&bytes, 14, 10 + number as u64).unwrap();
            assert_eq!(record.root(), root(number));
            for (key, row) in &step {
                assert_eq!(record.find(key), Some(&row[..]));
            }
            let mut sorted = step;
            sorted.sort();
            let found: Vec<_> = record.entries().map(|entry| entry.map(|(key, row)| (key, row.to_vec()))).collect();
            assert_eq!(found, sorted.into_iter().map(Some).collect::<Vec<_>>());
            for absent in [&[0][..], &[1, 0], &[2; 57], &[2, 7, 0, 7], &[2, 7, 3], &[4], &[9]] {
                assert_eq!(record.find(absent), None);
            }
        }
        assert!(Record::in_group(&bytes, 14, 9).is_none() && Record::in_group(&bytes, 14, 15).is_none());
        for length in 0..bytes.len() {
            // It is no record, or one that ends before its end.
            let cut = Record::in_group(&bytes[..length], 14, 14);
            assert!(cut.is_none(), "{length}");
            if let Some(first) = Record::in_group(&bytes[..length], 14, 10) {
                assert_eq!(first.entries().flatten().count(), 3);
            }
        }
    }
}
