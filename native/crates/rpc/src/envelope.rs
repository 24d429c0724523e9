//! The one grammar of bodies: what JSON.parse takes, read as requests and batches (rpc.md §1).

use crate::json::{Reader, Stop};
use crate::json_depth::is_too_deep;

/// Elements of a batch for each request that it may have. Only those with a method count as requests, as in the
/// reference (rpc.md §1.1), but the others are read and answered, too. A batch with more requests than it may have is
/// answered element by element up to this bound (decisions.md D45): beyond it the errors would be many times the body.
const ELEMENTS_PER_REQUEST: usize = 10;

/// Words of a request; every other record is one word.
pub const REQUEST_WORDS: usize = 8;

/// Record of an object that is a request. Its words: this kind with flags from bit 8 on; index of the method,
/// [`UNKNOWN_METHOD`] or [`NO_METHOD`]; first byte and end of the id, equal where there is none; those of the
/// parameters, equal where there are none; those of the answer in the output, or those of the method's text where the
/// method is unknown.
pub const REQUEST: u32 = 0;
/// Record of an element, or of a whole body, that is no request.
pub const INVALID: u32 = 1;
/// Record before the elements of a batch.
pub const BATCH_BEGIN: u32 = 2;
/// Record behind the elements of a batch.
pub const BATCH_END: u32 = 3;

/// Index of a method that is a text, but no name that is known.
pub const UNKNOWN_METHOD: u32 = u32::MAX;
/// Index of a method that is missing or no text.
pub const NO_METHOD: u32 = u32::MAX - 1;

/// Reason why nothing of a body is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no JSON.
    Parse,
    /// It has too many structures in each other.
    TooDeep,
    /// It is a batch of more than ten times as many elements as it may have requests.
    BatchTooLarge,
}

/// Form of a body as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// True when it is a batch.
    pub is_batch: bool,
    /// True when it is a batch of more requests than it may have.
    pub is_refused: bool,
}

/// A request, as spans of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Index of the method.
    pub method: u16,
    /// First byte and end of the id.
    pub id: (u32, u32),
    /// First byte and end of the parameters, equal where there are none.
    pub params: (u32, u32),
}

/// Reads bodies into flat records.
#[derive(Default)]
pub struct Envelope {
    words: Vec<u32>,
    /// Requests that a batch may have.
    most: usize,
    requests: usize,
    /// Elements that are no batches, and empty batches.
    elements: usize,
}

/// Longest memory of records, in words, that is used again for the next body.
const KEPT_WORDS: usize = 1 << 16;

impl Envelope {
    /// Reads a body. What follows the first JSON value is ignored (rpc.md §11).
    /// `most`: requests of a batch, those of batches in it included. `find`: index of a method by its name.
    pub fn read(&mut self, body: &[u8], most: usize, find: impl Fn(&[u8]) -> Option<u16>) -> Result<Shape, Fault> {
        self.words.clear();
        self.words.shrink_to(KEPT_WORDS);
        (self.most, self.requests, self.elements) = (most, 0, 0);
        let text = std::str::from_utf8(body).map_err(|_| Fault::Parse)?;
        if u32::try_from(body.len()).is_err() {
            return Err(Fault::Parse);
        }
        let mut reader = Reader::new(text);
        match self.read_body(&mut reader, &find) {
            Err(Stop::TooDeep) => Err(Fault::TooDeep),
            Err(Stop::Syntax) if is_too_deep(text) => Err(Fault::TooDeep),
            Err(Stop::Syntax) => Err(Fault::Parse),
            Ok(_) if self.elements > self.bound() => Err(Fault::BatchTooLarge),
            Ok(is_batch) => Ok(Shape { is_batch, is_refused: is_batch && self.requests > most }),
        }
    }

    /// The records of the last body.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The request whose record begins there; none for what is no request for a known method with an id.
    pub(crate) fn request_at(&self, at: usize) -> Option<Request> {
        let &[kind, method, id, id_end, params, params_end, _, _] = self.words.get(at..)?.first_chunk()?;
        if kind != REQUEST || id == id_end {
            return None;
        }
        Some(Request { method: u16::try_from(method).ok()?, id: (id, id_end), params: (params, params_end) })
    }

    /// Says what came of the request whose record begins there.
    pub(crate) fn set_answer(&mut self, at: usize, flags: u32, answer: Option<(usize, usize)>) {
        if let Some([kind, .., start, end]) = self.words.get_mut(at..at + REQUEST_WORDS) {
            *kind |= flags;
            if let Some(answer) = answer {
                (*start, *end) = (answer.0 as u32, answer.1 as u32);
            }
        }
    }

