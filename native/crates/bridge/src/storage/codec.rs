//! RLP of the Bridge's cells (bridge.md §2.2, §2.3), read as leniently as the reference reads it. In a cell that is a
//! list, everything must parse, and the first item counts. In a cell that is a value, only the first item is read. A
//! list in the position of bytes counts as its encoding; an empty item counts as null there, which is an error wherever
//! a value is needed.

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rlp::{list, write_bytes, write_uint};
use rhizome_primitives::{B256, U256};

const SHORT: usize = 55;

/// The error of a cell that does not parse, or whose items do not fit its kind: the call throws.
pub(crate) fn malformed() -> ContractError {
    ContractError::Failed("a cell of the Bridge is malformed".into())
}

/// One item of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    /// A byte string.
    Bytes(&'a [u8]),
    /// A list: its encoding, and the offset of its items.
    List(&'a [u8], usize),
}

impl<'a> Item<'a> {
    /// Reads the first item of `input`; also returns what follows it.
    fn read(input: &'a [u8]) -> Result<(Self, &'a [u8]), ContractError> {
        let &first = input.first().ok_or_else(malformed)?;
        let first = usize::from(first);
        let (offset, length) = match first {
            0..=0x7f => (0, 1),
            0x80..=0xb7 => (1, first - 0x80),
            0xb8..=0xbf => (1 + first - 0x80 - SHORT, long_length(input, first - 0x80 - SHORT)?),
            0xc0..=0xf7 => (1, first - 0xc0),
            _ => (1 + first - 0xc0 - SHORT, long_length(input, first - 0xc0 - SHORT)?),
        };
        let (item, rest) = input.split_at_checked(offset + length).ok_or_else(malformed)?;
        let item = if first < 0xc0 { Self::Bytes(&item[offset..]) } else { Self::List(item, offset) };
        Ok((item, rest))
    }

    /// The first item of a cell; any bytes may follow it.
    pub(crate) fn first(cell: &'a [u8]) -> Result<Self, ContractError> {
        Self::read(cell).map(|(item, _)| item)
    }

    /// The first item of a cell in which all items must parse.
    pub(crate) fn first_of_all(cell: &'a [u8]) -> Result<Self, ContractError> {
        let (first, mut rest) = Self::read(cell)?;
        while !rest.is_empty() {
            (_, rest) = Self::read(rest)?;
        }
        Ok(first)
    }

    /// Content of a byte string, encoding of a list.
    pub(crate) fn raw(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) | Self::List(bytes, _) => bytes,
        }
    }

    /// Like [`Self::raw`], but never empty.
    pub(crate) fn bytes(self) -> Result<&'a [u8], ContractError> {
        match self.raw() {
            [] => Err(malformed()),
            bytes => Ok(bytes),
        }
    }

    /// A byte string of a fixed length.
    pub(crate) fn array<const N: usize>(self) -> Result<[u8; N], ContractError> {
        self.raw().try_into().map_err(|_| malformed())
    }

    /// A 32-byte hash.
    pub(crate) fn hash(self) -> Result<B256, ContractError> {
        self.array().map(B256::new)
    }

    /// Low 64 bits, signed, of a number inside a list: zero cannot be read back (bridge.md §2.3).
    pub(crate) fn long(self) -> Result<i64, ContractError> {
        self.bytes().map(low_bits)
    }

    /// The items of a list.
    pub(crate) fn items(self) -> Result<Vec<Item<'a>>, ContractError> {
        let Self::List(encoding, offset) = self else { return Err(malformed()) };
        let mut rest = &encoding[offset..];
        let mut items = Vec::new();
        while !rest.is_empty() {
            let (item, after) = Item::read(rest)?;
            items.push(item);
            rest = after;
        }
        Ok(items)
    }

    /// The items of a list that is either wrapped in a byte string or plain.
    pub(crate) fn nested_items(self) -> Result<Vec<Item<'a>>, ContractError> {
        items(self.bytes()?)
    }
}

/// A length of `size` bytes that follows the first byte, computed in 32 bits as the reference does.
fn long_length(input: &[u8], size: usize) -> Result<usize, ContractError> {
    let bytes = input.get(1..=size).ok_or_else(malformed)?;
    let length = bytes.iter().fold(0i32, |length, &byte| (length << 8).wrapping_add(i32::from(byte)));
    usize::try_from(length).map_err(|_| malformed())
}

/// The items of a cell that holds a list.
pub(crate) fn items(cell: &[u8]) -> Result<Vec<Item<'_>>, ContractError> {
    Item::first_of_all(cell)?.items()
}

