//! Cache of recently decoded cells. It compares the bytes of a cell, and equal bytes decode to the same value in any
//! state, so reverts and forks do not matter.

use rhizome_primitives::Bytes;

/// Entries per kind of cell: lists of the active and of the retiring federation, each before and after a call.
const ENTRIES: usize = 4;
/// Maximum bytes of the cells together; their decoded values take up to three times as much. Per thread and kind.
const MAX_BYTES: usize = 2 << 20;

/// Decoded cells by their bytes; the most recently used one is last.
pub(super) struct Recent<T>(Vec<(Bytes, T)>);

impl<T: Clone> Recent<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// The decoded value of a cell.
    pub(super) fn get(&mut self, cell: &Bytes) -> Option<T> {
        let at = self.0.iter().rposition(|(known, _)| is_same(known, cell))?;
        self.0[at..].rotate_left(1);
        self.0.last().map(|(_, value)| value.clone())
    }

    /// Adds the decoded value of a cell and evicts the least recently used one.
    pub(super) fn put(&mut self, cell: Bytes, value: T) {
        self.0.push((cell, value));
        let mut bytes: usize = self.0.iter().map(|(cell, _)| cell.len()).sum();
        while bytes > MAX_BYTES || self.0.len() > ENTRIES {
            bytes -= self.0.remove(0).0.len();
        }
    }
}

fn is_same(left: &Bytes, right: &Bytes) -> bool {
    left.len() == right.len() && (left.as_ptr() == right.as_ptr() || left == right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(byte: u8, length: usize) -> Bytes {
        vec![byte; length].into()
    }

    #[test]
    fn finds_equal_bytes_wherever_they_lie() {
        let mut recent = Recent::new();
        recent.put(cell(1, 10), "one");
        recent.put(cell(2, 10), "two");
        assert_eq!(recent.get(&cell(1, 10)), Some("one"));
        assert_eq!(recent.get(&cell(1, 9)), None);
        assert_eq!(recent.get(&cell(3, 10)), None);
    }

    #[test]
    fn keeps_what_was_used_last_within_its_bounds() {
        let mut recent = Recent::new();
        for byte in 0..ENTRIES as u8 {
            recent.put(cell(byte, 10), byte);
        }
        assert_eq!(recent.get(&cell(0, 10)), Some(0));
        recent.put(cell(0xff, 10), 0xff);
        assert_eq!((recent.get(&cell(1, 10)), recent.get(&cell(0, 10))), (None, Some(0)));
        recent.put(cell(7, MAX_BYTES), 7);
        assert_eq!((recent.get(&cell(0, 10)), recent.get(&cell(7, MAX_BYTES))), (None, Some(7)));
        recent.put(cell(8, MAX_BYTES + 1), 8);
        assert_eq!(recent.get(&cell(8, MAX_BYTES + 1)), None);
        assert!(recent.0.is_empty());
    }
}
