//! Requests that the front thread answers from their bytes.

use std::sync::Arc;

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_answers::{EncodedAnswers, Subject, Unknown};
use rhizome_rpc::{Answered, CallKind, FastCalls, GasCaps, Lookups, Outcome, Read, ResponseCache, Source, StateReads};

use crate::answers::EncodedObjectCache;
use crate::borrowed::BorrowedBytes;
use crate::byte_array::{OutputBytes, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};
use crate::execution::{BlockEnvironment, gas};
use crate::fast_path_types::{FrontMethod, ResponseCacheStats, UnknownBlock};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// Bytes before an answer: u32 of this machine, the index of its method and whether it was kept.
const HEAD: usize = 4;
const KEPT: u32 = 1 << 16;

/// Answers requests as far as what they ask for is in memory and short. Calls that answer give the length of what
/// was written, the head before the answer included; the head alone for a call that waits for `run`; 0 for what is
/// left to others, -1 when names of blocks are not known (`unknownBlocks`), -2 when a block of a text is not
/// (`unknownText`), -3 when the place of calls is not (`setBlockContext`), -4 for a call that takes too long or reads what is
/// not in memory.
#[napi]
pub struct FastPath {
    inner: rhizome_rpc::FastPath,
    /// Methods that read the state, until there is one.
    reads: Vec<(Vec<u8>, Read)>,
    places: Vec<u8>,
}

#[napi]
impl FastPath {
    /// Nothing of the chain is known.
    #[napi(constructor, catch_unwind)]
    pub fn new(methods: Vec<FrontMethod>, texts: &EncodedObjectCache, kept_bytes: i64) -> Result<Self> {
        let mut reads: Vec<(Vec<u8>, Read)> = Vec::new();
        let mut known = Vec::new();
        for FrontMethod { name, index, read, subject, call, keeps } in methods {
            let state = read.map(|read| {
                reads.push((name.clone().into_bytes(), read.into()));
                reads.len() - 1
            });
            known.push(rhizome_rpc::FrontMethod {
                name,
                index: u16::try_from(index).map_err(invalid)?,
                state,
                text: subject.map(Subject::from),
                call: call.map(CallKind::from),
                keeps,
            });
        }
        if reads.len() > usize::from(u8::MAX) {
            return Err(invalid("too many methods"));
        }
        let kept = ResponseCache::new(usize::try_from(kept_bytes).map_err(invalid)?);
        let texts = EncodedAnswers::new(texts.inner.clone());
        let inner = rhizome_rpc::FastPath::new(known, texts, kept);
        Ok(Self { inner, reads, places: Vec::new() })
    }

    /// Answers from a state, too. Methods that read it have places in their order.
    #[napi(catch_unwind)]
    pub fn read_state(
        &mut self,
        store: &StateStore,
        spec: &ChainSpec,
        call_gas: BigInt,
        estimate_gas: BigInt,
    ) -> Result<()> {
        let caps = GasCaps { call: gas("callGas", &call_gas)?, estimate: gas("estimateGas", &estimate_gas)? };
        self.inner.state = Some(StateReads::new(store.shared(), std::mem::take(&mut self.reads)));
        self.inner.calls = Some(FastCalls::new(store.shared(), Arc::clone(&spec.inner), caps));
        Ok(())
    }

    /// Answers a body that is one ordinary request.
    #[napi(catch_unwind, ts_args_type = "body: ArrayBuffer | Uint8Array, out: Uint8Array")]
    pub fn answer(&mut self, body: BorrowedBytes, mut out: OutputBytes) -> i32 {
        let Some((head, room)) = out.bytes().split_first_chunk_mut::<HEAD>() else { return 0 };
        code(self.inner.answer(&body, room), head)
    }

    /// Executes the call that the last request asked for.
    #[napi(catch_unwind, ts_args_type = "out: Uint8Array")]
    pub fn run(&mut self, mut out: OutputBytes) -> i32 {
        let Some((head, room)) = out.bytes().split_first_chunk_mut::<HEAD>() else { return 0 };
        code(self.inner.run(room), head)
    }

    /// Answers a batch of reads of the state, without an index before the answer. `places` gets the number of
    /// requests and the place of the method of each.
    #[napi(catch_unwind, ts_args_type = "body: Uint8Array, places: Uint8Array, out: Uint8Array")]
    pub fn answer_batch(&mut self, body: BorrowedBytes, mut places: OutputBytes, mut out: OutputBytes) -> i32 {
        let Some(reads) = &mut self.inner.state else { return 0 };
        let places = places.bytes();
        let most = places.len().saturating_sub(1).min(usize::from(u8::MAX));
        let outcome = reads.answer_batch(&body, &mut self.places, most, out.bytes());
        if let (Outcome::Answered(_), [count, places @ ..]) = (outcome, places) {
            *count = self.places.len() as u8;
            places[..self.places.len()].copy_from_slice(&self.places);
        }
        match outcome {
            Outcome::Answered(length) => i32::try_from(length).unwrap_or(0),
            Outcome::UnknownBlocks => -1,
            Outcome::Declined => 0,
        }
    }

