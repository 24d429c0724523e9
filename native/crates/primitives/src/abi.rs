//! The contract ABI as the native contracts of the network read and write it: decoding is lenient, and empty contents
//! are encoded as one padded word (evm.md §4.3, bridge.md §1.3).

use std::cell::OnceCell;
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
    // Payloads that do not decode are rejected before anything is copied out of them.
    check(types, payload)?;
    let reader = Reader::new(payload)?;
    reader.arguments(types, |kind, at| reader.value(kind, at)).collect()
}

/// True when [`decode`] would succeed. Only the heads are read; contents are neither copied nor converted. Gas pricing
/// uses this, because callers that cannot pay the gas can ask for the price, too.
pub fn check(types: &[AbiType], payload: &[u8]) -> Result<(), AbiError> {
    let reader = Reader::new(payload)?;
    reader.arguments(types, |kind, at| reader.pass(kind, at)).collect()
}

/// Number of elements of the array argument `index`; None when that argument is not an array. The arguments must have
/// passed [`check`].
pub fn count(types: &[AbiType], index: usize, payload: &[u8]) -> Option<usize> {
    let AbiType::Array(_) = types.get(index)? else { return None };
    let reader = Reader::new(payload).ok()?;
    let at = low_i32(reader.head(WORD * index as i32).ok()?);
    reader.elements(at).ok().map(|(_, count)| count as usize)
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
struct Reader<'a> {
    payload: &'a [u8],
    copy: OnceCell<Bytes>,
    length: i32,
}

impl<'a> Reader<'a> {
    fn new(payload: &'a [u8]) -> Result<Self, AbiError> {
        let length = i32::try_from(payload.len()).map_err(|_| AbiError)?;
        Ok(Self { payload, copy: OnceCell::new(), length })
    }

    /// Applies `read` to each argument and the offset of its contents.
    fn arguments<T>(
        &self,
        types: &[AbiType],
        read: impl Fn(AbiType, i32) -> Result<T, AbiError>,
    ) -> impl Iterator<Item = Result<T, AbiError>> {
        types.iter().zip(0..).map(move |(&kind, index)| {
            let offset = WORD * index;
            let at = if kind.is_dynamic() { low_i32(self.head(offset)?) } else { offset };
            read(kind, at)
        })
    }

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
            AbiType::Bytes => {
                let range = self.content(offset)?;
                AbiValue::Bytes(self.copy.get_or_init(|| Bytes::copy_from_slice(self.payload)).slice(range))
            }
            AbiType::String => AbiValue::String(decode_utf8(&self.payload[self.content(offset)?])),
            AbiType::Array(element) => AbiValue::Array(self.array(*element, offset)?),
        })
    }

    fn content(&self, offset: i32) -> Result<Range<usize>, AbiError> {
        let length = low_i32(self.int(offset)?);
        self.range(offset.checked_add(WORD).ok_or(AbiError)?, length)
    }

    /// Start and number of the elements of an array.
    fn elements(&self, offset: i32) -> Result<(i32, i32), AbiError> {
        if self.payload.is_empty() {
            return Ok((0, 0));
        }
        let count = low_i32(self.int(offset)?);
        let start = offset.checked_add(WORD).ok_or(AbiError)?;
        // An element takes at least one byte, so a false count cannot cause a large allocation.
        if count < 0 || start.checked_add(count).ok_or(AbiError)? > self.length {
            return Err(AbiError);
        }
        Ok((start, count))
    }

    fn array(&self, element: AbiType, offset: i32) -> Result<Vec<AbiValue>, AbiError> {
        let (start, count) = self.elements(offset)?;
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

    /// Checks whether [`Self::value`] would succeed, without decoding.
    fn pass(&self, kind: AbiType, offset: i32) -> Result<(), AbiError> {
        match kind {
            AbiType::Int | AbiType::Bool | AbiType::Address => self.int(offset).map(|_| ()),
            AbiType::Bytes32 => self.slice(offset, WORD).map(|_| ()),
            AbiType::Bytes | AbiType::String => self.pass_content(offset),
            AbiType::Array(element) => {
                let (start, count) = self.elements(offset)?;
                if !element.is_dynamic() {
                    let size = WORD.checked_mul(count).ok_or(AbiError)?;
                    // Integers of an empty payload are zero, but then there are no elements.
                    return self.range(start, size).map(|_| ());
                }
                match element {
                    AbiType::Bytes | AbiType::String => self.pass_contents(start, count),
                    _ => self.array(*element, offset).map(|_| ()),
                }
            }
        }
    }

    fn pass_content(&self, offset: i32) -> Result<(), AbiError> {
        self.content(offset).map(|_| ())
    }

    /// True when every head of an array points at a length that is followed by as many bytes. A call without gas may have
    /// any number of heads, so each one takes only about a nanosecond.
    fn pass_contents(&self, start: i32, count: i32) -> Result<(), AbiError> {
        let heads = self.slice(start, count.checked_mul(WORD).ok_or(AbiError)?)?;
        // Sums of what was read with 32 bits cannot overflow.
        let (start, length) = (i64::from(start), i64::from(self.length));
        let low = |word: &[u8; 32]| i64::from(i32::from_be_bytes([word[28], word[29], word[30], word[31]]));
        let is_there = |head: &[u8; 32]| {
            let at = start + low(head);
            let Some(word) = usize::try_from(at).ok().and_then(|at| self.payload.get(at..)?.first_chunk::<32>()) else {
                return false;
            };
            let size = low(word);
            size >= 0 && at + i64::from(WORD) + size <= length
        };
        if heads.as_chunks::<32>().0.iter().all(is_there) { Ok(()) } else { Err(AbiError) }
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
