//! Fixed-size values from JavaScript byte arrays and numbers.

use napi::bindgen_prelude::BigInt;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::{Address, B256, U256};

use crate::errors::{Result, invalid};

/// 32 bytes.
pub fn hash(name: &str, bytes: &[u8]) -> Result<B256> {
    B256::try_from(bytes).map_err(|_| invalid(format!("{name}: expected 32 bytes, got {}", bytes.len())))
}

/// 20 bytes.
pub fn address(name: &str, bytes: &[u8]) -> Result<Address> {
    Address::try_from(bytes).map_err(|_| invalid(format!("{name}: expected 20 bytes, got {}", bytes.len())))
}

/// A big-endian number of at most 32 bytes.
pub fn uint(name: &str, bytes: &[u8]) -> Result<U256> {
    U256::try_from_be_slice(bytes)
        .ok_or_else(|| invalid(format!("{name}: expected at most 32 bytes, got {}", bytes.len())))
}

/// A number below 2^64.
pub fn unsigned64(name: &str, value: &BigInt) -> Result<u64> {
    match value.get_u64() {
        (false, value, true) => Ok(value),
        _ => Err(invalid(format!("{name}: expected a number below 2^64"))),
    }
}

/// 20 bytes, the single zero byte of the REMASC sender, or no bytes for the account without an address.
pub fn account(bytes: &[u8]) -> Result<AccountRef> {
    match bytes {
        [] => Ok(AccountRef::NoAddress),
        [0] => Ok(AccountRef::RemascSender),
        bytes => Ok(address("address", bytes)?.into()),
    }
}
