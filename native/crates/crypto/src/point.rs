//! Arithmetic on points of secp256k1 (RSKIP516).

use rhizome_primitives::{B256, U256};
use secp256k1::{PublicKey, Scalar};

use crate::context::CONTEXT;
use crate::recovery::affine_bytes;
use crate::signature::ORDER;

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The neutral element; x ∥ y is zero.
    Infinity,
    /// Any other.
    Affine(PublicKey),
}

impl Point {
    /// Reads x ∥ y, big-endian; all zeros is infinity. None when a coordinate is not below the field's
    /// prime or the point is not on the curve.
    pub fn read(bytes: &[u8; 64]) -> Option<Self> {
        if bytes == &[0; 64] {
            return Some(Self::Infinity);
        }
        let mut uncompressed = [4; 65];
        uncompressed[1..].copy_from_slice(bytes);
        PublicKey::from_slice(&uncompressed).ok().map(Self::Affine)
    }

    /// Writes the form that [`Self::read`] reads.
    pub fn to_bytes(&self) -> [u8; 64] {
        match self {
            Self::Infinity => [0; 64],
            Self::Affine(point) => affine_bytes(point),
        }
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Infinity, point) | (point, Self::Infinity) => *point,
            // Of two valid points the library refuses only a sum at infinity.
            (Self::Affine(left), Self::Affine(right)) => left.combine(right).map_or(Self::Infinity, Self::Affine),
        }
    }

    /// The product with any 256-bit number.
    #[must_use]
    pub fn multiply(&self, factor: &B256) -> Self {
        let reduced = U256::from_be_bytes(factor.0) % U256::from_be_bytes(ORDER.0);
        match (self, Scalar::from_be_bytes(reduced.to_be_bytes())) {
            // Of a valid point and a number below the order the library refuses only zero.
            (Self::Affine(point), Ok(scalar)) => {
                point.mul_tweak(&CONTEXT, &scalar).map_or(Self::Infinity, Self::Affine)
            }
            _ => Self::Infinity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::public_key;

    fn multiple(n: u64) -> Point {
        let bytes = public_key(&B256::from(U256::from(n))).expect("a valid key");
        Point::read(&bytes).expect("a point")
    }

    fn negative(point: &Point) -> Point {
        point.multiply(&B256::from(U256::from_be_bytes(ORDER.0) - U256::from(1)))
    }

    #[test]
    fn group_laws() {
        for (a, b) in [(1, 1), (1, 2), (5, 5), (7, 12)] {
            assert_eq!(multiple(a).add(&multiple(b)), multiple(a + b));
            assert_eq!(multiple(a).multiply(&B256::from(U256::from(b))), multiple(a * b));
        }
        let five = multiple(5);
        assert_eq!(five.add(&negative(&five)), Point::Infinity);
        assert_eq!(five.add(&Point::Infinity), five);
        assert_eq!(Point::Infinity.add(&five), five);
        assert_eq!(five.multiply(&B256::ZERO), Point::Infinity);
        assert_eq!(five.multiply(&ORDER), Point::Infinity);
        assert_eq!(five.multiply(&B256::from(U256::from_be_bytes(ORDER.0) + U256::from(3))), multiple(15));
        assert_eq!(Point::Infinity.multiply(&B256::repeat_byte(0xff)), Point::Infinity);
        assert_eq!(Point::read(&Point::Infinity.to_bytes()), Some(Point::Infinity));
    }

    #[test]
    fn bytes_off_the_curve_are_refused() {
        let mut bytes = multiple(3).to_bytes();
        assert!(Point::read(&bytes).is_some());
        bytes[63] ^= 1;
        assert_eq!(Point::read(&bytes), None);
        // x = p has the ordinates of x = 0, of which there are none either; p + 1 has those of 1.
        let prime = U256::MAX - U256::from(0x1_0000_03d0u64);
        let mut high = [0; 64];
        high[..32].copy_from_slice(&(prime + U256::from(1)).to_be_bytes::<32>());
        let one = PublicKey::from_slice(&[[2; 1].as_slice(), B256::with_last_byte(1).as_slice()].concat());
        high[32..].copy_from_slice(&affine_bytes(&one.expect("a point with abscissa 1"))[32..]);
        assert_eq!(Point::read(&high), None);
    }
}
