//! Public keys and addresses recovered from signatures.

use rhizome_primitives::{Address, B256, address};
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use secp256k1::{Message, PublicKey};

use crate::context::CONTEXT;
use crate::keccak::keccak256;
use crate::signature::scalar_in_range;

/// Address of the key that is the point at infinity: the last 20 bytes of the Keccak-256 of no
/// bytes. Ethereum has no such sender.
pub const EMPTY_KEY_ADDRESS: Address = address!("dcc703c0e500b653ca82273b7bfad8045d85a470");

/// Result of the recovery of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveredKey {
    /// x ∥ y, big-endian.
    Point([u8; 64]),
    /// The point at infinity, when s·R = e·G. Not a failure on this network (evm.md §4.2).
    Infinity,
}

impl RecoveredKey {
    /// The address of the key.
    pub fn address(&self) -> Address {
        match self {
            Self::Point(point) => address_of_public_key(point),
            Self::Infinity => EMPTY_KEY_ADDRESS,
        }
    }
}

/// Address of a public key given as x ∥ y: the last 20 bytes of its Keccak-256.
pub fn address_of_public_key(point: &[u8; 64]) -> Address {
    Address::from_slice(&keccak256(point)[12..])
}

/// The key that signed `hash`, or None when there is none: r or s outside 1..n, a recovery id
/// above 3, or no curve point with that abscissa. A high s is allowed; transactions must pass
/// [`crate::components_acceptable`] first. Bit 0 of the recovery id is the parity of R's ordinate,
/// bit 1 says that its abscissa is r + n.
pub fn recover_public_key(hash: &B256, recovery_id: u8, r: &B256, s: &B256) -> Option<RecoveredKey> {
    if !scalar_in_range(r) || !scalar_in_range(s) {
        return None;
    }
    let id = RecoveryId::try_from(i32::from(recovery_id)).ok()?;
    let mut compact = [0; 64];
    compact[..32].copy_from_slice(r.as_slice());
    compact[32..].copy_from_slice(s.as_slice());
    let signature = RecoverableSignature::from_compact(&compact, id).ok()?;
    match CONTEXT.recover_ecdsa(Message::from_digest(hash.0), &signature) {
        Ok(key) => Some(RecoveredKey::Point(affine_bytes(&key))),
        // With both components in range the library fails only when R does not exist or the sum is
        // infinity. An abscissa of r + n, which no one can find a discrete logarithm for, is left out.
        Err(_) => (recovery_id < 2 && nonce_point_exists(r, recovery_id)).then_some(RecoveredKey::Infinity),
    }
}

/// Address of the signer of `hash`; None as for [`recover_public_key`]. `parity` is 0 or 1
/// (v = 27 or 28), anything else recovers nothing.
pub fn recover_address(hash: &B256, parity: u8, r: &B256, s: &B256) -> Option<Address> {
    if parity > 1 {
        return None;
    }
    recover_public_key(hash, parity, r, s).map(|key| key.address())
}

/// x ∥ y of a key.
pub(crate) fn affine_bytes(key: &PublicKey) -> [u8; 64] {
    let mut point = [0; 64];
    point.copy_from_slice(&key.serialize_uncompressed()[1..]);
    point
}

/// True when the curve has a point with abscissa r.
fn nonce_point_exists(r: &B256, parity: u8) -> bool {
    let mut compressed = [0; 33];
    compressed[0] = 2 + (parity & 1);
    compressed[1..].copy_from_slice(r.as_slice());
    PublicKey::from_slice(&compressed).is_ok()
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::b256;

    use super::*;

    const GENERATOR_X: B256 = b256!("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");

    #[test]
    fn evm_sheet_v14_infinity_recovers_the_empty_key() {
        let five = B256::with_last_byte(5);
        assert_eq!(recover_public_key(&five, 0, &GENERATOR_X, &five), Some(RecoveredKey::Infinity));
        assert_eq!(recover_address(&five, 0, &GENERATOR_X, &five), Some(EMPTY_KEY_ADDRESS));
        assert_eq!(keccak256(b"")[12..], EMPTY_KEY_ADDRESS[..]);
    }

    #[test]
    fn evm_sheet_v15() {
        let address = recover_address(&B256::with_last_byte(7), 0, &GENERATOR_X, &B256::with_last_byte(5));
        assert_eq!(address, Some(address!("bfe50111d3c73a6fd6cc132985b0227ea4508b32")));
    }

    #[test]
    fn no_key_without_a_nonce_point_or_outside_the_ranges() {
        let one = B256::with_last_byte(1);
        assert_eq!(recover_address(&one, 0, &B256::with_last_byte(5), &one), None);
        assert_eq!(recover_address(&one, 0, &B256::ZERO, &one), None);
        assert_eq!(recover_address(&one, 0, &GENERATOR_X, &B256::ZERO), None);
        assert_eq!(recover_address(&one, 0, &GENERATOR_X, &crate::signature::ORDER), None);
        assert_eq!(recover_address(&one, 2, &GENERATOR_X, &one), None);
        assert_eq!(recover_public_key(&one, 2, &GENERATOR_X, &one), None);
        assert_eq!(recover_public_key(&one, 4, &GENERATOR_X, &one), None);
    }
}
