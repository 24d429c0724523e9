//! States in chunks of snapshot sync: given out, checked, taken. All of it runs beside JavaScript.

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

/// A fault as it rejects a promise.
fn rejected(fault: impl ToString) -> napi::Error {
    napi::Error::from_reason(fault.to_string())
}

/// Bytes of a state that a chunk spans.
#[napi]
pub fn state_chunk_span() -> i64 {
    CHUNK_SPAN as i64
}

/// Bytes of the state under a root as snapshot sync counts them; null where it is not here.
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

/// A chunk of a state as it is sent.
#[napi(object)]
pub struct StateChunk {
    /// RLP.
    pub body: Buffer,
    /// Whether the state ends with it.
    pub complete: bool,
}

/// The chunk of the state under a root from an offset on; null behind its end, where the state is not here, and when
/// it would be longer than `limit` bytes.
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

/// Reading of a chunk as it runs beside JavaScript.
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

/// What became of a chunk.
#[napi(object)]
pub struct ChunkReport {
    /// What is wrong with it, which is the fault of who made it; null where it was taken.
    pub refused: Option<String>,
    /// Nodes in it.
    pub nodes: i64,
    /// Where the next one begins.
    pub next: i64,
    /// Whether the state ends with it.
    pub complete: bool,
}

/// Checks that a chunk has exactly the nodes from an offset on of the state under a root; keeps nothing.
#[napi(ts_return_type = "Promise<ChunkReport>", catch_unwind)]
pub fn check_state_chunk(body: Uint8Array, root: Uint8Array, from: i64) -> Result<AsyncTask<ChunkChecking>> {
    let from = u64::try_from(from).map_err(invalid)?;
    Ok(AsyncTask::new(ChunkChecking { body: body.to_vec(), root: bytes::hash("root", &root)?, from }))
}

/// Checking of a chunk as it runs beside JavaScript.
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

/// A state on its way into a store in chunks.
#[napi]
pub struct ChunkIntake {
    inner: Arc<Mutex<rhizome_store::ChunkIntake>>,
}

#[napi]
impl ChunkIntake {
    /// Begins with the first chunk, or goes on with what `save` gave.
    #[napi(constructor)]
    pub fn new(store: &StateStore, root: Uint8Array, saved: Option<Uint8Array>) -> Result<Self> {
        let root = bytes::hash("root", &root)?;
        let intake = match saved {
            None => rhizome_store::ChunkIntake::new(store.shared(), root),
            Some(saved) => rhizome_store::ChunkIntake::resume(store.shared(), root, &saved).map_err(invalid)?,
        };
        Ok(Self { inner: Arc::new(Mutex::new(intake)) })
    }

    /// Where the next chunk begins.
    #[napi(getter)]
    pub fn next(&self) -> i64 {
        self.inner.lock().next() as i64
    }

    /// Checks and takes the next chunk. One that is refused changes nothing; rejects when the store fails.
    #[napi(ts_return_type = "Promise<ChunkReport>")]
    pub fn take(&self, body: Uint8Array) -> AsyncTask<ChunkTaking> {
        AsyncTask::new(ChunkTaking { intake: Arc::clone(&self.inner), body: body.to_vec() })
    }

    /// Makes what was taken durable; the bytes to go on with.
    #[napi(ts_return_type = "Promise<Buffer>")]
    pub fn save(&self) -> AsyncTask<IntakeSaving> {
        AsyncTask::new(IntakeSaving(Arc::clone(&self.inner)))
    }
}

/// Taking of a chunk as it runs beside JavaScript.
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

/// Saving of an intake as it runs beside JavaScript.
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
