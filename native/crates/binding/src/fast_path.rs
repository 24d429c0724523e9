//! Bodies that the front thread parses and, as far as it can, answers from their bytes.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use rhizome_answers::{EncodedAnswers, TagDepths};
use rhizome_rpc::{
    AnnouncedHead, Answered, CallStats, FastCalls, Fault, GasCaps, Lookups, OTHER_FORM, ResponseCache, StateReads,
};

use crate::answers::EncodedObjectCache;
use crate::borrowed::BorrowedBytes;
use crate::byte_array::{HeldOutput, OutputBytes};
use crate::bytes;
use crate::direct_function::{DirectCall, direct_function};
use crate::errors::{Result, invalid};
use crate::execution::count;
use crate::fast_path_types::{FastCallStats, FastLimits, MethodName, ResponseCacheStats};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// Bytes before the answers: u32 of this machine. The first has the flags of the body, the second the number of words
/// of its records, the others those words, as far as they fit.
const HEAD: usize = 4096;
const WORD: usize = 4;
const FIRST_RECORD: usize = 2 * WORD;

/// Flags of a body.
const BATCH: u32 = 1;
const REFUSED: u32 = 2;

/// Results: what was asked has its answer up to the byte of that number, or one of these.
const PARTLY: i32 = 0;
const PARSE: i32 = -3;
const TOO_DEEP: i32 = -4;
const BATCH_TOO_LARGE: i32 = -5;

/// Parses bodies and answers them as far as what they ask for is in memory and short.
#[napi]
pub struct FastPath {
    /// Shared with the functions that answer.
    inner: Rc<RefCell<rhizome_rpc::FastPath>>,
    /// Store of the state; none in tests of the envelope.
    store: Option<Arc<rhizome_store::StateStore>>,
}

#[napi]
impl FastPath {
    /// Nothing of the chain is known. `most`: requests of a batch.
    #[napi(constructor, catch_unwind)]
    pub fn new(methods: Vec<MethodName>, most: u32, objects: &EncodedObjectCache, cached_bytes: i64) -> Result<Self> {
        let methods = methods.into_iter().map(to_name).collect::<Result<Vec<_>>>()?;
        let cache = ResponseCache::new(usize::try_from(cached_bytes).map_err(invalid)?);
        let objects = EncodedAnswers::new(objects.inner.clone());
        let inner = rhizome_rpc::FastPath::new(methods, most as usize, objects, cache);
        Ok(Self { inner: Rc::new(RefCell::new(inner)), store: None })
    }

    /// Answers from a state, too.
    #[napi(catch_unwind)]
    pub fn read_state(&mut self, store: &StateStore, spec: &ChainSpec, limits: FastLimits) -> Result<()> {
        let caps = GasCaps {
            call: bytes::unsigned64("callGas", &limits.call_gas)?,
            estimate: bytes::unsigned64("estimateGas", &limits.estimate_gas)?,
        };
        let depths = TagDepths {
            safe: count("safeDepth", limits.safe_depth)?,
            finalized: count("finalizedDepth", limits.finalized_depth)?,
        };
        let mut inner = self.inner.borrow_mut();
        inner.state = Some(StateReads::new(store.shared()));
        inner.calls = Some(FastCalls::new(store.shared(), Arc::clone(&spec.inner), caps));
        inner.set_depths(depths);
        self.store = Some(store.shared());
        Ok(())
    }

