//! Diffie-Hellman key exchange over secp256k1.

use rhizome_primitives::B256;
use secp256k1::ecdh::shared_secret_point;
use secp256k1::{PublicKey, SecretKey};

/// The shared secret: x-coordinate of the product of a private key and a public key, which is given as x ∥ y. Constant
/// time with regard to the private key. None when one of them is not a valid key.
pub fn shared_abscissa(private_key: &B256, public_key: &[u8; 64]) -> Option<B256> {
    let mut uncompressed = [4; 65];
    uncompressed[1..].copy_from_slice(public_key);
    let point = PublicKey::from_slice(&uncompressed).ok()?;
    let secret = SecretKey::from_byte_array(private_key.0).ok()?;
    Some(B256::from_slice(&shared_secret_point(&point, &secret)[..32]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::signing::public_key;

    #[test]
    fn both_sides_agree() {
        let (one, other) = (B256::repeat_byte(0x11), B256::repeat_byte(0x22));
        let shared = shared_abscissa(&one, &public_key(&other).unwrap());
        assert!(shared.is_some());
        assert_eq!(shared, shared_abscissa(&other, &public_key(&one).unwrap()));
    }

    #[test]
    fn what_is_no_key_has_no_secret() {
        let key = B256::repeat_byte(0x11);
        assert_eq!(shared_abscissa(&key, &[1; 64]), None);
        assert_eq!(shared_abscissa(&B256::ZERO, &public_key(&key).unwrap()), None);
    }
}
