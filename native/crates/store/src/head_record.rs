//! What a step of the line changed: a record of the table of changes, under the step as eight bytes, big-endian.
//!
//! `root of the new state ∥ number of entries ∥ where each begins ∥ entries in key order`, an entry being
//! `length of the key ∥ key ∥ the row as it was before`. A row has the step of its change before, so that entries of a key
//! are a chain downwards. Numbers have four bytes, big-endian.

use rhizome_primitives::B256;

use crate::head_rows::RowKey;

/// In place of a root where a step led to no state, but was a part of the way to one.
pub(crate) const NO_STATE: B256 = B256::ZERO;

/// Bytes before the beginnings of entries.
const HEADER: usize = 36;

/// A record as it is stored.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    root: &'a [u8],
    starts: &'a [u8],
    entries: &'a [u8],
}

impl<'a> Record<'a> {
    /// None for bytes that are no record.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (root, rest) = bytes.split_at_checked(HEADER - 4)?;
        let (count, rest) = rest.split_at_checked(4)?;
        let count = u32::from_be_bytes(count.try_into().ok()?) as usize;
        let (starts, entries) = rest.split_at_checked(count.checked_mul(4)?)?;
        Some(Self { root, starts, entries })
    }

    /// Root of the state behind the step.
    pub(crate) fn root(&self) -> B256 {
        B256::from_slice(self.root)
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() / 4
    }

    fn start(&self, index: usize) -> Option<usize> {
        let start = self.starts.get(index * 4..index * 4 + 4)?;
        Some(u32::from_be_bytes(start.try_into().ok()?) as usize)
    }

    /// Key and earlier row of an entry; None for one that is damaged or not there.
    pub(crate) fn entry(&self, index: usize) -> Option<(&'a [u8], &'a [u8])> {
        let start = self.start(index)?;
        let end = if index + 1 == self.len() { self.entries.len() } else { self.start(index + 1)? };
        let (&length, rest) = self.entries.get(start..end)?.split_first()?;
        rest.split_at_checked(usize::from(length))
    }

    /// The row that a key had before: no bytes where it had none. None when the step did not change it.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&'a [u8]> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, row) = self.entry(middle)?;
            match found.cmp(key) {
                std::cmp::Ordering::Equal => return Some(row),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// The record of a step, whose entries are brought in order.
pub(crate) fn encode_record(root: &B256, entries: &mut [(RowKey, Vec<u8>)]) -> Vec<u8> {
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let bytes: usize = entries.iter().map(|(key, row)| 5 + key.len() + row.len()).sum();
    let mut record = Vec::with_capacity(HEADER + bytes);
    record.extend_from_slice(root.as_slice());
    record.extend_from_slice(&(entries.len() as u32).to_be_bytes());
    let mut start = 0_u32;
    for (key, row) in entries.iter() {
        record.extend_from_slice(&start.to_be_bytes());
        start += (1 + key.len() + row.len()) as u32;
    }
    for (key, row) in entries.iter() {
        record.push(key.len() as u8);
        record.extend_from_slice(key);
        record.extend_from_slice(row);
    }
    record
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_what_was_written_and_nothing_else() {
        let key = |bytes: &[u8]| RowKey::from_slice(bytes);
        let root = B256::repeat_byte(7);
        let mut entries = vec![(key(&[3, 1]), vec![1; 300]), (key(&[1]), vec![]), (key(&[2; 58]), vec![9])];
        let bytes = encode_record(&root, &mut entries);
        let record = Record::parse(&bytes).unwrap();
        assert_eq!((record.root(), record.len()), (root, 3));
        for (index, (key, row)) in entries.iter().enumerate() {
            assert_eq!(record.entry(index), Some((&key[..], &row[..])));
            assert_eq!(record.find(key), Some(&row[..]));
        }
        for absent in [&[0][..], &[1, 0], &[2; 57], &[4]] {
            assert_eq!(record.find(absent), None);
        }
        assert!(record.entry(3).is_none());
        for length in 0..bytes.len() {
            let Some(cut) = Record::parse(&bytes[..length]) else { continue };
            assert!(
                length >= HEADER + 12
                    && (0..3).all(
                        |index| index == 2 || cut.entry(index).is_none_or(|(found, _)| *found == *entries[index].0)
                    )
            );
        }
        let empty = encode_record(&root, &mut []);
        assert_eq!(Record::parse(&empty).unwrap().len(), 0);
    }
}
