//! What [`crate::fast_path`] takes and gives.

use napi_derive::napi;
use rhizome_answers::Subject;
use rhizome_rpc::{CallKind, Read};

use crate::byte_array::Buffer;

/// What a method reads.
#[napi(string_enum = "camelCase")]
pub enum StateRead {
    Balance,
    TransactionCount,
    Code,
    Cell,
    CellBytes,
}

impl From<StateRead> for Read {
    fn from(read: StateRead) -> Self {
        match read {
            StateRead::Balance => Self::Balance,
            StateRead::TransactionCount => Self::TransactionCount,
            StateRead::Code => Self::Code,
            StateRead::Cell => Self::Cell,
            StateRead::CellBytes => Self::CellBytes,
        }
    }
}

/// What a method tells of that is answered from encoded objects.
#[napi(string_enum = "camelCase")]
pub enum EncodedSubject {
    /// A receipt by the hash of its transaction.
    Receipt,
    /// A transaction by its hash.
    Transaction,
    /// A block by number or tag, and whether with full transactions.
    Block,
}

impl From<EncodedSubject> for Subject {
    fn from(subject: EncodedSubject) -> Self {
        match subject {
            EncodedSubject::Receipt => Self::Receipt,
            EncodedSubject::Transaction => Self::Transaction,
            EncodedSubject::Block => Self::Block,
        }
    }
}

/// What a method asks of a call.
#[napi(string_enum = "camelCase")]
pub enum FastCall {
    /// Its output.
    Output,
    /// The gas that it needs as a transaction.
    Estimate,
}

impl From<FastCall> for CallKind {
    fn from(call: FastCall) -> Self {
        match call {
            FastCall::Output => Self::Output,
            FastCall::Estimate => Self::Estimate,
        }
    }
}

/// A name that requests call a method by.
#[napi(object)]
pub struct FrontMethod {
    /// The name.
    pub name: String,
    /// What answers name the method by, below 2^16.
    pub index: u32,
    /// What it reads.
    pub read: Option<StateRead>,
    /// What it tells of.
    pub subject: Option<EncodedSubject>,
    /// What it asks of a call.
    pub call: Option<FastCall>,
    /// Whether answers to parameters hold as long as the head does.
    pub keeps: bool,
}

/// A block of which it is to be said whether it is canonical, or which has to be found by its name.
#[napi(object)]
pub struct UnknownBlock {
    /// Number or tag; null when the other two are given.
    pub name: Option<String>,
    /// Hash of a block.
    pub hash: Option<Buffer>,
    /// Its height.
    pub number: Option<i64>,
}

/// Lookups of cached responses that found one and that did not, and the bytes that are kept.
#[napi(object)]
pub struct ResponseCacheStats {
    /// Found.
    pub hits: i64,
    /// Not found.
    pub misses: i64,
    /// Bytes held.
    pub bytes: i64,
}
