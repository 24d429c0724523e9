//! Value of the account node (consensus.md §6.5): `[bigint(nonce), signedCoin(balance)]`, with
//! `int(flags)` as third item when flags are set.

use rhizome_primitives::account::{Account, Balance};
use rhizome_primitives::rlp::{self, Item, RlpError};
use rhizome_primitives::{B256, U256};

/// The bytes stored in the trie for an account.
pub fn encode_account(account: &Account) -> Vec<u8> {
    let mut payload = Vec::with_capacity(32);
    rlp::write_uint(&mut payload, account.nonce);
    rlp::write_bytes(&mut payload, &balance_bytes(account.balance));
    if account.flags != 0 {
        rlp::write_uint(&mut payload, U256::from(account.flags));
    }
    rlp::list(&payload)
}

/// Reads the bytes stored in the trie. Items after the third are ignored. Fails for a balance of 2^256 wei and more,
/// either sign: the reference's numbers are unbounded.
pub fn decode_account(bytes: &[u8]) -> Result<Account, RlpError> {
    let items = Item::read_only(bytes)?.items()?;
    let [nonce, balance, rest @ ..] = items.as_slice() else { return Err(RlpError::Truncated) };
    let flags = rest.first().map_or(Ok(U256::ZERO), |flags| flags.u256())?;
    Ok(Account {
        nonce: nonce.u256()?,
        balance: read_balance(balance.bytes()?)?,
        flags: u32::try_from(flags).map_err(|_| RlpError::IntegerTooLarge)?,
    })
}

/// Minimal two's-complement big-endian bytes; zero is one zero byte.
fn balance_bytes(balance: Balance) -> Vec<u8> {
    let word = balance.word();
    if word.bit(255) == balance.is_negative() {
        return rlp::signed_bytes(word);
    }
    let mut bytes = vec![if balance.is_negative() { 0xff } else { 0 }];
    bytes.extend_from_slice(B256::from(word).as_slice());
    bytes
}

fn read_balance(bytes: &[u8]) -> Result<Balance, RlpError> {
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
    Ok(Balance::from_magnitude(negative, if negative { word.wrapping_neg() } else { word }))
}