    fn bound(&self) -> usize {
        self.most.saturating_mul(ELEMENTS_PER_REQUEST)
    }

    /// True when it is a batch.
    fn read_body(&mut self, reader: &mut Reader<'_>, find: &impl Fn(&[u8]) -> Option<u16>) -> Result<bool, Stop> {
        match reader.token()? {
            b'[' => self.read_batch(reader, find).map(|()| true),
            b'{' => self.read_request(reader, 0, find).map(|_| false),
            _ => {
                reader.whole_scalar()?;
                self.words.push(INVALID);
                Ok(false)
            }
        }
    }

    fn read_batch(&mut self, reader: &mut Reader<'_>, find: &impl Fn(&[u8]) -> Option<u16>) -> Result<(), Stop> {
        let mut depth = 0;
        loop {
            let is_empty = match reader.token()? {
                b'[' => {
                    reader.open(depth)?;
                    depth += 1;
                    self.push(BATCH_BEGIN);
                    let is_empty = reader.token()? == b']';
                    if !is_empty {
                        continue;
                    }
                    true
                }
                b'{' => {
                    let is_request = self.read_request(reader, depth, find)?;
                    self.count(is_request);
                    false
                }
                _ => {
                    reader.value(depth)?;
                    self.push(INVALID);
                    self.count(false);
                    false
                }
            };
            if is_empty {
                self.count(false);
            }
            while reader.token()? == b']' {
                reader.take();
                self.push(BATCH_END);
                depth -= 1;
                if depth == 0 {
                    return Ok(());
                }
            }
            reader.expect(b',')?;
        }
    }

    fn push(&mut self, kind: u32) {
        // Nothing of a batch that is too large is asked for.
        if self.elements <= self.bound() {
            self.words.push(kind);
        }
    }

    fn count(&mut self, is_request: bool) {
        self.elements += 1;
        self.requests += usize::from(is_request);
    }

    /// True when it is a request with a method.
    fn read_request(
        &mut self,
        reader: &mut Reader<'_>,
        outside: usize,
        find: &impl Fn(&[u8]) -> Option<u16>,
    ) -> Result<bool, Stop> {
        let (mut id, mut method, mut params) = ((0, 0), None, (0, 0));
        reader.open(outside)?;
        let mut next = reader.token()?;
        while next != b'}' {
            let member = Member::read(reader)?;
            let first = reader.token()?;
            let start = reader.position();
            let mut text = None;
            if first == b'"' {
                text = Some(reader.string()?);
            } else {
                reader.value(outside + 1)?;
            }
            let span = (start as u32, reader.position() as u32);
            match member {
                Member::Id => id = if first == b'n' { (0, 0) } else { span },
                Member::Method => method = text.map(|text| (text, span)),
                Member::Params => params = span,
                Member::Other => {}
            }
            next = reader.token()?;
            if next == b',' {
                reader.take();
                next = reader.token()?;
                if next != b'"' {
                    return Err(Stop::Syntax);
                }
            } else if next != b'}' {
                return Err(Stop::Syntax);
            }
        }
        reader.take();
        if self.elements > self.bound() {
            return Ok(false);
        }
        if id.0 != id.1 && matches!(reader.byte_at(id.0 as usize), b'{' | b'[') {
            self.words.push(INVALID);
            return Ok(false);
        }
        let (index, text) = match &method {
            None => (NO_METHOD, (0, 0)),
            Some((name, span)) => match name.with_text(find) {
                Some(index) => (u32::from(index), (0, 0)),
                None => (UNKNOWN_METHOD, *span),
            },
        };
        self.words.extend_from_slice(&[REQUEST, index, id.0, id.1, params.0, params.1, text.0, text.1]);
        Ok(method.is_some())
    }
}

/// Value of a member of a request.
enum Member {
    Id,
    Method,
    Params,
    Other,
}

impl Member {
    /// Goes over the name of a member and its colon. Names in their usual form are compared as they stand.
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, Stop> {
        // Not a loop over the names: with their lengths known each comparison is one of words.
        if reader.take_if(b"\"jsonrpc\":") {
            return Ok(Self::Other);
        }
        if reader.take_if(b"\"id\":") {
            return Ok(Self::Id);
        }
        if reader.take_if(b"\"method\":") {
            return Ok(Self::Method);
        }
        if reader.take_if(b"\"params\":") {
            return Ok(Self::Params);
        }
        let by_name = |name: &[u8]| match name {
            b"id" => Some(Self::Id),
            b"method" => Some(Self::Method),
            b"params" => Some(Self::Params),
            _ => None,
        };
        Ok(reader.key()?.with_text(by_name).unwrap_or(Self::Other))
    }
}
