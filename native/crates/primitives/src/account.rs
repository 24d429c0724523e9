//! Accounts and their identity in the state.

use crate::{Address, B256, U256};

/// Keccak-256 of no bytes: the code hash of an account without code (consensus.md §0.3).
pub const EMPTY_CODE_HASH: B256 = crate::b256!("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");

/// Identity of an account. Every account but two has a 20-byte address. The sender of the REMASC transaction is the
/// single byte `00`, and its trie key is 12 bytes long (consensus.md §5.3); the miner of a block whose coinbase is empty
/// is no bytes at all, and its trie key is 11 bytes long (consensus.md §2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccountRef {
    /// An ordinary account or contract.
    Address(Address),
    /// The sender of the REMASC transaction, the single byte `00`.
    RemascSender,
    /// The miner of a block without a coinbase, no bytes: REMASC pays it, and nobody can spend what it has.
    NoAddress,
}

impl AccountRef {
    /// The bytes that are hashed for the account key: 20 bytes, one for the REMASC sender, none for no address.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Address(address) => address.as_slice(),
            Self::RemascSender => &[0],
            Self::NoAddress => &[],
        }
    }

    /// The 20-byte address as the EVM and JSON-RPC see it; zero for the two without one.
    pub fn address(&self) -> Address {
        match self {
            Self::Address(address) => *address,
            Self::RemascSender | Self::NoAddress => Address::ZERO,
        }
    }
}

impl From<Address> for AccountRef {
    fn from(address: Address) -> Self {
        Self::Address(address)
    }
}

/// Account state: value of the account node, `[bigint(nonce), signedCoin(balance)]` plus
/// `int(flags)` when they are not zero (consensus.md §6.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Transactions sent, or contracts created.
    pub nonce: U256,
    /// Wei, as 256-bit two's complement: a local call may drive a balance below zero, and the
    /// encoding of the account is signed.
    pub balance: U256,
    /// Bit 0: hibernated (the code then reads as empty). Always zero on the existing networks.
    pub flags: u32,
}
