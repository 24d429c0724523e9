//! Bodies parsed and, as far as that takes microseconds and no disk, answered: reads of the state, encoded objects,
//! cached responses, short calls.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use memchr::memchr2_iter;
use rhizome_answers::{BlockNames, EncodedAnswers, NamedHead, Output, TagDepths};
use rhizome_primitives::B256;
use rhizome_store::StateStore;

use crate::envelope::{Envelope, Fault, REQUEST, REQUEST_WORDS, Request, Shape};
use crate::fast_calls::{CallKind, FastCalls, ReadCall};
use crate::fast_methods::{FastMethod, Work};
use crate::response_cache::{Lookups, ResponseCache};
use crate::state_reads::StateReads;

/// In parameters that ask for what changes without the head.
const PENDING: &[u8] = b"pending";

/// Behind the indexes of all methods: keys of responses that report reverts in another form than the node's own.
pub const OTHER_FORM: u16 = 0x8000;

/// Flag of a request in the records: it has its answer, whose span is there.
pub const ANSWERED: u32 = 1 << 8;
/// Flag of an answered request: the answer is a cached response.
pub const CACHED: u32 = 1 << 9;
/// Flag of a request without an answer: the response may be cached.
pub const CACHEABLE: u32 = 1 << 10;
/// Flag of a request without an answer: its response is cached, but is longer than what is left of the output.
pub const TOO_LONG: u32 = 1 << 11;
/// Flag of a request without an answer: a call that waits for [`FastPath::run`].
pub const WAITS: u32 = 1 << 12;

/// A name of a method that requests may use.
#[derive(Clone, Debug)]
pub struct MethodName {
    /// The name.
    pub name: String,
    /// Index of the method, below [`OTHER_FORM`].
    pub index: u16,
    /// Part of it that is answered here.
    pub fast: Option<FastMethod>,
    /// True when responses to parameters hold as long as the head does.
    pub is_cached: bool,
    /// True when responses report reverts, in one of two forms.
    pub reports_reverts: bool,
}

#[derive(Clone, Copy)]
struct Method {
    work: Option<Work>,
    is_cached: bool,
    reports_reverts: bool,
}

/// The head that answers are given at.
#[derive(Clone, Copy, Debug)]
pub struct AnnouncedHead {
    /// Its hash.
    pub hash: B256,
    /// Root of the state after it; none where that cannot be read.
    pub root: Option<B256>,
    /// Height of the lowest block that is kept.
    pub first_block: u64,
}

/// Outcome of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// So many bytes were written: the answer of all that was asked.
    Whole(Shape, usize),
    /// The records say what is answered and what is left to others.
    Partly(Shape),
}

/// Outcome of one request.
enum Step {
    Written { length: usize, is_cached: bool },
    Left(u32),
}

/// A call that was read and waits to be executed.
struct Waiting {
    call: ReadCall,
    /// By what the response is cached, where it may be.
    cached_as: Option<u16>,
}

/// Parses bodies and answers of them what is in memory and short.
pub struct FastPath {
    names: HashMap<Box<[u8]>, u16, RandomState>,
    methods: Vec<Option<Method>>,
    /// Requests of a batch.
    most: usize,
    envelope: Envelope,
    /// Reads of the state; none in tests of the envelope.
    pub state: Option<StateReads>,
    objects: EncodedAnswers,
    /// Short calls; only with a state.
    pub calls: Option<FastCalls>,
    blocks: BlockNames,
    /// Responses by parameters.
    pub cache: ResponseCache,
    /// By the method's index: responses to no parameters, which may end before the head does.
    plain: Vec<Option<Box<[u8]>>>,
    waiting: Option<Waiting>,
    /// Id and parameters of the call that waits.
    waiting_id: Vec<u8>,
    waiting_params: Vec<u8>,
}

impl FastPath {
    /// Answers from encoded objects and cached responses alone. `most`: requests that a batch may have.
    pub fn new(methods: Vec<MethodName>, most: usize, objects: EncodedAnswers, cache: ResponseCache) -> Self {
        let mut names = HashMap::default();
        let mut known = Vec::new();
        for MethodName { name, index, fast, is_cached, reports_reverts } in methods {
            names.insert(name.into_bytes().into(), index);
            known.resize(known.len().max(usize::from(index) + 1), None);
            let work = fast.map(FastMethod::work);
            known[usize::from(index)] = Some(Method { work, is_cached, reports_reverts });
        }
        Self {
            names,
            methods: known,
            most,
            envelope: Envelope::default(),
            state: None,
            objects,
            calls: None,
            blocks: BlockNames::default(),
            cache,
            plain: Vec::new(),
            waiting: None,
            waiting_id: Vec::new(),
            waiting_params: Vec::new(),
        }
    }

