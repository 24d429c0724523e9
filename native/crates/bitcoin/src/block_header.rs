//! Bitcoin headers as the Bridge reads them; hashes in display order.

use rhizome_primitives::B256;

use crate::error::PowError;
use crate::header::{HEADER_BYTES, read_header};
use crate::merkle_branch::reversed;
use crate::transaction::display_hash;

/// A header of 80 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader([u8; HEADER_BYTES]);

impl BlockHeader {
    /// The header of these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; HEADER_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads a header; a list of transactions may follow, as in a block.
    ///
    /// # Errors
    /// [`PowError`] when there are fewer than 80 bytes, or the transactions do not parse.
    pub fn parse(bytes: &[u8]) -> Result<Self, PowError> {
        read_header(bytes, false).copied().map(Self)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; HEADER_BYTES] {
        &self.0
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = self.0.get(at..at + 4).and_then(<[u8]>::first_chunk).copied();
        u32::from_le_bytes(bytes.unwrap_or_default())
    }

    fn display(&self, at: usize) -> B256 {
        self.0.get(at..at + 32).map_or(B256::ZERO, |bytes| reversed(B256::from_slice(bytes)))
    }

    /// Its hash.
    #[must_use]
    pub fn hash(&self) -> B256 {
        display_hash(&self.0)
    }

    /// Version.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.word(0)
    }

    /// Hash of the parent.
    #[must_use]
    pub fn parent(&self) -> B256 {
        self.display(4)
    }

    /// Merkle root of the transactions.
    #[must_use]
    pub fn merkle_root(&self) -> B256 {
        self.display(36)
    }

    /// Time, in seconds.
    #[must_use]
    pub fn time(&self) -> u32 {
        self.word(68)
    }

    /// Target, in its compact form.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.word(72)
    }

    /// Nonce.
    #[must_use]
    pub fn nonce(&self) -> u32 {
        self.word(76)
    }
}
