//! Members of a federation.

use secp256k1::PublicKey;

use super::key::rsk_address;
use rhizome_primitives::Address;

/// One member of a federation; compressed public keys. Members sort by their keys in field order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FederationMember {
    /// Key on the Bitcoin side.
    pub btc_key: [u8; 33],
    /// Key on the Rootstock side.
    pub rsk_key: [u8; 33],
    /// Key of the third kind (RSKIP123).
    pub mst_key: [u8; 33],
}

/// Which of a member's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Btc,
    Rsk,
    Mst,
}

impl KeyKind {
    /// The kind named as in the calls; None for any other name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "btc" => Some(Self::Btc),
            "rsk" => Some(Self::Rsk),
            "mst" => Some(Self::Mst),
            _ => None,
        }
    }
}

impl FederationMember {
    /// A member that uses one key for everything.
    pub(crate) fn of_one_key(key: [u8; 33]) -> Self {
        Self { btc_key: key, rsk_key: key, mst_key: key }
    }

    pub(crate) fn key(&self, kind: KeyKind) -> &[u8; 33] {
        match kind {
            KeyKind::Btc => &self.btc_key,
            KeyKind::Rsk => &self.rsk_key,
            KeyKind::Mst => &self.mst_key,
        }
    }

    /// Sender address of the member's transactions.
    pub(crate) fn rsk_address(&self) -> Option<Address> {
        rsk_address(&self.rsk_key)
    }
}

/// The compressed form of a stored key; None when it is no point of the curve.
pub(crate) fn compress(key: &[u8]) -> Option<[u8; 33]> {
    PublicKey::from_slice(key).ok().map(|point| point.serialize())
}
