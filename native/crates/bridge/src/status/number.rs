//! Numbers of the status.

use rhizome_primitives::U256;

/// Heights and amounts; they cannot be negative, and a negative value is shown as zero.
pub(super) fn number(value: i64) -> U256 {
    U256::from(value.max(0))
}
