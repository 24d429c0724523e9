//! Hashes and signatures.

use napi::bindgen_prelude::{AsyncTask, Buffer, Uint8Array};
use napi::{Env, Task};
use napi_derive::napi;

use crate::bytes;
use crate::errors::{Result, invalid};

/// Keccak-256 of the bytes: 32 bytes.
#[napi(catch_unwind)]
pub fn keccak256(bytes: Uint8Array) -> Buffer {
    rhizome_crypto::keccak256(&bytes).to_vec().into()
}

/// Keccak-256 of slices of one buffer: item i is `bytes[ends[i-1]..ends[i]]`. 32 bytes per item.
#[napi(catch_unwind)]
pub fn keccak256_batch(bytes: Uint8Array, ends: &[u32]) -> Result<Buffer> {
    Ok(rhizome_crypto::keccak256_batch(&slices(&bytes, ends)?).concat().into())
}

/// Slice i is `bytes[ends[i-1]..ends[i]]`.
fn slices<'a>(bytes: &'a [u8], ends: &[u32]) -> Result<Vec<&'a [u8]>> {
    let mut start = 0;
    let mut slices = Vec::with_capacity(ends.len());
    for &end in ends {
        let slice =
            bytes.get(start..end as usize).ok_or_else(|| invalid("ends must rise and stay inside the buffer"))?;
        slices.push(slice);
        start = end as usize;
    }
    Ok(slices)
}

/// Two rounds of SHA-256, as in Bitcoin: 32 bytes.
#[napi(js_name = "sha256d", catch_unwind)]
pub fn sha256d(bytes: Uint8Array) -> Buffer {
    rhizome_crypto::sha256d(&bytes).to_vec().into()
}

/// Signers of a batch, recovered on all cores. Input: n × 97 bytes, hash 32 ∥ parity 1 ∥ r 32 ∥ s 32. Output: n × 21
/// bytes, found 1 ∥ address 20.
#[napi(catch_unwind)]
pub fn recover_addresses(records: Uint8Array) -> Result<Buffer> {
    rhizome_crypto::recover_addresses(&records).map(Buffer::from).map_err(invalid)
}

/// Like `recoverAddresses`, outside the JavaScript thread.
#[napi(ts_return_type = "Promise<Buffer>")]
pub fn recover_addresses_aside(records: Uint8Array) -> AsyncTask<Recovery> {
    AsyncTask::new(Recovery { records: records.to_vec() })
}

/// Recovers signers outside the JavaScript thread.
pub struct Recovery {
    records: Vec<u8>,
}

impl Task for Recovery {
    type Output = Vec<u8>;
    type JsValue = Buffer;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        rhizome_crypto::recover_addresses(&self.records)
            .map_err(|failure| napi::Error::new(napi::Status::InvalidArg, failure.to_string()))
    }

    fn resolve(&mut self, _env: Env, answers: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(answers.into())
    }
}

/// Reads signed transactions outside the JavaScript thread: transaction i is `bytes[ends[i-1]..ends[i]]`. 128 bytes for
/// each: kind 1 (0 not read, 1 without a sender, 2 with one) ∥ unused 3 ∥ sender 20 ∥ hash 32 ∥ nine times where an
/// element begins and ends in the transaction, 4 little-endian. One that is not encoded as the network encodes it is not
/// read.
#[napi(ts_return_type = "Promise<Buffer>")]
pub fn read_transactions_aside(bytes: Uint8Array, ends: &[u32]) -> Result<AsyncTask<TransactionReading>> {
    slices(&bytes, ends)?;
    Ok(AsyncTask::new(TransactionReading { bytes: bytes.to_vec(), ends: ends.to_vec() }))
}

/// Reads transactions outside the JavaScript thread.
pub struct TransactionReading {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Task for TransactionReading {
    type Output = Vec<u8>;
    type JsValue = Buffer;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let transactions = slices(&self.bytes, &self.ends)
            .map_err(|failure| napi::Error::new(napi::Status::InvalidArg, failure.to_string()))?;
        Ok(rhizome_crypto::read_transactions(&transactions))
    }

    fn resolve(&mut self, _env: Env, records: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(records.into())
    }
}

/// Signs a 32-byte hash (RFC 6979, low s): r 32 ∥ s 32 ∥ parity 1.
#[napi(catch_unwind)]
pub fn sign_hash(hash: Uint8Array, private_key: Uint8Array) -> Result<Buffer> {
    let signature = rhizome_crypto::sign(&bytes::hash("hash", &hash)?, &bytes::hash("private key", &private_key)?)
        .map_err(invalid)?;
    Ok([signature.r.as_slice(), signature.s.as_slice(), &[signature.parity]].concat().into())
}

/// Public key x ∥ y of a private key: 64 bytes.
#[napi(catch_unwind)]
pub fn public_key(private_key: Uint8Array) -> Result<Buffer> {
    let key = rhizome_crypto::public_key(&bytes::hash("private key", &private_key)?).map_err(invalid)?;
    Ok(key.to_vec().into())
}

/// Address of a private key: 20 bytes.
#[napi(catch_unwind)]
pub fn address_of_private_key(private_key: Uint8Array) -> Result<Buffer> {
    let address =
        rhizome_crypto::address_of_private_key(&bytes::hash("private key", &private_key)?).map_err(invalid)?;
    Ok(address.to_vec().into())
}
