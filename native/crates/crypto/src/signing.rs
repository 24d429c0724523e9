//! Keys and signatures of the dev chain and the wallet.

use rhizome_primitives::{Address, B256};
use secp256k1::{Message, SecretKey};
use thiserror::Error;

use crate::context::CONTEXT;
use crate::recovery::{address_of_public_key, affine_bytes};

/// Reason why a private key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The key is zero or not below the order of the curve.
    #[error("a private key must be in 1..n of secp256k1")]
    OutOfRange,
    /// The nonce point's abscissa is not below the order, so one parity bit cannot name it. No such
    /// message is known.
    #[error("the signature of this hash has no one-bit recovery id")]
    NoParity,
}

/// A signature with the parity of its nonce point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoverableSignature {
    /// 0 or 1: v − 27.
    pub parity: u8,
    /// Component r.
    pub r: B256,
    /// Component s, low.
    pub s: B256,
}

/// Public key as x ∥ y, big-endian.
pub fn public_key(private_key: &B256) -> Result<[u8; 64], KeyError> {
    Ok(affine_bytes(&secret(private_key)?.public_key(&CONTEXT)))
}

/// Address of a private key.
pub fn address_of_private_key(private_key: &B256) -> Result<Address, KeyError> {
    public_key(private_key).map(|point| address_of_public_key(&point))
}

/// Signs a hash: deterministic nonce (RFC 6979), low s.
pub fn sign(hash: &B256, private_key: &B256) -> Result<RecoverableSignature, KeyError> {
    let signature = CONTEXT.sign_ecdsa_recoverable(Message::from_digest(hash.0), &secret(private_key)?);
    let (id, compact) = signature.serialize_compact();
    let parity = u8::try_from(i32::from(id)).ok().filter(|id| *id < 2).ok_or(KeyError::NoParity)?;
    Ok(RecoverableSignature { parity, r: B256::from_slice(&compact[..32]), s: B256::from_slice(&compact[32..]) })
}

fn secret(private_key: &B256) -> Result<SecretKey, KeyError> {
    SecretKey::from_byte_array(private_key.0).map_err(|_| KeyError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::{address, b256};

    use super::*;
    use crate::{components_acceptable, keccak256, recover_address};

    /// Private key of the first regtest account: Keccak-256 of "cow".
    const COW: B256 = b256!("c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4");

    #[test]
    fn the_first_regtest_account() {
        assert_eq!(keccak256(b"cow"), COW);
        assert_eq!(address_of_private_key(&COW), Ok(address!("cd2a3d9f938e13cd947ec05abc7fe734df8dd826")));
    }

    #[test]
    fn rfc6979_vector() {
        // Key 1, SHA-256 of "Satoshi Nakamoto": the vector that all secp256k1 libraries share.
        let signature = sign(&crate::sha256(b"Satoshi Nakamoto"), &B256::with_last_byte(1)).expect("a valid key");
        assert_eq!(signature.r, b256!("934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"));
        assert_eq!(signature.s, b256!("2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"));
    }

    #[test]
    fn signatures_are_low_and_recover_the_signer() {
        for n in 1..=50u8 {
            let key = B256::repeat_byte(n);
            let hash = keccak256(&[n]);
            let signature = sign(&hash, &key).expect("a valid key");
            assert!(components_acceptable(&signature.r, &signature.s));
            assert_eq!(
                recover_address(&hash, signature.parity, &signature.r, &signature.s),
                address_of_private_key(&key).ok()
            );
        }
    }

    #[test]
    fn keys_out_of_range_are_refused() {
        assert_eq!(public_key(&B256::ZERO), Err(KeyError::OutOfRange));
        assert_eq!(sign(&B256::ZERO, &crate::signature::ORDER), Err(KeyError::OutOfRange));
    }
}
