//! Values of trie nodes.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::keccak256;
use crate::source::NodeSource;

/// Values longer than this are stored under their hash; the node has only the hash and the length.
pub const MAX_INLINE_VALUE_BYTES: usize = 32;

/// Longest value that a node can refer to: its length has three bytes.
pub const MAX_VALUE_BYTES: usize = 0xff_ffff;

/// The value of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// None; the same as an empty value.
    #[default]
    None,
    /// 1 to 32 bytes, stored in the node.
    Short(Bytes),
    /// More than 32 bytes, stored outside the node.
    Long {
        /// Keccak-256 of the value, its key in the store.
        hash: B256,
        /// Bytes.
        length: u32,
        /// The value itself, if it is in memory: set for values that are not stored yet.
        bytes: Option<Bytes>,
    },
}

impl Value {
    /// Wraps bytes; empty bytes are no value. Fails above [`MAX_VALUE_BYTES`].
    pub fn new(bytes: Bytes) -> Result<Self, StateError> {
        match bytes.len() {
            0 => Ok(Self::None),
            1..=MAX_INLINE_VALUE_BYTES => Ok(Self::Short(bytes)),
            length @ ..=MAX_VALUE_BYTES => {
                Ok(Self::Long { hash: keccak256(&bytes), length: length as u32, bytes: Some(bytes) })
            }
            length => Err(StateError::Store(format!("a value of {length} bytes is longer than {MAX_VALUE_BYTES}"))),
        }
    }

    /// True when there is none.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Length in bytes.
    pub fn length(&self) -> u32 {
        match self {
            Self::None => 0,
            Self::Short(bytes) => bytes.len() as u32,
            Self::Long { length, .. } => *length,
        }
    }

    /// Bytes that the value takes outside its node: its length if it is long, otherwise zero.
    pub fn stored_apart(&self) -> u64 {
        if let Self::Long { length, .. } = self { u64::from(*length) } else { 0 }
    }

    /// Keccak-256 of the value; None without one.
    pub fn hash(&self) -> Option<B256> {
        match self {
            Self::None => None,
            Self::Short(bytes) => Some(keccak256(bytes)),
            Self::Long { hash, .. } => Some(*hash),
        }
    }

    /// True when both are the same bytes.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Long { hash, length, .. }, Self::Long { hash: other_hash, length: other_length, .. }) => {
                hash == other_hash && length == other_length
            }
            _ => self == other,
        }
    }

    /// The bytes; long values are read from `source`. None without a value.
    pub fn load(&self, source: &dyn NodeSource) -> Result<Option<Bytes>, StateError> {
        match self {
            Self::None => Ok(None),
            Self::Short(bytes) | Self::Long { bytes: Some(bytes), .. } => Ok(Some(bytes.clone())),
            Self::Long { hash, length, bytes: None } => {
                let bytes = source.value(hash)?;
                if bytes.len() != *length as usize {
                    let reason = format!("long value of {} bytes where the node says {length}", bytes.len());
                    return Err(StateError::Corrupt { hash: *hash, reason });
                }
                Ok(Some(bytes))
            }
        }
    }
}
