//! Hashes and signatures.

use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;

/// Keccak-256 of the bytes, 32 bytes.
#[napi]
pub fn keccak256(bytes: Uint8Array) -> Buffer {
    alloy_primitives::keccak256(bytes.as_ref()).to_vec().into()
}
