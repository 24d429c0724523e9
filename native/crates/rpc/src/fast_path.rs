//! Whole requests answered from their bytes: reads of the state, encoded objects and answers, short calls.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rhizome_answers::{EncodedAnswers, Outcome as TextOutcome, Output, Subject};
use rhizome_evm::Message;

use crate::fast_calls::{CallKind, FastCalls, Unanswered};
use crate::response_cache::ResponseCache;
use crate::scan::{RawRequest, Scanner};
use crate::state_reads::{Outcome as StateOutcome, StateReads};

/// In parameters that ask for what changes without the head.
const PENDING: &[u8] = b"pending";

/// A method whose requests are answered here.
#[derive(Clone, Debug)]
pub struct FrontMethod {
    /// Name as in requests.
    pub name: String,
    /// What callers know the method by.
    pub index: u16,
    /// Place among the methods of [`StateReads`].
    pub state: Option<usize>,
    /// What is told of whose text is kept.
    pub text: Option<Subject>,
    /// What is asked of a call.
    pub call: Option<CallKind>,
    /// Whether answers to parameters hold as long as the head does.
    pub keeps: bool,
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Read or executed for this request.
    Core,
    /// A cached response.
    Kept,
}

/// What came of a request. Methods are named by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// So many bytes of an answer were written.
    Written(u16, Source, usize),
    /// A call that waits for [`FastPath::run`].
    Call(u16),
    /// The state reads have to be told of blocks first: [`StateReads::unknown_blocks`].
    UnknownState,
    /// The texts have to be told of a block first: [`EncodedAnswers::unknown`].
    UnknownText,
    /// Calls have to be told of state and block first: [`FastCalls::set_block_context`].
    UnknownBlockContext,
    /// A call that takes too long here, or reads what is not in memory: not worth another attempt in this thread.
    TooLong,
    /// Left to others.
    Declined,
}

/// A call that was read and waits to be executed.
struct Waiting {
    method: u16,
    kind: CallKind,
    message: Message,
    /// Whether the answer may be kept.
    keeps: bool,
}

/// Answers ordinary single requests as far as that takes microseconds and no disk.
pub struct FastPath {
    methods: HashMap<Box<[u8]>, FrontMethod, RandomState>,
    /// Reads of the state; none in tests of the envelope.
    pub state: Option<StateReads>,
    /// Texts of blocks, transactions and receipts.
    pub texts: EncodedAnswers,
    /// Short calls; only with a state.
    pub calls: Option<FastCalls>,
    /// Answers by parameters.
    pub kept: ResponseCache,
    /// By the method's index: answers to no parameters, which may end before the head does.
    plain: Vec<Option<Box<[u8]>>>,
    waiting: Option<Waiting>,
    /// Id and parameters of the call that waits.
    waiting_id: Vec<u8>,
    waiting_params: Vec<u8>,
}

