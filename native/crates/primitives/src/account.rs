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

/// Wei of an account. Below zero only where the reference does not ask for funds: while free transactions and those
/// before RSKIP136 run, and in local calls. Between -2^256 and 2^256-1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The balance modulo 2^256.
    word: U256,
    /// True when it is the word less 2^256.
    negative: bool,
}

impl Balance {
    /// Nothing.
    pub const ZERO: Self = Self { word: U256::ZERO, negative: false };

    /// From sign and absolute value.
    pub fn from_magnitude(negative: bool, magnitude: U256) -> Self {
        if negative && !magnitude.is_zero() {
            Self { word: magnitude.wrapping_neg(), negative }
        } else {
            magnitude.into()
        }
    }

    /// As BALANCE gives it: modulo 2^256.
    pub fn word(self) -> U256 {
        self.word
    }

    /// True when it is below zero.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Absolute value, modulo 2^256.
    pub fn magnitude(self) -> U256 {
        if self.negative { self.word.wrapping_neg() } else { self.word }
    }

    /// As clients get it: zero below zero, for a QUANTITY has no sign.
    pub fn shown(self) -> U256 {
        if self.negative { U256::ZERO } else { self.word }
    }

    /// True when it is zero.
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// True when it covers an amount. A negative balance does not even cover zero.
    pub fn covers(self, amount: U256) -> bool {
        !self.negative && self.word >= amount
    }

    /// With an amount more. Only state that a user edited holds 2^256 wei, of which 2^256 are lost, as with geth.
    #[must_use]
    pub fn plus(self, amount: U256) -> Self {
        let (word, carried) = self.word.overflowing_add(amount);
        Self { word, negative: self.negative && !carried }
    }

    /// With an amount less; may be below zero.
    #[must_use]
    pub fn minus(self, amount: U256) -> Self {
        let (word, borrowed) = self.word.overflowing_sub(amount);
        Self { word, negative: self.negative || borrowed }
    }
}

impl From<U256> for Balance {
    fn from(word: U256) -> Self {
        Self { word, negative: false }
    }
}

impl std::fmt::Display for Balance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}{}", if self.negative { "-" } else { "" }, self.magnitude())
    }
}

/// Account state: value of the account node, `[bigint(nonce), signedCoin(balance)]` plus
/// `int(flags)` when they are not zero (consensus.md §6.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Transactions sent, or contracts created.
    pub nonce: U256,
    /// Wei.
    pub balance: Balance,
    /// Bit 0: hibernated (the code then reads as empty). Always zero on the existing networks.
    pub flags: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances_have_256_bits_and_a_sign() {
        let one = Balance::from(U256::ONE);
        let debt = one.minus(U256::from(3));
        assert!(debt.is_negative() && !debt.covers(U256::ZERO));
        assert_eq!((debt.word(), debt.magnitude(), debt.shown()), (U256::MAX - U256::ONE, U256::from(2), U256::ZERO));
        assert_eq!(debt, Balance::from_magnitude(true, U256::from(2)));
        assert_eq!(debt.to_string(), "-2");
        assert_eq!(debt.plus(U256::from(3)), one);
        assert!(debt.plus(U256::from(2)).is_zero());
        assert!(Balance::from_magnitude(true, U256::ZERO).is_zero());
        let all = Balance::from(U256::MAX);
        assert!(all.covers(U256::MAX) && !all.is_negative());
        assert_eq!(all.minus(U256::MAX), Balance::ZERO);
        assert_eq!(Balance::ZERO.minus(U256::MAX).plus(U256::MAX), Balance::ZERO);
        assert_eq!(all.plus(U256::from(5)), U256::from(4).into(), "no balance becomes negative by what it gets");
    }
}
