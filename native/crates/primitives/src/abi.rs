//! The contract ABI as the native contracts of the network read and write it: lenient in, and with
//! a padded word for empty contents out (evm.md §4.3, bridge.md §1.3).

use std::ops::Range;

use alloy_primitives::keccak256;
use thiserror::Error;

use crate::contract::Log;
use crate::rlp::signed_bytes;
use crate::{Address, B256, Bytes, U256};

const WORD: i32 = 32;

/// Type of an argument or a result. Usable in constant tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbiType {
    /// `int*` and `uint*` of every width: always read as a signed 256-bit number.
    Int,
    /// `address`
    Address,
    /// `bool`
    Bool,
    /// `bytes32`
    Bytes32,
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// `T[]`
    Array(&'static AbiType),
}

impl AbiType {
    const fn is_dynamic(self) -> bool {
        matches!(self, Self::Bytes | Self::String | Self::Array(_))
    }
}

/// A decoded argument, or a result to encode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbiValue {
    /// 256-bit two's complement.
    Int(U256),
    /// Address.
    Address(Address),
    /// Truth value.
    Bool(bool),
    /// 32 bytes.
    Bytes32(B256),
    /// Bytes of any length.
    Bytes(Bytes),
    /// Text; malformed UTF-8 has been replaced by U+FFFD.
    String(String),
    /// Elements of one type.
    Array(Vec<AbiValue>),
}

impl AbiValue {
    /// A signed number as the ABI word.
    pub fn int(value: i64) -> Self {
        let magnitude = U256::from(value.unsigned_abs());
        Self::Int(if value < 0 { magnitude.wrapping_neg() } else { magnitude })
    }

    const fn is_dynamic(&self) -> bool {
        matches!(self, Self::Bytes(_) | Self::String(_) | Self::Array(_))
    }
}

/// The payload does not hold the arguments: the call names no method then (evm.md §4.3).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the arguments do not fit the ABI payload")]
pub struct AbiError;

/// Reads the arguments after the selector. Without payload, integers, booleans and addresses read as
/// zero and a first argument that is an array as empty; bytes beyond the arguments are ignored.
pub fn decode(types: &[AbiType], payload: &[u8]) -> Result<Vec<AbiValue>, AbiError> {
    let length = i32::try_from(payload.len()).map_err(|_| AbiError)?;
    let reader = Reader { payload: Bytes::copy_from_slice(payload), length };
    let mut offset = 0;
    types
        .iter()
        .map(|&kind| {
            let at = if kind.is_dynamic() { low_i32(reader.head(offset)?) } else { offset };
            offset += WORD;
            reader.value(kind, at)
        })
        .collect()
}

/// Low 32 bits as a signed number, as the reference takes offsets, lengths, heights and indexes.
pub fn low_i32(value: U256) -> i32 {
    value.as_limbs()[0] as u32 as i32
}

/// The number when it fits 64 bits signed.
pub fn exact_i64(value: U256) -> Option<i64> {
    let low = value.as_limbs()[0] as i64;
    (AbiValue::int(low) == AbiValue::Int(value)).then_some(low)
}

/// Byte strings share the one copy of the payload: many heads may point at the same long content.
struct Reader {
    payload: Bytes,
    length: i32,
}

impl Reader {
    fn range(&self, from: i32, size: i32) -> Result<Range<usize>, AbiError> {
        let end = from.checked_add(size).ok_or(AbiError)?;
        if from < 0 || size < 0 || end > self.length {
            return Err(AbiError);
        }
        Ok(from as usize..end as usize)
    }

    fn slice(&self, from: i32, size: i32) -> Result<&[u8], AbiError> {
        self.range(from, size).map(|range| &self.payload[range])
    }

    fn int(&self, offset: i32) -> Result<U256, AbiError> {
        if self.payload.is_empty() {
            return Ok(U256::ZERO);
        }
        self.slice(offset, WORD).map(U256::from_be_slice)
    }

    /// Head word of a dynamic argument: it must start inside the payload or at its end, and is
    /// filled up with zeros on the right.
    fn head(&self, offset: i32) -> Result<U256, AbiError> {
        let rest = self.slice(offset, self.length.checked_sub(offset).ok_or(AbiError)?)?;
        let mut word = [0; 32];
        let present = rest.len().min(32);
        word[..present].copy_from_slice(&rest[..present]);
        Ok(U256::from_be_bytes(word))
    }

    fn value(&self, kind: AbiType, offset: i32) -> Result<AbiValue, AbiError> {
        Ok(match kind {
            AbiType::Int => AbiValue::Int(self.int(offset)?),
            AbiType::Bool => AbiValue::Bool(low_i32(self.int(offset)?) != 0),
            AbiType::Address => AbiValue::Address(address_of(self.int(offset)?)),
            AbiType::Bytes32 => AbiValue::Bytes32(B256::from_slice(self.slice(offset, WORD)?)),
            AbiType::Bytes => AbiValue::Bytes(self.payload.slice(self.content(offset)?)),
            AbiType::String => AbiValue::String(decode_utf8(&self.payload[self.content(offset)?])),
            AbiType::Array(element) => AbiValue::Array(self.array(*element, offset)?),
        })
    }