    /// Keeps what follows the id in answers to no parameters.
    pub fn keep_plain(&mut self, index: u16, text: &[u8]) {
        let index = usize::from(index);
        if self.plain.len() <= index {
            self.plain.resize(index + 1, None);
        }
        self.plain[index] = Some(text.into());
    }

    /// Drops answers to no parameters.
    pub fn forget_plain(&mut self) {
        self.plain.clear();
    }

    /// Drops everything that depends on the head, which is unknown until it is set.
    pub fn forget(&mut self) {
        self.plain.clear();
        self.cache.clear();
        self.blocks.set_head(None);
        self.waiting = None;
    }

    /// Says how deep tags are.
    pub fn set_depths(&mut self, depths: TagDepths) {
        self.blocks.set_depths(depths);
    }

    /// Says what the head is that answers are given at. What is not known of it in the store stays unknown.
    pub fn set_head(&mut self, store: &Arc<StateStore>, head: &AnnouncedHead) {
        let Some(branch) = store.head_branch(head.hash) else { return self.blocks.set_head(None) };
        self.blocks.set_head(Some(NamedHead { branch, root: head.root, first_block: head.first_block }));
    }

    /// Records of the last body, as [`crate::envelope`] has them.
    pub fn records(&self) -> &[u32] {
        self.envelope.words()
    }

    /// Lookups of cached responses so far.
    pub fn lookups(&self) -> Lookups {
        self.cache.lookups()
    }

    /// Parses a body and answers what of it is in memory. A call is only read: whether it may cost anything is for
    /// others to say, who then have it executed with [`Self::run`].
    /// `other_form`: the caller wants reverts in another form than the node's own.
    pub fn answer(&mut self, body: &[u8], other_form: bool, out: &mut [u8]) -> Result<Answered, Fault> {
        self.waiting = None;
        let Self { envelope, names, most, .. } = self;
        let shape = envelope.read(body, *most, |name| names.get(name).copied())?;
        if shape.is_refused {
            return Ok(Answered::Partly(shape));
        }
        if shape.is_batch {
            return Ok(match self.answer_batch(body, other_form, out) {
                Some(length) => Answered::Whole(shape, length),
                None => Answered::Partly(shape),
            });
        }
        let Some(request) = self.envelope.request_at(0) else { return Ok(Answered::Partly(shape)) };
        let step = self.answer_request(request, body, other_form, true, out);
        self.record(0, 0, &step);
        Ok(match step {
            Step::Written { length, .. } => Answered::Whole(shape, length),
            Step::Left(_) => Answered::Partly(shape),
        })
    }

    /// Length of the answer as a whole; none where something is left to others.
    fn answer_batch(&mut self, body: &[u8], other_form: bool, out: &mut [u8]) -> Option<usize> {
        // Behind the last answer stands the bracket.
        let buffer_end = out.len().checked_sub(1)?;
        let (mut at, mut end, mut is_whole) = (1, 0, true);
        while at < self.envelope.words().len() {
            let kind = self.envelope.words()[at];
            let request = self.envelope.request_at(at);
            let start = end + 1;
            match request {
                Some(request) if start <= buffer_end => {
                    let step = self.answer_request(request, body, other_form, false, &mut out[start..buffer_end]);
                    self.record(at, start, &step);
                    match step {
                        Step::Written { length, .. } => {
                            out[end] = if end == 0 { b'[' } else { b',' };
                            end = start + length;
                        }
                        Step::Left(_) => is_whole = false,
                    }
                }
                // The brackets of the batch itself.
                _ => is_whole &= at == 0 || at + 1 == self.envelope.words().len(),
            }
            at += if kind == REQUEST { REQUEST_WORDS } else { 1 };
        }
        if !is_whole || end == 0 {
            return None;
        }
        out[end] = b']';
        Some(end + 1)
    }

