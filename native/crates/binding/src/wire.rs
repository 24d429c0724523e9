//! Cryptography of the wire protocol: incremental hashes, and secp256k1 keys that are node ids.

use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;
use rhizome_crypto::RecoveredKey;

use crate::bytes;
use crate::errors::{Result, invalid};

/// Incremental Keccak-256.
#[napi(js_name = "RunningKeccak")]
#[derive(Default)]
pub struct RunningHash {
    inner: rhizome_crypto::RunningKeccak,
}

#[napi]
impl RunningHash {
    /// A hash of no bytes yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    #[napi]
    pub fn update(&mut self, bytes: Uint8Array) {
        self.inner.update(&bytes);
    }

    /// Digest of everything added so far: 32 bytes.
    #[napi]
    pub fn digest(&self) -> Buffer {
        self.inner.digest().to_vec().into()
    }
}

/// Public key x ∥ y that signed a 32-byte hash; null when no key did. The signature is r 32 ∥ s 32 ∥ parity 1.
#[napi(catch_unwind)]
pub fn recover_public_key(hash: Uint8Array, signature: Uint8Array) -> Result<Option<Buffer>> {
    let hash = bytes::hash("hash", &hash)?;
    let Some((compact, &[parity])) = signature.split_first_chunk::<64>() else {
        return Err(invalid("signature: expected 65 bytes"));
    };
    let (r, s) = compact.split_at(32);
    let key = rhizome_crypto::recover_public_key(&hash, parity, &bytes::hash("r", r)?, &bytes::hash("s", s)?);
    Ok(match key {
        Some(RecoveredKey::Point(point)) => Some(point.to_vec().into()),
        Some(RecoveredKey::Infinity) | None => None,
    })
}

/// The x-coordinate, 32 bytes, of the product of a private key and a public key x ∥ y; null when one of them is not a
/// valid key.
#[napi(catch_unwind)]
pub fn shared_abscissa(private_key: Uint8Array, public_key: Uint8Array) -> Result<Option<Buffer>> {
    let private_key = bytes::hash("private key", &private_key)?;
    let public_key = (*public_key).try_into().map_err(|_| invalid("public key: expected 64 bytes"))?;
    Ok(rhizome_crypto::shared_abscissa(&private_key, &public_key).map(|shared| shared.to_vec().into()))
}
