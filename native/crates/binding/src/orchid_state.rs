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

/// The computation of what a header before RSKIP126 says of a state.
#[napi]
pub struct OrchidStateRoot {
    store: Arc<rhizome_store::StateStore>,
    root: B256,
    stop: Arc<AtomicBool>,
}

#[napi]
impl OrchidStateRoot {
    /// Of the state under a Unitrie root, which must be there. Nothing is read yet.
    #[napi(constructor, catch_unwind)]
    pub fn new(store: &StateStore, root: Uint8Array) -> Result<Self> {
        let (store, root) = (store.shared(), bytes::hash("root", &root)?);
        if !store.has_root(&root).map_err(state)? {
            return Err(state(StateError::MissingNode(root)));
        }
        Ok(Self { store, root, stop: Arc::default() })
    }

    /// Ends the computation at the node that it reads.
    #[napi]
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Reads the whole state beside JavaScript, on one thread and past the node cache: 32 bytes, or null when it was
    /// stopped. Rejects for what cannot be read.
    #[napi(ts_return_type = "Promise<Buffer | null>")]
    pub fn run(&self) -> AsyncTask<StateReading> {
        AsyncTask::new(StateReading {
            store: Arc::clone(&self.store),
            root: self.root,
            interrupt: Arc::clone(&self.stop).into(),
        })
    }
}

/// The computation as it runs beside JavaScript.
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
