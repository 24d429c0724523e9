//! RLP of the Bridge's cells (bridge.md §2.2, §2.3). Reads the first item and ignores what follows,
//! as the reference does; an empty item where a value belongs is an error.

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rlp::{Item, RlpError, list, write_bytes, write_uint};
use rhizome_primitives::{B256, U256};

/// A cell that does not parse makes the call throw.
pub(crate) fn corrupt(_: RlpError) -> ContractError {
    ContractError::Failed("a cell of the Bridge does not parse".into())
}

/// A cell whose items do not fit its kind.
pub(crate) fn malformed() -> ContractError {
    ContractError::Failed("a cell of the Bridge is malformed".into())
}

/// The items of a cell that holds a list.
pub(crate) fn items(data: &[u8]) -> Result<Vec<Item<'_>>, ContractError> {
    Item::read(data).and_then(|(item, _)| item.items()).map_err(corrupt)
}

/// The items of a list that stands in a list, plain or wrapped into a byte string.
pub(crate) fn nested_items(item: Item<'_>) -> Result<Vec<Item<'_>>, ContractError> {
    match item {
        Item::List(_) => item.items().map_err(corrupt),
        Item::Bytes(bytes) => items(bytes),
    }
}

/// A non-empty byte string.
pub(crate) fn bytes(item: Item<'_>) -> Result<&[u8], ContractError> {
    match item.bytes().map_err(corrupt)? {
        [] => Err(malformed()),
        bytes => Ok(bytes),
    }
}

/// A byte string of a fixed length.
pub(crate) fn array<const N: usize>(item: Item<'_>) -> Result<[u8; N], ContractError> {
    bytes(item)?.try_into().map_err(|_| malformed())
}

/// A 32-byte hash.
pub(crate) fn hash(item: Item<'_>) -> Result<B256, ContractError> {
    array(item).map(B256::new)
}

/// A 32-byte hash that is a whole cell.
pub(crate) fn hash_cell(data: &[u8]) -> Result<B256, ContractError> {
    Item::read(data).map_err(corrupt).and_then(|(item, _)| hash(item))
}

/// Low 64 bits of an integer inside a list; zero cannot be read back (bridge.md §2.3).
pub(crate) fn integer(item: Item<'_>) -> Result<u64, ContractError> {
    bytes(item).map(low_u64)
}

/// Low 64 bits of an integer that is a whole cell.
pub(crate) fn integer_cell(data: &[u8]) -> Result<u64, ContractError> {
    let (item, _) = Item::read(data).map_err(corrupt)?;
    item.bytes().map(low_u64).map_err(corrupt)
}

/// An unsigned integer that is a whole cell.
pub(crate) fn u256_cell(data: &[u8]) -> Result<U256, ContractError> {
    let (item, _) = Item::read(data).map_err(corrupt)?;
    item.u256().map_err(corrupt)
}

fn low_u64(bytes: &[u8]) -> u64 {
    bytes[bytes.len().saturating_sub(8)..].iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// An integer as a whole cell.
pub(crate) fn encode_integer(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    write_uint(&mut out, U256::from(value));
    out
}

/// A byte string as a whole cell.
pub(crate) fn encode_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_bytes(&mut out, bytes);
    out
}

/// A list in the making.
#[derive(Default)]
pub(crate) struct ListWriter(Vec<u8>);

impl ListWriter {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        write_bytes(&mut self.0, bytes);
        self
    }

    pub(crate) fn integer(&mut self, value: u64) -> &mut Self {
        write_uint(&mut self.0, U256::from(value));
        self
    }

    /// Appends an encoded item as it is.
    pub(crate) fn raw(&mut self, encoded: &[u8]) -> &mut Self {
        self.0.extend_from_slice(encoded);
        self
    }

    pub(crate) fn finish(&self) -> Vec<u8> {
        list(&self.0)
    }
}
