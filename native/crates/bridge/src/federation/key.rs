//! Federation keys.

use std::ops::Deref;

use alloy_primitives::keccak256;
use rhizome_primitives::Address;
use secp256k1::PublicKey;

/// Address of a public key in any of its encodings; None when it is no point of the curve.
pub fn rsk_address(key: &[u8]) -> Option<Address> {
    MemberKey::parse(key).map(|key| key.rsk_address())
}

/// A public key in its compressed form. The reference takes the point at infinity for a key, too: it is
/// the one byte 00 (bridge.md §9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberKey {
    /// The point at infinity.
    Infinity([u8; 1]),
    /// Any other point.
    Point([u8; 33]),
}

impl MemberKey {
    /// Reads a key in any of its encodings; None when it is no point of the curve.
    pub fn parse(key: &[u8]) -> Option<Self> {
        match key {
            [0] => Some(Self::Infinity([0])),
            _ => PublicKey::from_slice(key).ok().map(|point| Self::Point(point.serialize())),
        }
    }

    /// Sender address of the transactions that this key signs.
    pub fn rsk_address(&self) -> Address {
        let point = match self {
            Self::Infinity(_) => None,
            Self::Point(bytes) => PublicKey::from_slice(bytes).ok(),
        };
        let coordinates = point.map(|point| point.serialize_uncompressed());
        Address::from_word(keccak256(coordinates.as_ref().map_or(&[][..], |bytes| &bytes[1..])))
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