    /// Writes what came of a request into its record. `start` of its answer in the output.
    fn record(&mut self, at: usize, start: usize, step: &Step) {
        match *step {
            Step::Left(flags) => self.envelope.set_answer(at, flags, None),
            Step::Written { length, is_cached } => {
                let flags = ANSWERED | if is_cached { CACHED } else { 0 };
                self.envelope.set_answer(at, flags, Some((start, start + length)));
            }
        }
    }

    fn answer_request(
        &mut self,
        request: Request,
        body: &[u8],
        other_form: bool,
        is_alone: bool,
        out: &mut [u8],
    ) -> Step {
        let Some(Some(method)) = self.methods.get(usize::from(request.method)).copied() else { return Step::Left(0) };
        let span = |(start, end): (u32, u32)| &body[start as usize..end as usize];
        let (id, params) = (span(request.id), span(request.params));
        let is_own_form = !other_form || !method.reports_reverts;
        let key = if is_own_form { request.method } else { request.method | OTHER_FORM };
        if is_own_form
            && (params.is_empty() || params == b"[]")
            && let Some(Some(text)) = self.plain.get(usize::from(request.method))
            && let Some(length) = put_cached(id, text, out)
        {
            return Step::Written { length, is_cached: true };
        }
        let written = match (method.work, &mut self.state) {
            (Some(Work::State(read)), Some(state)) => state.answer(read, &mut self.blocks, id, params, out),
            (Some(Work::Object(subject)), _) => self.objects.answer(subject, &mut self.blocks, id, params, out),
            _ => None,
        };
        if let Some(length) = written {
            return Step::Written { length, is_cached: false };
        }
        let cached_as = (method.is_cached && self.cache.is_on() && can_be_cached(params)).then_some(key);
        if let Some(text) = cached_as.and_then(|key| self.cache.find(key, params)) {
            let step = match put_cached(id, text, out) {
                Some(length) => Step::Written { length, is_cached: true },
                None => Step::Left(TOO_LONG),
            };
            self.cache.count(1, 0);
            return step;
        }
        let flags = if cached_as.is_some() { CACHEABLE } else { 0 };
        if is_alone && let Some(Work::Call(kind)) = method.work {
            return Step::Left(flags | self.read_call(kind, id, params, cached_as));
        }
        Step::Left(flags)
    }

    /// [`WAITS`] where a call is worth an attempt.
    fn read_call(&mut self, kind: CallKind, id: &[u8], params: &[u8], cached_as: Option<u16>) -> u32 {
        let Self { calls, blocks, .. } = self;
        let Some(call) = calls.as_mut().and_then(|calls| calls.read(kind, params, blocks)) else { return 0 };
        self.waiting = Some(Waiting { call, cached_as });
        self.waiting_id.clear();
        self.waiting_id.extend_from_slice(id);
        self.waiting_params.clear();
        self.waiting_params.extend_from_slice(params);
        WAITS
    }

    /// Executes the call that waits, once: the length of the answer; none where it is left to others.
    pub fn run(&mut self, out: &mut [u8]) -> Option<usize> {
        let waiting = self.waiting.take()?;
        let mut output = Output::new(out);
        let start = put_text_start(&self.waiting_id, &mut output)?;
        self.calls.as_mut()?.attempt(&waiting.call, &mut output)?;
        output.put(b"\"}")?;
        let length = output.length();
        if let Some(key) = waiting.cached_as {
            self.cache.count(0, 1);
            self.cache.keep(key, &self.waiting_params, &out[start..length]);
        }
        Some(length)
    }
}

/// True when a response to the parameters may be cached: escapes could hide the word.
fn can_be_cached(params: &[u8]) -> bool {
    memchr2_iter(b'\\', PENDING[0], params).all(|at| params[at] != b'\\' && !params[at..].starts_with(PENDING))
}

fn put_cached(id: &[u8], text: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut output = Output::new(out);
    output.put_head(id)?;
    output.put(text)?;
    Some(output.length())
}

/// The beginning of a text as result; where what follows the id starts.
fn put_text_start(id: &[u8], output: &mut Output<'_>) -> Option<usize> {
    output.put_head(id)?;
    let start = output.length();
    output.put_result()?;
    output.put(b"\"")?;
    Some(start)
}
