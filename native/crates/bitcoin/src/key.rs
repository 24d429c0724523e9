//! Public keys of secp256k1, as the reference accepts and keeps them (bridge.md §9).

use rhizome_crypto::{hash160, keccak256};
use rhizome_primitives::Address;
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::BitcoinSpec;
use secp256k1::Message;
use thiserror::Error;

use crate::address;
use crate::script::ScriptError;
use crate::signature::Signature;

/// The bytes are no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes are no public key")]
pub struct PublicKeyError;

impl From<PublicKeyError> for ScriptError {
    fn from(_: PublicKeyError) -> Self {
        Self::Argument("the bytes are no public key")
    }
}

/// A public key with the bytes that the reference keeps of it. Keys are compared by these, so a key in
/// its two encodings is two keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey {
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Accepts compressed and uncompressed keys, hybrid ones (kept uncompressed), and the one byte 0 for
    /// infinity.
    ///
    /// # Errors
    /// [`PublicKeyError`] for other bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        if bytes == [0] {
            return Ok(Self { bytes: vec![0] });
        }
        let point = secp256k1::PublicKey::from_slice(bytes).map_err(|_| PublicKeyError)?;
        let kept = if bytes.len() == 33 { bytes.to_vec() } else { point.serialize_uncompressed().to_vec() };
        Ok(Self { bytes: kept })
    }

    /// The bytes that the reference keeps.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether they are compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.bytes.len() == 33
    }

    fn point(&self) -> Option<secp256k1::PublicKey> {
        secp256k1::PublicKey::from_slice(&self.bytes).ok()
    }

    /// 04 ∥ x ∥ y, or the one byte 0.
    #[must_use]
    pub fn uncompressed(&self) -> Vec<u8> {
        self.point().map_or_else(|| self.bytes.clone(), |point| point.serialize_uncompressed().to_vec())
    }

    /// HASH160 of the kept bytes.
    #[must_use]
    pub fn hash(&self) -> [u8; 20] {
        hash160(&self.bytes)
    }

    /// Pay-to-public-key-hash address.
    #[must_use]
    pub fn address(&self, bitcoin: &BitcoinSpec) -> address::Address {
        address::Address { version: bitcoin.address_version, hash: self.hash() }
    }

    /// Address of the account with this key on Rootstock.
    #[must_use]
    pub fn rsk_address(&self) -> Address {
        Address::from_word(keccak256(&self.uncompressed()[1..]))
    }

    /// Whether the key signed the hash, be s high or low.
    ///
    /// # Errors
    /// [`PublicKeyError`] for the key at infinity, on which the reference throws.
    pub fn verify(&self, hash: &B256, signature: &Signature) -> Result<bool, PublicKeyError> {
        let point = self.point().ok_or(PublicKeyError)?;
        let Some((r, s)) = signature.normalised() else { return Ok(false) };
        let mut compact = [0; 64];
        compact[..32].copy_from_slice(r.as_slice());
        compact[32..].copy_from_slice(s.as_slice());
        let verified = secp256k1::ecdsa::Signature::from_compact(&compact)
            .and_then(|signature| secp256k1::SECP256K1.verify_ecdsa(Message::from_digest(hash.0), &signature, &point));
        Ok(verified.is_ok())
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;

    use super::*;

    const COMPRESSED: [u8; 33] = hex!("0213bef446466d4798bd530e002c335f2c6f94759d46f6bacb49bee9d31f278582");

    #[test]
    fn hybrid_keys_are_kept_uncompressed() {
        let uncompressed = PublicKey::parse(&COMPRESSED).expect("a key").uncompressed();
        let mut hybrid = uncompressed.clone();
        hybrid[0] = 6;
        assert_eq!(PublicKey::parse(&hybrid).expect("a key").as_bytes(), uncompressed);
        hybrid[0] = 7;
        assert_eq!(PublicKey::parse(&hybrid), Err(PublicKeyError));
        assert_eq!(PublicKey::parse(&[0]).expect("infinity").rsk_address(), rhizome_crypto::EMPTY_KEY_ADDRESS);
        assert_eq!(PublicKey::parse(&[]), Err(PublicKeyError));
        assert_eq!(PublicKey::parse(&[0; 33]), Err(PublicKeyError));
    }
}
