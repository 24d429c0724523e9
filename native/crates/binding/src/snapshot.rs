//! Snapshots: chunks, and export and import of states as pieces of the store's log.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use parking_lot::Mutex;
use rhizome_store::{LogExport, LogImport, StateExport};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid, state};
use crate::store::StateStore;

/// Converts a failure to the error of a rejected promise.
fn rejected(fault: impl ToString) -> napi::Error {
    napi::Error::from_reason(fault.to_string())
}

/// A chunk in the form that is written.
#[napi(object)]
pub struct PackedChunk {
    /// SHA-256 of the contents.
    pub hash: Buffer,
    /// The contents compressed.
    pub packed: Buffer,
}

/// Compresses and hashes contents.
#[napi(ts_return_type = "Promise<PackedChunk>")]
pub fn pack_chunk(contents: Uint8Array) -> AsyncTask<Packing> {
    AsyncTask::new(Packing(contents.to_vec()))
}

/// Compresses outside the JavaScript thread.
pub struct Packing(Vec<u8>);

impl Task for Packing {
    type Output = ([u8; 32], Vec<u8>);
    type JsValue = PackedChunk;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let packed = rhizome_snapshot::pack(&self.0).map_err(rejected)?;
        Ok((rhizome_snapshot::content_hash(&self.0), packed))
    }

    fn resolve(&mut self, _env: Env, (hash, packed): Self::Output) -> napi::Result<Self::JsValue> {
        Ok(PackedChunk { hash: hash.to_vec().into(), packed: packed.into() })
    }
}

/// The contents of a chunk; rejects when they do not have this size and hash.
#[napi(ts_return_type = "Promise<Buffer>", catch_unwind)]
pub fn unpack_chunk(packed: Uint8Array, size: u32, hash: Uint8Array) -> Result<AsyncTask<Unpacking>> {
    let hash = bytes::hash("hash", &hash)?.0;
    Ok(AsyncTask::new(Unpacking { packed: packed.to_vec(), size, hash }))
}

/// Decompresses outside the JavaScript thread.
pub struct Unpacking {
    packed: Vec<u8>,
    size: u32,
    hash: [u8; 32],
}

impl Task for Unpacking {
    type Output = Vec<u8>;
    type JsValue = Buffer;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        rhizome_snapshot::unpack(&self.packed, self.size as usize, &self.hash).map_err(rejected)
    }

    fn resolve(&mut self, _env: Env, contents: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(contents.into())
    }
}

enum Export {
    State(StateExport),
    Log(LogExport),
}

/// An export of states from a store.
#[napi]
pub struct StateCopy {
    inner: Arc<Mutex<Export>>,
}

#[napi]
impl StateCopy {
    /// The state under a root, or all states of the store without one.
    #[napi(constructor)]
    pub fn new(store: &StateStore, root: Option<Uint8Array>) -> Result<Self> {
        let export = match root {
            Some(root) => Export::State(StateExport::new(store.shared(), bytes::hash("root", &root)?).map_err(state)?),
            None => Export::Log(LogExport::new(store.shared()).map_err(state)?),
        };
        Ok(Self { inner: Arc::new(Mutex::new(export)) })
    }

    /// The next piece; null at the end.
    #[napi(ts_return_type = "Promise<Buffer | null>")]
    pub fn next(&self) -> AsyncTask<NextPiece> {
        AsyncTask::new(NextPiece(Arc::clone(&self.inner)))
    }

    /// Nodes so far.
    #[napi(getter)]
    pub fn nodes(&self) -> i64 {
        match &*self.inner.lock() {
            Export::State(export) => export.nodes() as i64,
            Export::Log(export) => export.nodes() as i64,
        }
    }

    /// Position behind the nodes copied so far.
    #[napi(getter)]
    pub fn end(&self) -> i64 {
        match &*self.inner.lock() {
            Export::State(export) => export.end() as i64,
            Export::Log(export) => export.end() as i64,
        }
    }
}

/// Reads a piece outside the JavaScript thread.
pub struct NextPiece(Arc<Mutex<Export>>);

impl Task for NextPiece {
    type Output = Option<Vec<u8>>;
    type JsValue = Option<Buffer>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        match &mut *self.0.lock() {
            Export::State(export) => export.next_piece().map_err(rejected),
            Export::Log(export) => export.next_piece().map_err(rejected),
        }
    }

    fn resolve(&mut self, _env: Env, piece: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(piece.map(Into::into))
    }
}

/// Contents of a piece.
#[napi(object)]
pub struct PieceReport {
    /// Nodes.
    pub nodes: i64,
    /// Long values.
    pub values: i64,
    /// Roots.
    pub roots: i64,
    /// Position behind it.
    pub end: i64,
}

/// An import of states into a store, or a mere check of them.
#[napi]
pub struct StateIntake {
    inner: Arc<Mutex<LogImport>>,
}

#[napi]
impl StateIntake {
    /// Continues at the end of the store's log. `single`: the pieces are of one state.
    #[napi(constructor)]
    pub fn new(store: Option<&StateStore>, single: bool) -> Result<Self> {
        let import = LogImport::new(store.map(StateStore::shared), single).map_err(invalid)?;
        Ok(Self { inner: Arc::new(Mutex::new(import)) })
    }

    /// Position behind the pieces taken so far.
    #[napi(getter)]
    pub fn end(&self) -> i64 {
        self.inner.lock().end() as i64
    }

    /// True when the complete state under a root was taken.
    #[napi(catch_unwind)]
    pub fn has_root(&self, root: Uint8Array) -> Result<bool> {
        self.inner.lock().has_root(&bytes::hash("root", &root)?).map_err(invalid)
    }

    /// Checks a piece and, with a store, makes it durable; rejects with the reason when the piece is invalid.
    #[napi(ts_return_type = "Promise<PieceReport>")]
    pub fn take(&self, piece: Uint8Array) -> AsyncTask<Taking> {
        AsyncTask::new(Taking { import: Arc::clone(&self.inner), piece: piece.to_vec() })
    }
}

/// Takes a piece outside the JavaScript thread.
pub struct Taking {
    import: Arc<Mutex<LogImport>>,
    piece: Vec<u8>,
}

impl Task for Taking {
    type Output = rhizome_store::PieceReport;
    type JsValue = PieceReport;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        self.import.lock().take(&self.piece).map_err(rejected)
    }

    fn resolve(&mut self, _env: Env, report: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(PieceReport {
            nodes: report.nodes as i64,
            values: report.values as i64,
            roots: report.roots as i64,
            end: report.end as i64,
        })
    }
}
