//! Target of a difficulty.

use rhizome_primitives::U256;

/// Smaller difficulties count as this one: the target must stay below 2^255.
const SMALLEST_DIFFICULTY: u64 = 3;

/// The largest Bitcoin block hash, read as a number, that proves work of this difficulty:
/// floor(2^256 / d), where d below 3 counts as 3 (consensus.md §3.2 step 5).
pub fn target_from_difficulty(difficulty: U256) -> U256 {
    let divisor = difficulty.max(U256::from(SMALLEST_DIFFICULTY));
    // 2^256 does not fit 256 bits: divide 2^256 - 1, and add one where the remainder shows that the quotient is one too
    // low.
    let (quotient, remainder) = U256::MAX.div_rem(divisor);
    if remainder + U256::from(1) == divisor { quotient + U256::from(1) } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let third = U256::MAX / U256::from(3);
        for small in 0..=3u64 {
            assert_eq!(target_from_difficulty(U256::from(small)), third);
        }
        assert_eq!(target_from_difficulty(U256::from(4)), U256::from(1) << 254);
        assert_eq!(target_from_difficulty(U256::from(5)), U256::MAX / U256::from(5));
        assert_eq!(target_from_difficulty(U256::MAX), U256::from(1));
        assert_eq!(target_from_difficulty(U256::from(1) << 255), U256::from(2));
    }
}
