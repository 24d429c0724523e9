//! Reads of the state that are answered from request bytes to answer bytes.

use napi_derive::napi;
use rhizome_rpc::{Outcome, Read};

use crate::byte_array::{ByteRoom, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};
use crate::store::StateStore;

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

/// A name that requests call a method by.
#[napi(object)]
pub struct StateReadMethod {
    /// The name.
    pub name: String,
    /// What it reads.
    pub read: StateRead,
}

/// Answers reads of the state as far as it is in memory. Calls give the length of the answer that was written, 0
/// for what is left to others, -1 when names of blocks are not known (`unknownBlocks`).
#[napi]
pub struct StateReads {
    inner: rhizome_rpc::StateReads,
    places: Vec<u8>,
}

#[napi]
impl StateReads {
    /// Methods are named by their place in the list.
    #[napi(constructor, catch_unwind)]
    pub fn new(store: &StateStore, methods: Vec<StateReadMethod>) -> Result<Self> {
        let methods: Vec<_> =
            methods.into_iter().map(|method| (method.name.into_bytes(), method.read.into())).collect();
        if methods.len() > usize::from(u8::MAX) {
            return Err(invalid("too many methods"));
        }
        Ok(Self { inner: rhizome_rpc::StateReads::new(store.shared(), methods), places: Vec::new() })
    }

    /// Says which state the name of a block stands for.
    #[napi(catch_unwind)]
    pub fn name_block(&mut self, name: String, root: Uint8Array) -> Result<()> {
        self.inner.name_block(name.as_bytes(), bytes::hash("root", &root)?);
        Ok(())
    }

    /// Forgets what names stand for.
    #[napi(catch_unwind)]
    pub fn forget_blocks(&mut self) {
        self.inner.forget_blocks();
    }

    /// Names of which the last call gave -1.
    #[napi(catch_unwind)]
    pub fn unknown_blocks(&self) -> Vec<String> {
        self.inner.unknown_blocks().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// Answers a request whose id and parameters lie in `body` between the positions.
    #[napi(catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn answer(
        &mut self,
        place: u32,
        body: &[u8],
        id_start: u32,
        id_end: u32,
        params_start: u32,
        params_end: u32,
        #[napi(ts_arg_type = "Uint8Array")] mut out: ByteRoom,
    ) -> i32 {
        let part = |start: u32, end: u32| body.get(start as usize..end as usize);
        let (Some(id), Some(params)) = (part(id_start, id_end), part(params_start, params_end)) else { return 0 };
        code(self.inner.answer(place as usize, id, params, out.bytes()))
    }

    /// Answers a batch. `places` gets the number of requests and the place of the method of each.
    #[napi(catch_unwind)]
    pub fn answer_batch(
        &mut self,
        body: &[u8],
        #[napi(ts_arg_type = "Uint8Array")] mut places: ByteRoom,
        #[napi(ts_arg_type = "Uint8Array")] mut out: ByteRoom,
    ) -> i32 {
        let places = places.bytes();
        let most = places.len().saturating_sub(1).min(usize::from(u8::MAX));
        let outcome = self.inner.answer_batch(body, &mut self.places, most, out.bytes());
        if let (Outcome::Answered(_), [count, places @ ..]) = (outcome, places) {
            *count = self.places.len() as u8;
            places[..self.places.len()].copy_from_slice(&self.places);
        }
        code(outcome)
    }
}

fn code(outcome: Outcome) -> i32 {
    match outcome {
        Outcome::Answered(length) => i32::try_from(length).unwrap_or(0),
        Outcome::UnknownBlocks => -1,
        Outcome::Declined => 0,
    }
}
