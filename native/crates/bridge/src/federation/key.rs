//! Federation keys.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use alloy_primitives::keccak256;
use rhizome_primitives::Address;
use secp256k1::PublicKey;

/// Number of compressed keys that each thread caches: those of several federations, three for each member.
const KNOWN_KEYS: usize = 1_024;

thread_local! {
    /// Compressed keys that are points of the curve, with their addresses. The check takes microseconds, and every call
    /// checks all keys of two federations.
    static KNOWN: RefCell<HashMap<[u8; 33], Address>> = RefCell::new(HashMap::new());
}

/// Address of a compressed key; None when it is not a point of the curve.
fn known_address(key: &[u8; 33]) -> Option<Address> {
    if let Some(address) = KNOWN.with_borrow(|known| known.get(key).copied()) {
        return Some(address);
    }
    let point = PublicKey::from_slice(key).ok()?;
    let address = Address::from_word(keccak256(&point.serialize_uncompressed()[1..]));
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= KNOWN_KEYS {
            known.clear();
        }
        known.insert(*key, address);
    });
    Some(address)
}

/// Address of a public key in any of its encodings; None when it is not a point of the curve.
pub fn rsk_address(key: &[u8]) -> Option<Address> {
    MemberKey::parse(key).map(|key| key.rsk_address())
}

/// A public key in its compressed form. The reference accepts the point at infinity as a key, too: it is the single
/// byte 00 (bridge.md §9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberKey {
    /// The point at infinity.
    Infinity([u8; 1]),
    /// Any other point.
    Point([u8; 33]),
}

impl MemberKey {
    /// Reads a key in any of its encodings; None when it is not a point of the curve.
    pub fn parse(key: &[u8]) -> Option<Self> {
        match key {
            [0] => Some(Self::Infinity([0])),
            // Other keys of this length are truncated hybrid or uncompressed keys, which are invalid.
            [2 | 3, ..] if key.len() == 33 => {
                let bytes: [u8; 33] = key.try_into().ok()?;
                known_address(&bytes).map(|_| Self::Point(bytes))
            }
            _ => PublicKey::from_slice(key).ok().map(|point| Self::Point(point.serialize())),
        }
    }

    /// Sender address of the transactions that this key signs.
    pub fn rsk_address(&self) -> Address {
        let address = match self {
            Self::Infinity(_) => None,
            Self::Point(bytes) => known_address(bytes),
        };
        address.unwrap_or_else(|| Address::from_word(keccak256([])))
    }
}

impl AsRef<[u8]> for MemberKey {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for MemberKey {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Infinity(bytes) => bytes,
            Self::Point(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_keys_than_are_remembered() {
        let generator = PublicKey::from_slice(&[&[2][..], &GENERATOR].concat()).expect("a key");
        let mut point = generator;
        let mut keys = Vec::new();
        for _ in 0..KNOWN_KEYS + 10 {
            keys.push(point);
            point = point.combine(&generator).or_else(|_| generator.combine(&keys[0])).expect("a point");
        }
        for _ in 0..2 {
            for key in &keys {
                let parsed = MemberKey::parse(&key.serialize()).expect("a key");
                assert_eq!(Some(parsed), MemberKey::parse(&key.serialize_uncompressed()));
                let coordinates = &key.serialize_uncompressed()[1..];
                assert_eq!(parsed.rsk_address(), Address::from_word(keccak256(coordinates)));
            }
        }
        assert!(KNOWN.with_borrow(HashMap::len) <= KNOWN_KEYS);
        assert_eq!(MemberKey::parse(&[2; 33]).is_some(), PublicKey::from_slice(&[2; 33]).is_ok());
        assert_eq!(MemberKey::parse(&[0xff; 33]), None);
    }

    const GENERATOR: [u8; 32] =
        rhizome_primitives::hex!("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
}
