//! Federation keys.

use alloy_primitives::keccak256;
use rhizome_primitives::Address;
use secp256k1::PublicKey;

/// Address of a public key in any of its encodings; None when it is no point of the curve.
pub fn rsk_address(key: &[u8]) -> Option<Address> {
    let point = PublicKey::from_slice(key).ok()?.serialize_uncompressed();
    Some(Address::from_word(keccak256(&point[1..])))
}
