//! Range rules of signature components.

use rhizome_primitives::{B256, b256};

/// Order n of secp256k1.
pub const ORDER: B256 = b256!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");

/// floor(n / 2).
pub const HALF_ORDER: B256 = b256!("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/// True when a component is in 1..n.
#[inline]
pub fn scalar_in_range(component: &B256) -> bool {
    !component.is_zero() && *component < ORDER
}

/// True when a transaction may carry this signature (consensus.md §5.2): 1 ≤ r, s < n and
/// s < floor(n/2), strictly; Ethereum accepts s = floor(n/2).
pub fn components_acceptable(r: &B256, s: &B256) -> bool {
    scalar_in_range(r) && !s.is_zero() && *s < HALF_ORDER
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::U256;

    use super::*;

    #[test]
    fn bounds() {
        let one = B256::with_last_byte(1);
        let below = |bound: B256| B256::from(U256::from_be_bytes(bound.0) - U256::from(1));
        assert_eq!(U256::from_be_bytes(HALF_ORDER.0), U256::from_be_bytes(ORDER.0) >> 1);
        assert!(components_acceptable(&one, &one));
        assert!(components_acceptable(&below(ORDER), &below(HALF_ORDER)));
        assert!(!components_acceptable(&ORDER, &one));
        assert!(!components_acceptable(&one, &HALF_ORDER));
        assert!(!components_acceptable(&B256::ZERO, &one));
        assert!(!components_acceptable(&one, &B256::ZERO));
    }
}
