//! Targets in the compact form of Bitcoin headers.
//!
//! This is not the `bitcoin` crate's code, because the reference decodes all 2^32 forms, including negative targets and
//! those of up to 255 bytes.

use rhizome_primitives::U256;

/// A number of 512 bits: the easiest target of a regression test network has 263 bits.
pub type U512 = alloy_primitives::aliases::U512;

/// Bit of the sign in the compact form.
const SIGN: u32 = 0x0080_0000;

/// A target as a header states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    negative: bool,
    /// Big-endian, without leading zeros.
    magnitude: Vec<u8>,
}

impl Target {
    /// Decodes the compact form. Bytes of the number beyond the stated size are dropped.
    #[must_use]
    pub fn from_compact(bits: u32) -> Self {
        let [size, a, b, c] = bits.to_be_bytes();
        let size = usize::from(size);
        let mut number = vec![0; size];
        number.iter_mut().zip([a, b, c]).for_each(|(to, from)| *to = from);
        let mut negative = false;
        if let Some(first) = number.first_mut() {
            negative = *first & 0x80 != 0;
            *first &= 0x7f;
        }
        let magnitude = crate::der::trimmed(&number).to_vec();
        Self { negative: negative && !magnitude.is_empty(), magnitude }
    }

    /// True when it is below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Its absolute value, big-endian without leading zeros.
    #[must_use]
    pub fn magnitude(&self) -> &[u8] {
        &self.magnitude
    }

    /// The number if it is above zero and has at most 512 bits.
    #[must_use]
    pub fn positive(&self) -> Option<U512> {
        let fits = !self.negative && !self.magnitude.is_empty() && self.magnitude.len() <= U512::BYTES;
        fits.then(|| U512::from_be_slice(&self.magnitude))
    }

    /// The compact form as the reference's library encodes it. For a negative number the result is not a valid compact
    /// form.
    #[must_use]
    pub fn to_compact(&self) -> i64 {
        let mut number = if self.negative { negated(&self.magnitude) } else { self.magnitude.clone() };
        if number.first().is_none_or(|first| !self.negative && first & 0x80 != 0) {
            number.insert(0, 0);
        }
        let mut size = number.len() as i32;
        let kept =
            number.iter().take(3).fold(if self.negative { -1 } else { 0 }, |value, byte| value << 8 | i64::from(*byte));
        let mut result: i64 = if number.len() < 3 { kept << (8 * (3 - number.len())) } else { kept };
        if result & i64::from(SIGN) != 0 {
            result >>= 8;
            size += 1;
        }
        // Sizes above 127 reach the sign bit of 32 bits.
        result |= i64::from(size << 24);
        result | if self.negative { i64::from(SIGN) } else { 0 }
    }
}

/// Shortest two's complement of the negative of a number.
fn negated(magnitude: &[u8]) -> Vec<u8> {
    let mut number = vec![0];
    number.extend_from_slice(magnitude);
    let mut carry = true;
    for byte in number.iter_mut().rev() {
        let (sum, overflow) = (!*byte).overflowing_add(u8::from(carry));
        (*byte, carry) = (sum, overflow);
    }
    let redundant = number.windows(2).take_while(|pair| matches!(pair, [0xff, 0x80..=0xff])).count();
    number.drain(..redundant);
    number
}

/// The compact form of a positive number.
#[must_use]
pub fn to_compact(target: U512) -> u32 {
    let magnitude = crate::der::trimmed(&target.to_be_bytes::<64>()).to_vec();
    Target { negative: false, magnitude }.to_compact() as u32
}

/// 2^256 / (target + 1): the expected number of hashes for a header with this target.
#[must_use]
pub fn work_of(target: U512) -> U256 {
    let work: U512 = (U512::from(1) << 256) / (target.saturating_add(U512::from(1)));
    // Only a target of zero, which no network allows, would need one bit more.
    if target.is_zero() { U256::MAX } else { work.wrapping_to() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_forms() {
        for bits in [0x1d00_ffff, 0x207f_ffff, 0x1800_9645, 0x0500_9234, 0x0412_3456, 0x0200_8000] {
            let target = Target::from_compact(bits);
            assert_eq!(target.to_compact(), i64::from(bits), "{bits:x}");
            assert_eq!(target.positive().map(to_compact), Some(bits));
        }
        assert_eq!(Target::from_compact(0x0300_0001).to_compact(), 0x0101_0000);
        assert_eq!(Target::from_compact(0).to_compact(), 0x0100_0000);
        let negative = Target::from_compact(0x0492_3456);
        assert!(negative.is_negative());
        assert_eq!((negative.magnitude(), negative.to_compact()), (&[0x12, 0x34, 0x56, 0][..], -4_661));
        assert!(!Target::from_compact(0x0480_0000).is_negative(), "minus zero");
        assert_eq!(Target::from_compact(0xff12_3456).to_compact(), -15_584_170);
        assert_eq!(Target::from_compact(0xff12_3456).magnitude().len(), 255);
        assert_eq!(Target::from_compact(0xff12_3456).positive(), None);
    }

    #[test]
    fn work() {
        assert_eq!(work_of(U512::from(1)), U256::from(1) << 255);
        assert_eq!(work_of(U512::from(1) << 260), U256::ZERO);
        assert_eq!(work_of(U512::ZERO), U256::MAX);
    }
}
