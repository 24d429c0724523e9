//! RLP as the reference reads and writes it: lenient in, canonical out (consensus.md §0.1, §0.2).

use thiserror::Error;

use crate::U256;

/// Reason why bytes are not RLP.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RlpError {
    /// The input ends inside an item.
    #[error("RLP ends inside an item")]
    Truncated,
    /// A length above 2^31-1.
    #[error("RLP item is longer than 2^31-1 bytes")]
    TooLong,
    /// A list where bytes belong, or the other way round.
    #[error("RLP item is of the wrong kind")]
    WrongKind,
    /// Something follows the one item expected.
    #[error("bytes follow the RLP item")]
    Trailing,
    /// An integer that does not fit.
    #[error("RLP integer is too large")]
    IntegerTooLarge,
}

/// One item; its content is borrowed from the input. Non-minimal forms are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A byte string.
    Bytes(&'a [u8]),
    /// The payload of a list.
    List(&'a [u8]),
}

impl<'a> Item<'a> {
    /// Reads the first item of `input`; also returns what follows it.
    pub fn read(input: &'a [u8]) -> Result<(Self, &'a [u8]), RlpError> {
        let (&first, rest) = input.split_first().ok_or(RlpError::Truncated)?;
        let take = |from: &'a [u8], length: usize| {
            if length > i32::MAX as usize {
                return Err(RlpError::TooLong);
            }
            from.split_at_checked(length).ok_or(RlpError::Truncated)
        };
        let long = |size: usize| {
            let (length, rest) = take(rest, size)?;
            let length = length.iter().try_fold(0usize, |value, &byte| {
                value.checked_mul(256).map(|value| value | usize::from(byte)).ok_or(RlpError::TooLong)
            })?;
            take(rest, length)
        };
        match first {
            0..=0x7f => Ok((Self::Bytes(&input[..1]), rest)),
            0x80..=0xb7 => take(rest, usize::from(first - 0x80)).map(|(bytes, rest)| (Self::Bytes(bytes), rest)),
            0xb8..=0xbf => long(usize::from(first - 0xb7)).map(|(bytes, rest)| (Self::Bytes(bytes), rest)),
            0xc0..=0xf7 => take(rest, usize::from(first - 0xc0)).map(|(list, rest)| (Self::List(list), rest)),
            0xf8..=0xff => long(usize::from(first - 0xf7)).map(|(list, rest)| (Self::List(list), rest)),
        }
    }

    /// Reads the only item of `input`.
    pub fn read_only(input: &'a [u8]) -> Result<Self, RlpError> {
        match Self::read(input)? {
            (item, []) => Ok(item),
            _ => Err(RlpError::Trailing),
        }
    }

    /// The bytes of a byte string.
    pub fn bytes(self) -> Result<&'a [u8], RlpError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::List(_) => Err(RlpError::WrongKind),
        }
    }

    /// The items of a list.
    pub fn items(self) -> Result<Vec<Item<'a>>, RlpError> {
        let Self::List(mut payload) = self else { return Err(RlpError::WrongKind) };
        let mut items = Vec::new();
        while !payload.is_empty() {
            let (item, rest) = Item::read(payload)?;
            items.push(item);
            payload = rest;
        }
        Ok(items)
    }

    /// Unsigned big-endian integer of at most eight significant bytes; empty is zero.
    pub fn u64(self) -> Result<u64, RlpError> {
        u64::try_from(self.u256()?).map_err(|_| RlpError::IntegerTooLarge)
    }

    /// Unsigned big-endian integer; empty is zero.
    pub fn u256(self) -> Result<U256, RlpError> {
        let bytes = self.bytes()?;
        let significant = &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..];
        U256::try_from_be_slice(significant).ok_or(RlpError::IntegerTooLarge)
    }
}

/// Appends the header of a byte string (`base` 0x80) or of a list (`base` 0xc0).
fn write_header(out: &mut Vec<u8>, base: u8, length: usize) {
    if length < 56 {
        out.push(base + length as u8);
        return;
    }
    let bytes = length.to_be_bytes();
    let significant = &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..];
    out.push(base + 55 + significant.len() as u8);
    out.extend_from_slice(significant);
}

/// `elem(b)`: empty is `80`, one byte below 0x80 stands for itself (also zero).
pub fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes {
        [byte] if *byte < 0x80 => out.push(*byte),
        _ => {
            write_header(out, 0x80, bytes.len());
            out.extend_from_slice(bytes);
        }
    }
}

/// `bigint(n)`, `coin(n)`: zero is `80`, otherwise minimal unsigned big-endian.
pub fn write_uint(out: &mut Vec<u8>, value: U256) {
    write_bytes(out, &value.to_be_bytes_trimmed_vec());
}

/// `signedCoin(n)`: zero is `00`, otherwise minimal two's complement big-endian.
pub fn write_signed(out: &mut Vec<u8>, value: U256) {
    write_bytes(out, &signed_bytes(value));
}

/// Minimal two's-complement big-endian bytes of a signed 256-bit value; zero is one zero byte.
pub fn signed_bytes(value: U256) -> Vec<u8> {
    let bytes = value.to_be_bytes::<32>();
    let sign = if value.bit(255) { 0xff } else { 0 };
    let redundant = bytes.windows(2).take_while(|pair| pair[0] == sign && (pair[1] ^ sign) & 0x80 == 0).count();
    bytes[redundant..].to_vec()
}

/// Wraps already encoded items into a list.
pub fn list(payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 9);
    write_header(&mut out, 0xc0, payload.len());
    out.extend_from_slice(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_bytes_are_minimal() {
        assert_eq!(signed_bytes(U256::ZERO), [0]);
        assert_eq!(signed_bytes(U256::from(0x7f)), [0x7f]);
        assert_eq!(signed_bytes(U256::from(0x80)), [0, 0x80]);
        assert_eq!(signed_bytes(U256::MAX), [0xff]);
        assert_eq!(signed_bytes(U256::MAX << 7), [0x80]);
        assert_eq!(signed_bytes(U256::MAX << 8), [0xff, 0]);
    }

    #[test]
    fn items_round_trip_and_refuse_truncation() {
        let mut payload = Vec::new();
        write_bytes(&mut payload, &[0]);
        write_bytes(&mut payload, &[1; 60]);
        write_uint(&mut payload, U256::from(1024));
        let encoded = list(&payload);
        let items = Item::read_only(&encoded).and_then(Item::items).expect("a list");
        assert_eq!(items[0], Item::Bytes(&[0]));
        assert_eq!(items[1], Item::Bytes(&[1; 60]));
        assert_eq!(items[2].u64(), Ok(1024));
        assert_eq!(Item::read_only(&encoded[..encoded.len() - 1]), Err(RlpError::Truncated));
        assert_eq!(Item::read(&[0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), Err(RlpError::TooLong));
    }
}