    /// Names of blocks of which the last call gave -1.
    #[napi(catch_unwind)]
    pub fn unknown_blocks(&self) -> Vec<String> {
        let names = self.inner.state.as_ref().map_or(&[][..], StateReads::unknown_blocks);
        names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// Says which state the name of a block stands for.
    #[napi(catch_unwind)]
    pub fn name_state(&mut self, name: String, root: Uint8Array) -> Result<()> {
        if let Some(reads) = &mut self.inner.state {
            reads.name_block(name.as_bytes(), bytes::hash("root", &root)?);
        }
        Ok(())
    }

    /// What the last call that gave -2 did not know.
    #[napi(catch_unwind)]
    pub fn unknown_text(&self) -> Option<UnknownBlock> {
        Some(match self.inner.texts.unknown()? {
            Unknown::Name(name) => UnknownBlock { name: Some(name.clone()), hash: None, number: None },
            Unknown::Canonical(place) => UnknownBlock {
                name: None,
                hash: Some(place.block_hash.to_vec().into()),
                number: Some(place.block_number as i64),
            },
        })
    }

    /// Says that a block is canonical.
    #[napi(catch_unwind)]
    pub fn confirm(&mut self, block_hash: Uint8Array) -> Result<()> {
        self.inner.texts.confirm(bytes::hash("block hash", &block_hash)?);
        Ok(())
    }

    /// Says which block a name stands for.
    #[napi(catch_unwind)]
    pub fn name_block(&mut self, name: String, block_hash: Uint8Array) -> Result<()> {
        self.inner.texts.name(name.as_bytes(), bytes::hash("block hash", &block_hash)?);
        Ok(())
    }

    /// Names state and block of the calls that follow.
    #[napi(catch_unwind)]
    pub fn set_block_context(&mut self, root: Uint8Array, block: BlockEnvironment) -> Result<()> {
        let (root, block) = (bytes::hash("root", &root)?, block.to_env()?);
        if let Some(calls) = &mut self.inner.calls {
            calls.set_block_context(root, block);
        }
        Ok(())
    }

    /// Lets calls take time again: a turn of the thread is over.
    #[napi(catch_unwind)]
    pub fn end_turn(&mut self) {
        if let Some(calls) = &mut self.inner.calls {
            calls.end_turn();
        }
    }

    /// What follows the id in a cached response to parameters.
    #[napi(catch_unwind)]
    pub fn find(&mut self, index: u32, params: String) -> Option<String> {
        let found = self.inner.kept.find(u16::try_from(index).ok()?, params.as_bytes());
        let text = found.map(|text| String::from_utf8_lossy(text).into_owned());
        self.inner.kept.count(text.is_some());
        text
    }

    /// Lookups of cached responses to parameters, and their bytes.
    #[napi(catch_unwind)]
    pub fn response_cache_stats(&self) -> ResponseCacheStats {
        let Lookups { hits, misses } = self.inner.kept.lookups();
        ResponseCacheStats { hits: hits as i64, misses: misses as i64, bytes: self.inner.kept.bytes() as i64 }
    }

    /// Keeps what follows the id in an answer to parameters, as UTF-8.
    #[napi(catch_unwind, ts_args_type = "index: number, params: string, text: Uint8Array")]
    pub fn keep(&mut self, index: u32, params: String, text: BorrowedBytes) -> Result<()> {
        self.inner.kept.keep(u16::try_from(index).map_err(invalid)?, params.as_bytes(), &text);
        Ok(())
    }

    /// Keeps what follows the id in an answer to no parameters.
    #[napi(catch_unwind)]
    pub fn keep_plain(&mut self, index: u32, text: String) -> Result<()> {
        self.inner.keep_plain(u16::try_from(index).map_err(invalid)?, text.as_bytes());
        Ok(())
    }

    /// Drops answers to no parameters.
    #[napi(catch_unwind)]
    pub fn forget_plain(&mut self) {
        self.inner.forget_plain();
    }

    /// Drops everything that depends on the head.
    #[napi(catch_unwind)]
    pub fn forget(&mut self) {
        self.inner.forget();
    }
}

fn code(answered: Answered, head: &mut [u8; HEAD]) -> i32 {
    match answered {
        Answered::Written(method, source, length) => {
            let kept = if source == Source::Kept { KEPT } else { 0 };
            *head = (u32::from(method) | kept).to_ne_bytes();
            i32::try_from(length + HEAD).unwrap_or(0)
        }
        Answered::Call(method) => {
            *head = u32::from(method).to_ne_bytes();
            HEAD as i32
        }
        Answered::Declined => 0,
        Answered::UnknownState => -1,
        Answered::UnknownText => -2,
        Answered::UnknownBlockContext => -3,
        Answered::TooLong => -4,
    }
}
