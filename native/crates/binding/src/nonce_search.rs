//! Searches nonces on several threads, for the solo miner.

use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, BigInt, Buffer, Uint8Array};
use napi::{Env, Task};
use napi_derive::napi;
use rhizome_bitcoin::{Control, mine_on_threads};
use rhizome_primitives::{B256, U256};

use crate::bytes;
use crate::errors::Result;

/// A search for the nonce of a work.
#[napi]
pub struct NonceSearch {
    control: Arc<Control>,
    hash: B256,
    target: U256,
    time: u32,
}

#[napi]
impl NonceSearch {
    /// A search that has not begun. `target` is big-endian; `time` is the Bitcoin header's, in seconds.
    #[napi(constructor)]
    pub fn new(hash_for_merged_mining: Uint8Array, target: Uint8Array, time: u32) -> Result<Self> {
        Ok(Self {
            control: Arc::default(),
            hash: bytes::hash("hashForMergedMining", &hash_for_merged_mining)?,
            target: bytes::uint("target", &target)?,
            time,
        })
    }

    /// Block hashes tried so far.
    #[napi(getter)]
    pub fn hashes(&self) -> BigInt {
        self.control.hashes().into()
    }

    /// Ends the search within some milliseconds; `run` then returns null.
    #[napi]
    pub fn stop(&self) {
        self.control.stop();
    }

    /// Searches on the given number of threads. Returns the eight bytes of the nonce, or null when the search was
    /// stopped.
    #[napi(ts_return_type = "Promise<Buffer | null>")]
    pub fn run(&self, threads: u32) -> AsyncTask<Search> {
        AsyncTask::new(Search {
            control: Arc::clone(&self.control),
            hash: self.hash,
            target: self.target,
            time: self.time,
            threads,
        })
    }
}

/// Searches outside the JavaScript thread.
pub struct Search {
    control: Arc<Control>,
    hash: B256,
    target: U256,
    time: u32,
    threads: u32,
}

impl Task for Search {
    type Output = Option<[u8; 8]>;
    type JsValue = Option<Buffer>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(mine_on_threads(&self.hash, self.target, self.time, self.threads, &self.control))
    }

    fn resolve(&mut self, _env: Env, found: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(found.map(|nonce| nonce.to_vec().into()))
    }
}
