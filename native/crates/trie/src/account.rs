//! Value of the account node (consensus.md §6.5): `[bigint(nonce), signedCoin(balance)]`, with
//! `int(flags)` as third item when flags are set.

use rhizome_primitives::account::Account;
use rhizome_primitives::rlp::{self, Item, RlpError};
use rhizome_primitives::{B256, U256};

/// A balance in the range that the encoding allows. It is wider than [`Account::balance`], which is 256-bit two's
/// complement, because the reference's numbers are unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignedBalance {
    /// Below zero.
    pub negative: bool,
    /// Absolute value in wei.
    pub magnitude: U256,
}

/// The fields of an account value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountValue {
    /// Transactions sent, or contracts created.
    pub nonce: U256,
    /// Wei.
    pub balance: SignedBalance,
    /// Bit 0: hibernated.
    pub flags: u32,
}

impl SignedBalance {
    /// From 256-bit two's complement.
    pub fn from_word(word: U256) -> Self {
        let negative = word.bit(255);
        Self { negative, magnitude: if negative { word.wrapping_neg() } else { word } }
    }

    /// As 256-bit two's complement; None when it does not fit.
    pub fn to_word(self) -> Option<U256> {
        let word = if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude };
        (word.is_zero() || word.bit(255) == self.negative).then_some(word)
    }

    /// Minimal two's-complement big-endian bytes; zero is one zero byte.
    fn to_bytes(self) -> Vec<u8> {
        if let Some(word) = self.to_word() {
            return rlp::signed_bytes(word);
        }
        let low = if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude };
        let mut bytes = vec![if self.negative { 0xff } else { 0 }];
        bytes.extend_from_slice(B256::from(low).as_slice());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, RlpError> {
        let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
        let fill = if negative { 0xff } else { 0 };
        let significant = &bytes[bytes.iter().take_while(|&&byte| byte == fill).count()..];
        if significant.len() > 32 {
            return Err(RlpError::IntegerTooLarge);
        }
        let mut word = [fill; 32];
        word[32 - significant.len()..].copy_from_slice(significant);
        let word = U256::from_be_bytes(word);
        if negative && word.is_zero() {
            // -2^256, which has no 256-bit magnitude.
            return Err(RlpError::IntegerTooLarge);
        }
        Ok(Self { negative, magnitude: if negative { word.wrapping_neg() } else { word } })
    }
}

impl AccountValue {
    /// The bytes stored in the trie.
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(32);
        rlp::write_uint(&mut payload, self.nonce);
        rlp::write_bytes(&mut payload, &self.balance.to_bytes());
        if self.flags != 0 {
            rlp::write_uint(&mut payload, U256::from(self.flags));
        }
        rlp::list(&payload)
    }

    /// Reads the bytes stored in the trie. Items after the third are ignored.
    pub fn decode(bytes: &[u8]) -> Result<Self, RlpError> {
        let items = Item::read_only(bytes)?.items()?;
        let [nonce, balance, rest @ ..] = items.as_slice() else { return Err(RlpError::Truncated) };
        let flags = rest.first().map_or(Ok(U256::ZERO), |flags| flags.u256())?;
        Ok(Self {
            nonce: nonce.u256()?,
            balance: SignedBalance::from_bytes(balance.bytes()?)?,
            flags: u32::try_from(flags).map_err(|_| RlpError::IntegerTooLarge)?,
        })
    }
}

/// The bytes stored in the trie for an account.
pub fn encode_account(account: &Account) -> Vec<u8> {
    AccountValue { nonce: account.nonce, balance: SignedBalance::from_word(account.balance), flags: account.flags }
        .encode()
}

/// Reads the bytes stored in the trie. Fails for a balance of 2^255 wei and more, either sign.
pub fn decode_account(bytes: &[u8]) -> Result<Account, RlpError> {
    let value = AccountValue::decode(bytes)?;
    let balance = value.balance.to_word().ok_or(RlpError::IntegerTooLarge)?;
    Ok(Account { nonce: value.nonce, balance, flags: value.flags })
}
