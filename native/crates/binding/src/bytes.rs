//! Fixed-size values from JavaScript byte arrays.

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
