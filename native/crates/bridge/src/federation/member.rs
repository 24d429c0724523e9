//! Members of a federation.

use rhizome_primitives::Address;

use super::key::MemberKey;

/// One member of a federation. Members sort by their keys in field order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FederationMember {
    /// Key on the Bitcoin side.
    pub btc_key: MemberKey,
    /// Key on the Rootstock side.
    pub rsk_key: MemberKey,
    /// Key of the third kind (RSKIP123).
    pub mst_key: MemberKey,
}

/// The kinds of a member's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Btc,
    Rsk,
    Mst,
}

impl KeyKind {
    /// Parses the name of a kind as used in calls; None for any other name.
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
    /// A member with the same key for everything.
    pub fn of_one_key(key: MemberKey) -> Self {
        Self { btc_key: key, rsk_key: key, mst_key: key }
    }

    pub(crate) fn key(&self, kind: KeyKind) -> &MemberKey {
        match kind {
            KeyKind::Btc => &self.btc_key,
            KeyKind::Rsk => &self.rsk_key,
            KeyKind::Mst => &self.mst_key,
        }
    }

    /// Sender address of the member's transactions.
    pub fn rsk_address(&self) -> Address {
        self.rsk_key.rsk_address()
    }
}
