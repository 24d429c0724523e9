//! Conversion between wei and satoshi.

use rhizome_primitives::U256;

/// Wei in a satoshi.
const WEI_PER_SATOSHI: U256 = U256::from_limbs([10_000_000_000, 0, 0, 0]);

/// Whole satoshi of an amount of wei: the low 64 bits.
pub(crate) fn satoshi(wei: U256) -> i64 {
    (wei / WEI_PER_SATOSHI).as_limbs()[0] as i64
}

/// Wei of an amount of satoshi, which must not be negative.
pub(crate) fn wei(satoshi: i64) -> U256 {
    U256::from(satoshi.max(0)) * WEI_PER_SATOSHI
}
