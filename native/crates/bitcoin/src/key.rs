//! Public keys of secp256k1, as the reference accepts and stores them (bridge.md §9).

use std::cell::RefCell;
use std::collections::HashSet;

use rhizome_crypto::{hash160, keccak256};
use rhizome_primitives::Address;
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::BitcoinSpec;
use thiserror::Error;

use crate::address;
use crate::script::ScriptError;
use crate::signature::Signature;
use crate::signers;

/// Number of compressed keys that each thread caches as valid points of the curve: those of some federations, which are
/// parsed again for each of their signatures.
const KNOWN_POINTS: usize = 1_024;

thread_local! {
    static POINTS: RefCell<HashSet<[u8; 33]>> = RefCell::new(HashSet::new());
}

fn is_point(key: &[u8; 33]) -> bool {
    if POINTS.with_borrow(|points| points.contains(key)) {
        return true;
    }
    let is_point = secp256k1::PublicKey::from_slice(key).is_ok();
    if is_point {
        POINTS.with_borrow_mut(|points| {
            if points.len() >= KNOWN_POINTS {
                points.clear();
            }
            points.insert(*key);
        });
    }
    is_point
}

/// The bytes are not a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes are no public key")]
pub struct PublicKeyError;

impl From<PublicKeyError> for ScriptError {
    fn from(_: PublicKeyError) -> Self {
        Self::Argument("the bytes are no public key")
    }
}

/// A public key with the bytes that the reference stores for it. Keys are compared by these bytes, so the two encodings
/// of one key are two keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey {
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Accepts compressed and uncompressed keys, hybrid ones (stored uncompressed), and the single byte 0 for infinity.
    ///
    /// # Errors
    /// [`PublicKeyError`] for other bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        if bytes == [0] {
            return Ok(Self { bytes: vec![0] });
        }
        if let Ok(compressed) = <&[u8; 33]>::try_from(bytes) {
            return if is_point(compressed) { Ok(Self { bytes: bytes.to_vec() }) } else { Err(PublicKeyError) };
        }
        let point = secp256k1::PublicKey::from_slice(bytes).map_err(|_| PublicKeyError)?;
        Ok(Self { bytes: point.serialize_uncompressed().to_vec() })
    }

    /// The bytes that the reference stores.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// True when they are compressed.
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

    /// HASH160 of the stored bytes.
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

    /// True when the key signed the hash; s may be high or low.
    ///
    /// # Errors
    /// [`PublicKeyError`] for the key at infinity, on which the reference throws.
    pub fn verify(&self, hash: &B256, signature: &Signature) -> Result<bool, PublicKeyError> {
        let key = match self.bytes[..].try_into() {
            Ok(compressed) => compressed,
            Err(_) => self.point().ok_or(PublicKeyError)?.serialize(),
        };
        Ok(signers::is_signer(&key, hash, signature))
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;
    use secp256k1::{Message, SECP256K1, SecretKey};

    use super::*;

    const COMPRESSED: [u8; 33] = hex!("0213bef446466d4798bd530e002c335f2c6f94759d46f6bacb49bee9d31f278582");

    /// The result of a verification.
    fn verifies(key: &secp256k1::PublicKey, hash: &B256, signature: &Signature) -> bool {
        let Some((r, s)) = signature.normalised() else { return false };
        let compact = [r.as_slice(), s.as_slice()].concat();
        let signature = secp256k1::ecdsa::Signature::from_compact(&compact).expect("numbers in range");
        SECP256K1.verify_ecdsa(Message::from_digest(hash.0), &signature, key).is_ok()
    }

    #[test]
    fn the_signer_is_told_as_a_verification_tells_it() {
        let order = rhizome_primitives::U256::from_be_bytes(rhizome_crypto::signature::ORDER.0);
        let mut signed = 0;
        for seed in 1..=20_u8 {
            let secret = SecretKey::from_byte_array([seed; 32]).expect("a key");
            let (hash, other) = (B256::repeat_byte(seed ^ 0x5a), B256::repeat_byte(0x77));
            let made = SECP256K1.sign_ecdsa(Message::from_digest(hash.0), &secret).serialize_compact();
            let (r, s) = made.split_at(32);
            let high = (order - rhizome_primitives::U256::from_be_slice(s)).to_be_bytes::<32>();
            for signature in [
                Signature::new(r, s),
                Signature::new(r, &high),
                Signature::new(s, r),
                Signature::new(r, r),
                Signature::new(&[1], s),
                Signature::new(r, &[]),
                Signature::new(&[0xff; 32], s),
            ] {
                for seed in [seed, 1, 21] {
                    let point = SecretKey::from_byte_array([seed; 32]).expect("a key").public_key(SECP256K1);
                    for bytes in [&point.serialize()[..], &point.serialize_uncompressed()] {
                        let key = PublicKey::parse(bytes).expect("a key");
                        for hash in [&hash, &other] {
                            let expected = verifies(&point, hash, &signature);
                            assert_eq!(key.verify(hash, &signature), Ok(expected));
                            signed += usize::from(expected);
                        }
                    }
                }
            }
        }
        assert!(signed >= 20 * 2 * 2, "{signed}");
        let infinity = PublicKey::parse(&[0]).expect("infinity");
        assert_eq!(infinity.verify(&B256::ZERO, &Signature::new(&[1], &[1])), Err(PublicKeyError));
    }

    #[test]
    fn a_key_is_none_however_often_it_is_read() {
        for _ in 0..2 {
            assert_eq!(PublicKey::parse(&[0xff; 33]), Err(PublicKeyError));
            assert!(PublicKey::parse(&COMPRESSED).is_ok());
        }
    }

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
