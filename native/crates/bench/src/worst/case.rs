//! What is measured.

use rhizome_primitives::Bytes;

/// A loop and its names in the table.
pub(crate) struct Case {
    /// `EVM`, or the name of the contract.
    pub(crate) subject: String,
    pub(crate) input: String,
    pub(crate) code: Bytes,
}