impl FastPath {
    /// Answers from texts and cached responses alone.
    pub fn new(methods: Vec<FrontMethod>, texts: EncodedAnswers, kept: ResponseCache) -> Self {
        let methods = methods.into_iter().map(|method| (method.name.clone().into_bytes().into(), method)).collect();
        Self {
            methods,
            state: None,
            texts,
            calls: None,
            kept,
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

    /// Drops everything that depends on the head.
    pub fn forget(&mut self) {
        self.plain.clear();
        self.kept.clear();
        self.texts.forget();
        if let Some(state) = &mut self.state {
            state.forget_blocks();
        }
        if let Some(calls) = &mut self.calls {
            calls.clear_block_context();
        }
    }

    /// Answers a body that is one ordinary request, or reads it where it is a call: whether that may cost anything is
    /// for others to say, who then have it executed with [`Self::run`].
    pub fn answer(&mut self, body: &[u8], out: &mut [u8]) -> Answered {
        self.waiting = None;
        // Whatever follows the object is ignored, as the reference does (rpc.md §11).
        let Some(RawRequest { id, method, params }) = Scanner::new(body).raw_request() else {
            return Answered::Declined;
        };
        let Self { methods, state, texts, calls, kept, plain, .. } = self;
        let Some(method) = methods.get(method) else { return Answered::Declined };
        let index = method.index;
        let from_core = |length| Answered::Written(index, Source::Core, length);
        if params.is_empty() || params == b"[]" {
            let Some(Some(text)) = plain.get(usize::from(index)) else { return Answered::Declined };
            return put_kept(index, id, text, out);
        }
        if let (Some(place), Some(state)) = (method.state, state) {
            match state.answer(place, id, params, out) {
                StateOutcome::Answered(length) => return from_core(length),
                StateOutcome::UnknownBlocks => return Answered::UnknownState,
                StateOutcome::Declined => {}
            }
        }
        if let Some(subject) = method.text {
            match texts.answer(subject, id, params, out) {
                TextOutcome::Written(length) => return from_core(length),
                TextOutcome::Unknown => return Answered::UnknownText,
                TextOutcome::Declined => {}
            }
        }
        let keeps = method.keeps && kept.is_on() && can_be_kept(params);
        if keeps && let Some(text) = kept.find(index, params) {
            let answered = put_kept(index, id, text, out);
            // What does not fit is looked up again.
            if answered != Answered::Declined {
                kept.count(true);
            }
            return answered;
        }
        let (Some(kind), Some(calls)) = (method.call, calls) else { return Answered::Declined };
        let message = match calls.read(kind, params) {
            Ok(message) => message,
            Err(reason) => return reason.into(),
        };
        self.waiting = Some(Waiting { method: index, kind, message, keeps });
        self.waiting_id.clear();
        self.waiting_id.extend_from_slice(id);
        self.waiting_params.clear();
        self.waiting_params.extend_from_slice(params);
        Answered::Call(index)
    }

    /// Executes the call that the last request asked for, once: it only waits on after [`Answered::UnknownBlockContext`].
    pub fn run(&mut self, out: &mut [u8]) -> Answered {
        let (Some(waiting), Some(calls)) = (self.waiting.take(), &mut self.calls) else { return Answered::Declined };
        let mut output = Output::new(out);
        let Some(start) = put_text_start(&self.waiting_id, &mut output) else { return Answered::Declined };
        if let Err(reason) = calls.attempt(waiting.kind, &waiting.message, &mut output) {
            if matches!(reason, Unanswered::NoPlace) {
                self.waiting = Some(waiting);
            }
            return reason.into();
        }
        if output.put(b"\"}").is_none() {
            return Answered::Declined;
        }
        let length = output.length();
        if waiting.keeps {
            self.kept.count(false);
            self.kept.keep(waiting.method, &self.waiting_params, &out[start..length]);
        }
        Answered::Written(waiting.method, Source::Core, length)
    }
}

impl From<Unanswered> for Answered {
    fn from(reason: Unanswered) -> Self {
        match reason {
            Unanswered::NoPlace => Self::UnknownBlockContext,
            Unanswered::TooLong => Self::TooLong,
            Unanswered::Declined => Self::Declined,
        }
    }
}

/// Whether an answer to the parameters may be kept: escapes could hide the word.
fn can_be_kept(params: &[u8]) -> bool {
    !params.contains(&b'\\') && !params.windows(PENDING.len()).any(|part| part == PENDING)
}

fn put_kept(index: u16, id: &[u8], text: &[u8], out: &mut [u8]) -> Answered {
    let mut output = Output::new(out);
    match output.put_head(id).and_then(|()| output.put(text)) {
        Some(()) => Answered::Written(index, Source::Kept, output.length()),
        None => Answered::Declined,
    }
}

/// The beginning of a text as result; where what follows the id starts.
fn put_text_start(id: &[u8], output: &mut Output<'_>) -> Option<usize> {
    output.put_head(id)?;
    let start = output.length();
    output.put_result()?;
    output.put(b"\"")?;
    Some(start)
}
