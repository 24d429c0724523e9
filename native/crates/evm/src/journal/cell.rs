//! The value of a storage cell.

use rhizome_primitives::{Bytes, U256};

/// A storage cell. Words written by the machine are stored without leading zeros; native contracts
/// store bytes as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// No cell: reads as zero.
    #[default]
    Absent,
    /// A word that is not zero.
    Word(U256),
    /// Bytes that are not the short form of a word: longer than 32, or with a leading zero.
    Bytes(Bytes),
}

impl Cell {
    /// From the bytes as stored.
    pub fn from_stored(bytes: Bytes) -> Self {
        match bytes.first() {
            None => Self::Absent,
            Some(0) => Self::Bytes(bytes),
            Some(_) => U256::try_from_be_slice(&bytes).map_or_else(|| Self::Bytes(bytes), Self::Word),
        }
    }

    /// From a word; zero deletes.
    pub fn from_word(word: U256) -> Self {
        if word.is_zero() { Self::Absent } else { Self::Word(word) }
    }

    /// As a word; None when the bytes do not fit one.
    pub fn word(&self) -> Option<U256> {
        match self {
            Self::Absent => Some(U256::ZERO),
            Self::Word(word) => Some(*word),
            Self::Bytes(bytes) if bytes.len() <= 32 => U256::try_from_be_slice(bytes),
            Self::Bytes(_) => None,
        }
    }

    /// The bytes as stored; None when absent.
    pub fn stored(&self) -> Option<Bytes> {
        match self {
            Self::Absent => None,
            Self::Word(word) => Some(word.to_be_bytes_trimmed_vec().into()),
            Self::Bytes(bytes) => Some(bytes.clone()),
        }
    }

    /// True when there is a cell.
    pub fn is_present(&self) -> bool {
        *self != Self::Absent
    }
}
