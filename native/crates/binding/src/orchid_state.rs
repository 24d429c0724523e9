//! State roots in the format before RSKIP126, of states on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{AsyncTask, Buffer, Uint8Array};
use napi::{Env, Task};
use napi_derive::napi;
use rhizome_primitives::B256;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateError;

use crate::bytes;
use crate::errors::{Result, state};
use crate::store::StateStore;

/// Computes the state root that a header before RSKIP126 has for a state.
#[napi]
pub struct OrchidStateRoot {
    store: Arc<rhizome_store::StateStore>,
    root: B256,
    stop: Arc<AtomicBool>,
}

#[napi]
impl OrchidStateRoot {
    /// For the state under a Unitrie root, which must be in the store. Nothing is read yet.
    #[napi(constructor, catch_unwind)]
    pub fn new(store: &StateStore, root: Uint8Array) -> Result<Self> {
        let (store, root) = (store.shared(), bytes::hash("root", &root)?);
        if !store.has_root(&root).map_err(state)? {
            return Err(state(StateError::MissingNode(root)));
        }
        Ok(Self { store, root, stop: Arc::default() })
    }

    /// Ends the computation at the current node.
    #[napi]
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Reads the whole state outside the JavaScript thread, on one thread and bypassing the node cache: 32 bytes, or
    /// null when it was stopped. Rejects when the state cannot be read.
    #[napi(ts_return_type = "Promise<Buffer | null>")]
    pub fn run(&self) -> AsyncTask<StateReading> {
        AsyncTask::new(StateReading {
            store: Arc::clone(&self.store),
            root: self.root,
            interrupt: Arc::clone(&self.stop).into(),
        })
    }
}

/// Computes the root outside the JavaScript thread.
pub struct StateReading {
    store: Arc<rhizome_store::StateStore>,
    root: B256,
    interrupt: Interrupt,
}

impl Task for StateReading {
    type Output = Option<B256>;
    type JsValue = Option<Buffer>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        self.store
            .orchid_state_root(self.root, &self.interrupt)
            .map_err(|failure| napi::Error::from_reason(failure.to_string()))
    }

    fn resolve(&mut self, _env: Env, root: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(root.map(|root| root.to_vec().into()))
    }
}
