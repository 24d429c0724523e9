//! Values in the form of the vectors. A malformed one ends the case, which then counts as a difference.

use rhizome_primitives::{Address, B256, U256, hex};
use serde_json::Value;

/// `0x` and hexadecimal digits.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    value.as_str().and_then(|text| hex::decode(text).ok()).unwrap_or_else(|| panic!("no bytes: {value}"))
}

/// 32 bytes.
pub(crate) fn hash(value: &Value) -> B256 {
    B256::try_from(&bytes(value)[..]).unwrap_or_else(|_| panic!("no hash: {value}"))
}

/// The 32 bytes of a number, as the vectors have the key of a cell.
pub(crate) fn word(number: U256) -> Value {
    shown(number.to_be_bytes::<32>())
}

/// 20 bytes.
pub(crate) fn address(value: &Value) -> Address {
    Address::try_from(&bytes(value)[..]).unwrap_or_else(|_| panic!("no address: {value}"))
}

/// A quantity `0x…` of up to 256 bits, or a plain number.
pub(crate) fn quantity(value: &Value) -> U256 {
    let text = value.as_str().and_then(|text| text.strip_prefix("0x"));
    text.and_then(|digits| U256::from_str_radix(digits, 16).ok())
        .or_else(|| value.as_u64().map(U256::from))
        .unwrap_or_else(|| panic!("no quantity: {value}"))
}

/// Like [`quantity`], of up to 64 bits.
pub(crate) fn number(value: &Value) -> u64 {
    u64::try_from(quantity(value)).unwrap_or_else(|_| panic!("above 64 bits: {value}"))
}

/// A plain number with a sign.
pub(crate) fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no integer: {value}"))
}

/// The string in a value.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// `0x` and lower-case digits.
pub(crate) fn shown(bytes: impl AsRef<[u8]>) -> Value {
    Value::String(hex::encode_prefixed(bytes))
}