    fn content(&self, offset: i32) -> Result<Range<usize>, AbiError> {
        let length = low_i32(self.int(offset)?);
        self.range(offset.checked_add(WORD).ok_or(AbiError)?, length)
    }

    fn array(&self, element: AbiType, offset: i32) -> Result<Vec<AbiValue>, AbiError> {
        if self.payload.is_empty() {
            return Ok(Vec::new());
        }
        let count = low_i32(self.int(offset)?);
        let start = offset.checked_add(WORD).ok_or(AbiError)?;
        // One byte per element at least: keeps a lying count from allocating.
        if count < 0 || start.checked_add(count).ok_or(AbiError)? > self.length {
            return Err(AbiError);
        }
        let mut head = start;
        let mut values = Vec::new();
        for _ in 0..count {
            let at =
                if element.is_dynamic() { start.checked_add(low_i32(self.int(head)?)).ok_or(AbiError)? } else { head };
            values.push(self.value(element, at)?);
            head = head.checked_add(WORD).ok_or(AbiError)?;
        }
        Ok(values)
    }
}

/// The reference drops the redundant sign bytes of the number before it takes the last 20 bytes, so
/// a word of ones is the address 0x…ff.
fn address_of(word: U256) -> Address {
    let bytes = signed_bytes(word);
    Address::left_padding_from(&bytes[bytes.len().saturating_sub(20)..])
}

/// UTF-8 with each malformed sequence replaced by one U+FFFD. An encoded surrogate counts as one
/// sequence, unlike in `String::from_utf8_lossy`.
fn decode_utf8(mut bytes: &[u8]) -> String {
    let mut text = String::new();
    loop {
        let error = match std::str::from_utf8(bytes) {
            Ok(valid) => {
                text.push_str(valid);
                return text;
            }
            Err(error) => error,
        };
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        text.push_str(std::str::from_utf8(valid).unwrap_or_default());
        text.push('\u{fffd}');
        let malformed = match rest {
            [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => 3,
            [0xed, 0xa0..=0xbf, ..] => 2,
            _ => error.error_len().unwrap_or(rest.len()),
        };
        bytes = &rest[malformed..];
    }
}

/// Encodes results or unindexed event fields: heads, then the dynamic values in order.
pub fn encode(values: &[AbiValue]) -> Vec<u8> {
    let mut heads = Vec::with_capacity(values.len() * 32);
    let mut tails = Vec::new();
    for value in values {
        if value.is_dynamic() {
            heads.extend_from_slice(&word(values.len() * 32 + tails.len()));
            encode_value(&mut tails, value);
        } else {
            encode_value(&mut heads, value);
        }
    }
    heads.append(&mut tails);
    heads
}

fn word(value: usize) -> [u8; 32] {
    U256::from(value).to_be_bytes()
}

fn encode_value(out: &mut Vec<u8>, value: &AbiValue) {
    match value {
        AbiValue::Int(number) => out.extend_from_slice(&number.to_be_bytes::<32>()),
        AbiValue::Bool(truth) => out.extend_from_slice(&word(usize::from(*truth))),
        AbiValue::Address(address) => out.extend_from_slice(address.into_word().as_slice()),
        AbiValue::Bytes32(bytes) => out.extend_from_slice(bytes.as_slice()),
        AbiValue::Bytes(bytes) => encode_content(out, bytes),
        AbiValue::String(text) => encode_content(out, text.as_bytes()),
        AbiValue::Array(elements) => {
            out.extend_from_slice(&word(elements.len()));
            out.extend_from_slice(&encode(elements));
        }
    }
}

/// Length, then the bytes padded to whole words; no bytes at all still take one word of zeros.
fn encode_content(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&word(bytes.len()));
    out.extend_from_slice(bytes);
    let padded = bytes.len().max(1).next_multiple_of(32);
    out.resize(out.len() + padded - bytes.len(), 0);
}

/// First four bytes of the hash of a signature such as `getBlockHash(int256)`.
pub fn selector(signature: &str) -> [u8; 4] {
    let hash = keccak256(signature);
    [hash[0], hash[1], hash[2], hash[3]]
}

/// Topics of an event: hash of its signature, then the indexed fields (never dynamic ones).
pub fn event_topics(signature: &str, indexed: &[AbiValue]) -> Vec<B256> {
    let fields = indexed.iter().map(|field| {
        let mut encoded = Vec::with_capacity(32);
        encode_value(&mut encoded, field);
        if field.is_dynamic() { keccak256(encoded) } else { B256::from_slice(&encoded) }
    });
    std::iter::once(keccak256(signature)).chain(fields).collect()
}

/// The log of an event, with its indexed and its unindexed fields each in order.
pub fn event_log(emitter: Address, signature: &str, indexed: &[AbiValue], data: &[AbiValue]) -> Log {
    Log { address: emitter, topics: event_topics(signature, indexed), data: encode(data).into() }
}

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