/// The items of a cell that holds a list of records of `N` items.
pub(crate) fn records<const N: usize>(cell: &[u8]) -> Result<Vec<[Item<'_>; N]>, ContractError> {
    let items = items(cell)?;
    let (records, []) = items.as_chunks::<N>() else { return Err(malformed()) };
    Ok(records.to_vec())
}

/// A 32-byte hash that is a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn hash_cell(cell: &[u8]) -> Result<B256, ContractError> {
    Item::first(cell)?.hash()
}

/// Low 64 bits, signed, of a number that is a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn long_cell(cell: &[u8]) -> Result<i64, ContractError> {
    Item::first(cell).map(|item| low_bits(item.raw()))
}

/// A number of satoshi that is a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn coin_cell(cell: &[u8]) -> Result<i64, ContractError> {
    exact_long(Item::first(cell)?)
}

/// A number of wei that is a whole cell.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub fn wei_cell(cell: &[u8]) -> Result<U256, ContractError> {
    U256::try_from_be_slice(significant(Item::first(cell)?.raw())).ok_or_else(malformed)
}

/// A number that must fit 63 bits; empty is zero.
pub(crate) fn exact_long(item: Item<'_>) -> Result<i64, ContractError> {
    let bytes = significant(item.raw());
    if bytes.len() > 8 {
        return Err(malformed());
    }
    i64::try_from(low_bits(bytes) as u64).map_err(|_| malformed())
}

/// A truth value that is a whole cell.
pub(crate) fn flag_cell(cell: &[u8]) -> Result<bool, ContractError> {
    let (&first, rest) = cell.split_first().ok_or_else(malformed)?;
    let value = match first {
        0..=0x7f => i32::from(first),
        0x80..=0xb6 => {
            let length = usize::from(first) - 0x80;
            let bytes = rest.get(..length).ok_or_else(malformed)?;
            let shift = |index: usize| 8 * (length - 1 - index) as u32;
            let terms = bytes.iter().enumerate().map(|(at, &byte)| i32::from(byte).wrapping_shl(shift(at)));
            terms.fold(0, i32::wrapping_add)
        }
        _ => return Err(malformed()),
    };
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(malformed()),
    }
}

fn significant(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..]
}

fn low_bits(bytes: &[u8]) -> i64 {
    bytes[bytes.len().saturating_sub(8)..].iter().fold(0, |value, &byte| value << 8 | i64::from(byte))
}

/// A number as the reference encodes a signed 64-bit one: minimal two's complement without the zero
/// byte in front, zero as an empty string.
pub(crate) fn write_long(out: &mut Vec<u8>, value: i64) {
    if value >= 0 {
        write_uint(out, U256::from(value));
        return;
    }
    let bytes = value.to_be_bytes();
    let redundant = bytes.windows(2).take_while(|pair| pair[0] == 0xff && pair[1] & 0x80 != 0).count();
    write_bytes(out, &bytes[redundant..]);
}

/// A number as a whole cell.
pub fn encode_long(value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    write_long(&mut out, value);
    out
}

/// A number of wei as a whole cell.
pub fn encode_wei(value: U256) -> Vec<u8> {
    let mut out = Vec::new();
    write_uint(&mut out, value);
    out
}

/// A byte string as a whole cell.
pub fn encode_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_bytes(&mut out, bytes);
    out
}

/// A truth value as a whole cell.
pub(crate) fn encode_flag(value: bool) -> Vec<u8> {
    vec![if value { 0x01 } else { 0x80 }]
}

/// A list that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListWriter(Vec<u8>);

impl ListWriter {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        write_bytes(&mut self.0, bytes);
        self
    }

    pub(crate) fn long(&mut self, value: i64) -> &mut Self {
        write_long(&mut self.0, value);
        self
    }

    /// Appends an encoded item unchanged.
    pub(crate) fn raw(&mut self, encoded: &[u8]) -> &mut Self {
        self.0.extend_from_slice(encoded);
        self
    }

    pub(crate) fn finish(&self) -> Vec<u8> {
        list(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_lose_what_repeats_the_sign() {
        for (value, encoded) in [
            (0, &[0x80][..]),
            (1, &[1]),
            (0x80, &[0x81, 0x80]),
            (-1, &[0x81, 0xff]),
            (-0x81, &[0x82, 0xff, 0x7f]),
            (i64::MIN, &[0x88, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            assert_eq!(encode_long(value), encoded);
        }
    }

    #[test]
    fn everything_in_a_list_cell_must_parse() {
        assert!(items(&[0xc0, 0xc0]).is_ok());
        assert!(items(&[0xc0, 0x81]).is_err());
        assert!(items(&[0x80]).is_err());
        assert!(long_cell(&[0x01, 0x81]).is_ok());
    }
}
