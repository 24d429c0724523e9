//! States in chunks of snapshot sync: reading, checking and taking them. All of it runs outside the JavaScript thread.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use parking_lot::Mutex;
use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_store::IntakeError;
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::chunk::{CHUNK_SPAN, check_chunk};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid, state};
use crate::store::StateStore;

/// Converts a failure to the error of a rejected promise.
fn rejected(fault: impl ToString) -> napi::Error {
    napi::Error::from_reason(fault.to_string())
}

/// Bytes of a state that one chunk covers.
#[napi]
pub fn state_chunk_span() -> i64 {
    CHUNK_SPAN as i64
}

/// Bytes of the state under a root, as snapshot sync counts them; null where the state is not in the store.
#[napi(catch_unwind)]
pub fn state_size(store: &StateStore, root: Uint8Array) -> Result<Option<i64>> {
    let root = bytes::hash("root", &root)?;
    if root == EMPTY_ROOT {
        return Ok(None);
    }
    match store.shared().state_size(root) {
        Ok(size) => Ok(Some(size as i64)),
        Err(StateError::MissingNode(_)) => Ok(None),
        Err(error) => Err(state(error)),
    }
}

/// A chunk of a state in the form that is sent.
#[napi(object)]
pub struct StateChunk {
    /// RLP.
    pub body: Buffer,
    /// True when it is the last chunk of the state.
    pub complete: bool,
}

/// The chunk of the state under a root from an offset on. Null behind the end of the state, where the state is not in
/// the store, and when the chunk would be longer than `limit` bytes.
#[napi(ts_return_type = "Promise<StateChunk | null>", catch_unwind)]
pub fn read_state_chunk(
    store: &StateStore,
    root: Uint8Array,
    from: i64,
    limit: u32,
) -> Result<AsyncTask<ChunkReading>> {
    let from = u64::try_from(from).map_err(invalid)?;
    let root = bytes::hash("root", &root)?;
    Ok(AsyncTask::new(ChunkReading { store: store.shared(), root, from, limit: limit as usize }))
}

/// Reads a chunk outside the JavaScript thread.
pub struct ChunkReading {
    store: Arc<rhizome_store::StateStore>,
    root: B256,
    from: u64,
    limit: usize,
}

impl Task for ChunkReading {
    type Output = Option<rhizome_trie::chunk::StateChunk>;
    type JsValue = Option<StateChunk>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        match self.store.state_chunk(self.root, self.from, self.limit) {
            Err(StateError::MissingNode(missing)) if missing == self.root => Ok(None),
            other => other.map_err(rejected),
        }
    }

    fn resolve(&mut self, _env: Env, chunk: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(chunk.map(|chunk| StateChunk { body: chunk.body.into(), complete: chunk.complete }))
    }
}

/// The result of checking or taking a chunk.
#[napi(object)]
pub struct ChunkReport {
    /// Reason why it was refused, which is the fault of the peer that made it; null if it was accepted.
    pub refused: Option<String>,
    /// Nodes in the chunk.
    pub nodes: i64,
    /// Offset of the next chunk.
    pub next: i64,
    /// True when it is the last chunk of the state.
    pub complete: bool,
}

/// Checks that a chunk has exactly the nodes of the state under a root from an offset on; stores nothing.
#[napi(ts_return_type = "Promise<ChunkReport>", catch_unwind)]
pub fn check_state_chunk(body: Uint8Array, root: Uint8Array, from: i64) -> Result<AsyncTask<ChunkChecking>> {
    let from = u64::try_from(from).map_err(invalid)?;
    Ok(AsyncTask::new(ChunkChecking { body: body.to_vec(), root: bytes::hash("root", &root)?, from }))
}

/// Checks a chunk outside the JavaScript thread.
pub struct ChunkChecking {
    body: Vec<u8>,
    root: B256,
    from: u64,
}

impl Task for ChunkChecking {
    type Output = ChunkReport;
    type JsValue = ChunkReport;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let to = self.from.saturating_add(CHUNK_SPAN);
        Ok(match check_chunk(&self.body, &self.root, self.from, to) {
            Ok(chunk) => ChunkReport {
                refused: None,
                nodes: chunk.nodes.len() as i64,
                next: to as i64,
                complete: chunk.complete,
            },
            Err(fault) => refusal(fault, self.from),
        })
    }

    fn resolve(&mut self, _env: Env, report: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(report)
    }
}

fn refusal(fault: impl ToString, next: u64) -> ChunkReport {
    ChunkReport { refused: Some(fault.to_string()), nodes: 0, next: next as i64, complete: false }
}

/// A state that is being stored chunk by chunk.
#[napi]
pub struct ChunkIntake {
    inner: Arc<Mutex<rhizome_store::ChunkIntake>>,
}

#[napi]
impl ChunkIntake {
    /// Starts with the first chunk, or resumes from the bytes that `save` returned.
    #[napi(constructor)]
    pub fn new(store: &StateStore, root: Uint8Array, saved: Option<Uint8Array>) -> Result<Self> {
        let root = bytes::hash("root", &root)?;
        let intake = match saved {
            None => rhizome_store::ChunkIntake::new(store.shared(), root),
            Some(saved) => rhizome_store::ChunkIntake::resume(store.shared(), root, &saved).map_err(invalid)?,
        };
        Ok(Self { inner: Arc::new(Mutex::new(intake)) })
    }

    /// Offset of the next chunk.
    #[napi(getter)]
    pub fn next(&self) -> i64 {
        self.inner.lock().next() as i64
    }

    /// Checks and takes the next chunk. A refused chunk changes nothing; rejects when the store fails.
    #[napi(ts_return_type = "Promise<ChunkReport>")]
    pub fn take(&self, body: Uint8Array) -> AsyncTask<ChunkTaking> {
        AsyncTask::new(ChunkTaking { intake: Arc::clone(&self.inner), body: body.to_vec() })
    }

    /// Makes everything taken so far durable; returns the bytes to resume from.
    #[napi(ts_return_type = "Promise<Buffer>")]
    pub fn save(&self) -> AsyncTask<IntakeSaving> {
        AsyncTask::new(IntakeSaving(Arc::clone(&self.inner)))
    }
}

/// Takes a chunk outside the JavaScript thread.
pub struct ChunkTaking {
    intake: Arc<Mutex<rhizome_store::ChunkIntake>>,
    body: Vec<u8>,
}

impl Task for ChunkTaking {
    type Output = ChunkReport;
    type JsValue = ChunkReport;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let mut intake = self.intake.lock();
        match intake.take(&self.body) {
            Ok(report) => Ok(ChunkReport {
                refused: None,
                nodes: report.nodes as i64,
                next: report.next as i64,
                complete: report.complete,
            }),
            Err(IntakeError::Chunk(fault)) => Ok(refusal(fault, intake.next())),
            Err(other) => Err(rejected(other)),
        }
    }

    fn resolve(&mut self, _env: Env, report: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(report)
    }
}

/// Saves an intake outside the JavaScript thread.
pub struct IntakeSaving(Arc<Mutex<rhizome_store::ChunkIntake>>);

impl Task for IntakeSaving {
    type Output = Vec<u8>;
    type JsValue = Buffer;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        self.0.lock().save().map_err(rejected)
    }

    fn resolve(&mut self, _env: Env, saved: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(saved.into())
    }
}
