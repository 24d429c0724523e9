//! Signatures of Bitcoin transactions (bridge.md §4.5, §9).

use rhizome_crypto::signature::{HALF_ORDER, ORDER};
use rhizome_primitives::{B256, U256};

use crate::der::{DerError, read_signature, sequence, trimmed, write_integer};

/// Signs all inputs and outputs.
pub const SIGHASH_ALL: u8 = 1;

/// A pair of numbers. They may be out of the range of signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    r: Vec<u8>,
    s: Vec<u8>,
}

impl Signature {
    /// A signature of numbers, big-endian.
    #[must_use]
    pub fn new(r: &[u8], s: &[u8]) -> Self {
        Self { r: trimmed(r).to_vec(), s: trimmed(s).to_vec() }
    }

    /// Reads DER as leniently as the reference; bytes that follow, such as the sighash byte of an input's signature,
    /// are ignored.
    ///
    /// # Errors
    /// [`DerError`] where the reference throws.
    pub fn parse(der: &[u8]) -> Result<Self, DerError> {
        read_signature(der).map(|(r, s)| Self::new(r, s))
    }

    /// R, big-endian without leading zeros.
    #[must_use]
    pub fn r(&self) -> &[u8] {
        &self.r
    }

    /// S, big-endian without leading zeros.
    #[must_use]
    pub fn s(&self) -> &[u8] {
        &self.s
    }

    /// Shortest DER.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        let mut contents = Vec::with_capacity(72);
        write_integer(&mut contents, &self.r);
        write_integer(&mut contents, &self.s);
        sequence(&contents)
    }

    /// The signature as in an input: shortest DER and the sighash byte.
    #[must_use]
    pub fn to_input(&self, sighash: u8) -> Vec<u8> {
        let mut out = self.to_der();
        out.push(sighash);
        out
    }

    /// True when s is at most half the order.
    #[must_use]
    pub fn is_low_s(&self) -> bool {
        word(&self.s).is_some_and(|s| s <= HALF_ORDER)
    }

    /// R and the lower of s and n - s, which is an equivalent signature; None when either is out of range.
    pub(crate) fn normalised(&self) -> Option<(B256, B256)> {
        let (r, s) = (word(&self.r)?, word(&self.s)?);
        if !rhizome_crypto::scalar_in_range(&r) || !rhizome_crypto::scalar_in_range(&s) {
            return None;
        }
        let low = if s <= HALF_ORDER { s } else { B256::from(U256::from_be_bytes(ORDER.0) - U256::from_be_bytes(s.0)) };
        Some((r, low))
    }
}

fn word(number: &[u8]) -> Option<B256> {
    (number.len() <= 32).then(|| B256::left_padding_from(number))
}

/// True when the signature of an input, sighash byte included, satisfies Bitcoin's strict encoding: shortest lengths,
/// positive numbers without padding, a known sighash byte.
#[must_use]
pub fn is_canonical(signature: &[u8]) -> bool {
    let [0x30, length, 2, r_length, rest @ .., sighash] = signature else { return false };
    if !(9..=73).contains(&signature.len()) || usize::from(*length) != signature.len() - 3 {
        return false;
    }
    if !(1..=3).contains(&(sighash & !0x80)) {
        return false;
    }
    let Some((r, [2, s_length, s @ ..])) = rest.split_at_checked(usize::from(*r_length)) else { return false };
    usize::from(*s_length) == s.len() && is_positive_minimal(r) && is_positive_minimal(s)
}

fn is_positive_minimal(number: &[u8]) -> bool {
    !matches!(number, [] | [0x80..=0xff, ..] | [0, 0..=0x7f, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(r: &[u8], s: &[u8]) -> Vec<u8> {
        Signature::new(r, s).to_input(SIGHASH_ALL)
    }

    #[test]
    fn strict_encoding() {
        assert!(is_canonical(&of(&[1], &[1])));
        assert!(is_canonical(&of(&[0x80; 32], &[0x80; 32])));
        assert!(is_canonical(&of(&[], &[])));
        assert!(!is_canonical(&of(&[0x80; 33], &[0x80; 33])), "longer than 73 bytes");
        let valid = of(&[0x80; 32], &[0x80; 32]);
        for length in 0..valid.len() {
            assert!(!is_canonical(&valid[..length]), "{length}");
        }
        for (sighash, known) in
            [(0, false), (1, true), (3, true), (4, false), (0x81, true), (0x83, true), (0x80, false)]
        {
            let mut changed = valid.clone();
            changed[valid.len() - 1] = sighash;
            assert_eq!(is_canonical(&changed), known, "{sighash}");
        }
        for at in [0, 1, 2, 3, 4, 37, 38, 39] {
            let mut changed = valid.clone();
            changed[at] ^= 0x80;
            assert!(!is_canonical(&changed), "{at}");
        }
    }

    #[test]
    fn half_the_order_is_low() {
        assert!(Signature::new(&[1], HALF_ORDER.as_slice()).is_low_s());
        let above = U256::from_be_bytes(HALF_ORDER.0) + U256::from(1);
        let high = Signature::new(&[1], &above.to_be_bytes::<32>());
        assert!(!high.is_low_s());
        assert_eq!(high.normalised(), Some((B256::with_last_byte(1), HALF_ORDER)));
        assert_eq!(Signature::new(&[1], ORDER.as_slice()).normalised(), None);
        assert_eq!(Signature::new(&[], &[1]).normalised(), None);
        assert_eq!(Signature::new(&[1; 33], &[1]).normalised(), None);
    }
}
