//! Bit strings: keys and shared paths, most significant bit first.

use smallvec::SmallVec;

/// A borrowed run of bits.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Bits<'a> {
    /// All bits of a key.
    pub fn of_key(key: &'a [u8]) -> Self {
        Self { bytes: key, start: 0, end: key.len() * 8 }
    }

    /// The first `length` bits of `bytes`; None when there are fewer.
    pub fn leading(bytes: &'a [u8], length: usize) -> Option<Self> {
        (length.div_ceil(8) <= bytes.len()).then_some(Self { bytes, start: 0, end: length })
    }

    /// Number of bits.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// True when there are no bits.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The bit at `index`; zero past the end.
    pub fn bit(self, index: usize) -> bool {
        self.octet(index) & 0x80 != 0
    }

    /// Without the first `count` bits (all of them when there are fewer).
    #[must_use]
    pub fn skip(self, count: usize) -> Self {
        Self { start: self.end.min(self.start + count), ..self }
    }

    /// Only the first `count` bits (all of them when there are fewer).
    #[must_use]
    pub fn take(self, count: usize) -> Self {
        Self { end: self.end.min(self.start + count), ..self }
    }

    /// Eight bits from `index` on; those past the end are zero.
    fn octet(self, index: usize) -> u8 {
        let position = self.start + index;
        if position >= self.end {
            return 0;
        }
        let byte = |index: usize| u16::from(self.bytes.get(index).copied().unwrap_or(0));
        let pair = byte(position / 8) << 8 | byte(position / 8 + 1);
        let octet = (pair >> (8 - position % 8)) as u8;
        match self.end - position {
            left @ 1..8 => octet & (0xff << (8 - left)),
            _ => octet,
        }
    }

    /// Length of the longest common prefix.
    pub fn common_prefix(self, other: Bits<'_>) -> usize {
        let limit = self.len().min(other.len());
        let mut index = 0;
        while index < limit {
            let difference = self.octet(index) ^ other.octet(index);
            if difference != 0 {
                return limit.min(index + difference.leading_zeros() as usize);
            }
            index += 8;
        }
        limit
    }

    /// The bits as whole bytes, zero padded at the end.
    pub fn octets(self) -> impl Iterator<Item = u8> {
        (0..self.len()).step_by(8).map(move |index| self.octet(index))
    }

    /// An owned copy.
    pub fn to_path(self) -> Path {
        Path { bytes: self.octets().collect(), length: self.len() }
    }
}

/// An owned run of bits; the padding of the last byte is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    bytes: SmallVec<[u8; 16]>,
    length: usize,
}

impl Path {
    /// Borrows the bits.
    pub fn bits(&self) -> Bits<'_> {
        Bits { bytes: &self.bytes, start: 0, end: self.length }
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True when there are no bits.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bits as bytes, zero padded at the end.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bits.
    pub fn push(&mut self, bits: Bits<'_>) {
        let shift = self.length % 8;
        if shift == 0 {
            self.bytes.extend(bits.octets());
        } else {
            for octet in bits.octets() {
                if let Some(last) = self.bytes.last_mut() {
                    *last |= octet >> shift;
                }
                self.bytes.push(octet << (8 - shift));
            }
        }
        self.length += bits.len();
        self.bytes.truncate(self.length.div_ceil(8));
    }

    /// Appends the implicit bit of a child and the child's path.
    pub fn push_child(&mut self, bit: bool, path: Bits<'_>) {
        self.push(Bits { bytes: if bit { &[0x80] } else { &[0] }, start: 0, end: 1 });
        self.push(path);
    }

    /// Shortens to the first `length` bits.
    pub fn truncate(&mut self, length: usize) {
        *self = self.bits().take(length).to_path();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bits: Bits<'_>) -> String {
        (0..bits.len()).map(|index| if bits.bit(index) { '1' } else { '0' }).collect()
    }

    #[test]
    fn slices_and_joins_at_any_offset() {
        let key = [0b1010_1100, 0b0111_0001, 0b1000_0000];
        let whole = text(Bits::of_key(&key));
        for start in 0..24 {
            for length in 0..24 - start {
                let slice = Bits::of_key(&key).skip(start).take(length);
                assert_eq!(text(slice), whole[start..start + length]);
                let mut path = slice.to_path();
                assert_eq!(text(path.bits()), whole[start..start + length]);
                path.push_child(true, Bits::of_key(&key).skip(start + length));
                assert_eq!(
                    text(path.bits()),
                    format!("{}1{}", &whole[start..start + length], &whole[start + length..])
                );
                assert_eq!(path.as_bytes().len(), path.len().div_ceil(8));
            }
        }
    }

    #[test]
    fn common_prefix_ignores_alignment_and_padding() {
        let key = [0b1010_1100, 0b0111_0001];
        let path = Bits::of_key(&key).skip(3).take(7).to_path();
        assert_eq!(path.bits().common_prefix(Bits::of_key(&key).skip(3)), 7);
        assert_eq!(Bits::of_key(&key).skip(3).common_prefix(Bits::of_key(&key)), 0);
        assert_eq!(Bits::of_key(&[0xff]).common_prefix(Bits::of_key(&[0xfe])), 7);
        assert_eq!(Bits::of_key(&[]).common_prefix(Bits::of_key(&[0xfe])), 0);
        assert!(Bits::leading(&[0], 9).is_none());
    }
}