    /// A function that parses a body and answers what of it is in memory and short. It gives the end of the answer, where
    /// all that was asked has one; 0 where it does not; -3 for what is no JSON, -4 for what is nested too deep, -5 for a
    /// batch of far too many elements. `otherForm`: for callers who want reverts in another form than the
    /// node's own. It writes to `out`, which must not be transferred.
    #[napi(
        catch_unwind,
        ts_args_type = "otherForm: boolean, out: Uint8Array",
        ts_return_type = "(body: ArrayBuffer | Uint8Array) => number"
    )]
    pub fn answer_function(&self, env: Env, other_form: bool, out: HeldOutput) -> Result<napi::Unknown<'static>> {
        let inner = Rc::clone(&self.inner);
        direct_function(&env, "answer", out, |out| AnswerParts { inner, other_form, out: RefCell::new(out) })
    }

    /// Writes all records of the last body, where they found no buffer in the output.
    #[napi(catch_unwind, ts_args_type = "out: Uint8Array")]
    pub fn copy_records(&self, mut out: OutputBytes) {
        put_words(self.inner.borrow().records(), out.bytes());
    }

    /// A function that executes the call that the last body asked for. It gives the end of the answer; 0 where it is left
    /// to others. It writes to `out`, which must not be transferred.
    #[napi(catch_unwind, ts_args_type = "out: Uint8Array", ts_return_type = "() => number")]
    pub fn run_function(&self, env: Env, out: HeldOutput) -> Result<napi::Unknown<'static>> {
        let inner = Rc::clone(&self.inner);
        direct_function(&env, "run", out, |out| RunParts { inner, out: RefCell::new(out) })
    }

    /// Says what the head is that answers are given at from now on, the root of its state, where that can be read, and
    /// the height of the lowest block that is kept. Blocks below the head are known as far as they are in memory.
    #[napi(catch_unwind, ts_args_type = "hash: Uint8Array, root: Uint8Array | undefined | null, firstBlock: number")]
    pub fn set_head(&mut self, hash: BorrowedBytes, root: Option<BorrowedBytes>, first_block: i64) -> Result<()> {
        let head = AnnouncedHead {
            hash: bytes::hash("hash", &hash)?,
            root: root.map(|root| bytes::hash("root", &root)).transpose()?,
            first_block: count("firstBlock", first_block)?,
        };
        if let Some(store) = &self.store {
            self.inner.borrow_mut().set_head(store, &head);
            store.fill_window();
        }
        Ok(())
    }

    /// Lets calls take time again: a turn of the thread is over.
    #[napi(catch_unwind)]
    pub fn end_turn(&mut self) {
        if let Some(calls) = &mut self.inner.borrow_mut().calls {
            calls.end_turn();
        }
    }

    /// Text after the id in a cached response to parameters that is longer than the output.
    #[napi(catch_unwind, ts_args_type = "key: number, params: Uint8Array")]
    pub fn find(&self, key: u32, params: BorrowedBytes) -> Option<String> {
        let inner = self.inner.borrow();
        let found = inner.cache.find(u16::try_from(key).ok()?, &params);
        found.map(|text| String::from_utf8_lossy(text).into_owned())
    }

    /// Lookups of cached responses to parameters, and their bytes.
    #[napi(catch_unwind)]
    pub fn response_cache_stats(&self) -> ResponseCacheStats {
        let inner = self.inner.borrow();
        let Lookups { hits, misses } = inner.lookups();
        ResponseCacheStats { hits: hits as i64, misses: misses as i64, bytes: inner.cache.bytes() as i64 }
    }

    /// Calls that were executed here.
    #[napi(catch_unwind)]
    pub fn call_stats(&self) -> FastCallStats {
        let stats = self.inner.borrow().calls.as_ref().map(FastCalls::stats).unwrap_or_default();
        let CallStats { attempts, failures, gas, wasted_gas } = stats;
        FastCallStats {
            attempts: attempts as i64,
            failures: failures as i64,
            gas: gas as i64,
            wasted_gas: wasted_gas as i64,
        }
    }

    /// Keeps what follows the id in an answer to parameters, as UTF-8.
    #[napi(catch_unwind, ts_args_type = "key: number, params: Uint8Array, text: Uint8Array")]
    pub fn keep(&mut self, key: u32, params: BorrowedBytes, text: BorrowedBytes) -> Result<()> {
        self.inner.borrow_mut().cache.keep(u16::try_from(key).map_err(invalid)?, &params, &text);
        Ok(())
    }

    /// Keeps what follows the id in an answer to no parameters.
    #[napi(catch_unwind)]
    pub fn keep_plain(&mut self, index: u32, text: String) -> Result<()> {
        self.inner.borrow_mut().keep_plain(u16::try_from(index).map_err(invalid)?, text.as_bytes());
        Ok(())
    }

    /// Drops answers to no parameters.
    #[napi(catch_unwind)]
    pub fn forget_plain(&mut self) {
        self.inner.borrow_mut().forget_plain();
    }

    /// Drops everything that depends on the head.
    #[napi(catch_unwind)]
    pub fn forget(&mut self) {
        self.inner.borrow_mut().forget();
    }
}

/// Parts of the functions that answer.
struct AnswerParts {
    inner: Rc<RefCell<rhizome_rpc::FastPath>>,
    other_form: bool,
    out: RefCell<OutputBytes>,
}

impl DirectCall for AnswerParts {
    type Arguments = BorrowedBytes;

    fn call(&self, body: BorrowedBytes) -> i32 {
        let mut out = self.out.borrow_mut();
        let Some((head, buffer)) = out.bytes().split_first_chunk_mut::<HEAD>() else { return PARTLY };
        let mut inner = self.inner.borrow_mut();
        let (shape, end) = match inner.answer(&body, self.other_form, buffer) {
            Ok(Answered::Whole(shape, length)) => (shape, length + HEAD),
            Ok(Answered::Partly(shape)) => (shape, 0),
            Err(Fault::Parse) => return PARSE,
            Err(Fault::TooDeep) => return TOO_DEEP,
            Err(Fault::BatchTooLarge) => return BATCH_TOO_LARGE,
        };
        let records = inner.records();
        let flags = if shape.is_batch { BATCH } else { 0 } | if shape.is_refused { REFUSED } else { 0 };
        head[..WORD].copy_from_slice(&flags.to_ne_bytes());
        head[WORD..FIRST_RECORD].copy_from_slice(&(records.len() as u32).to_ne_bytes());
        put_words(records, &mut head[FIRST_RECORD..]);
        i32::try_from(end).unwrap_or(PARTLY)
    }
}

/// Parts of the function that executes calls.
struct RunParts {
    inner: Rc<RefCell<rhizome_rpc::FastPath>>,
    out: RefCell<OutputBytes>,
}

impl DirectCall for RunParts {
    type Arguments = ();

    fn call(&self, (): ()) -> i32 {
        let mut out = self.out.borrow_mut();
        let Some((_, buffer)) = out.bytes().split_first_chunk_mut::<HEAD>() else { return PARTLY };
        self.inner.borrow_mut().run(buffer).and_then(|length| i32::try_from(length + HEAD).ok()).unwrap_or(PARTLY)
    }
}

fn to_name(method: MethodName) -> Result<rhizome_rpc::MethodName> {
    let MethodName { name, index, fast, is_cached, reports_reverts } = method;
    let index = u16::try_from(index).ok().filter(|&index| index < OTHER_FORM);
    let index = index.ok_or_else(|| invalid("too many methods"))?;
    Ok(rhizome_rpc::MethodName { name, index, fast: fast.map(Into::into), is_cached, reports_reverts })
}

/// As many words as fit.
fn put_words(words: &[u32], out: &mut [u8]) {
    for (word, bytes) in words.iter().zip(out.chunks_exact_mut(WORD)) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
}
