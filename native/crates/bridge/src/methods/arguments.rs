//! Arguments of a call.

use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::{Address, B256, U256};

/// The decoded arguments; their types are those of the definition.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a>(pub(super) &'a [AbiValue]);

impl<'a> Arguments<'a> {
    pub(crate) fn int(self, index: usize) -> U256 {
        match self.0.get(index) {
            Some(AbiValue::Int(value)) => *value,
            _ => U256::ZERO,
        }
    }

    /// Low 32 bits, signed.
    pub(crate) fn low_int(self, index: usize) -> i32 {
        abi::low_i32(self.int(index))
    }

    pub(crate) fn text(self, index: usize) -> &'a str {
        match self.0.get(index) {
            Some(AbiValue::String(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn bytes(self, index: usize) -> &'a [u8] {
        match self.0.get(index) {
            Some(AbiValue::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    pub(crate) fn hash(self, index: usize) -> B256 {
        match self.0.get(index) {
            Some(AbiValue::Bytes32(hash)) => *hash,
            _ => B256::ZERO,
        }
    }

    pub(crate) fn address(self, index: usize) -> Address {
        match self.0.get(index) {
            Some(AbiValue::Address(address)) => *address,
            _ => Address::ZERO,
        }
    }

    pub(crate) fn flag(self, index: usize) -> bool {
        matches!(self.0.get(index), Some(AbiValue::Bool(true)))
    }

    pub(crate) fn list(self, index: usize) -> &'a [AbiValue] {
        match self.0.get(index) {
            Some(AbiValue::Array(values)) => values,
            _ => &[],
        }
    }
}
