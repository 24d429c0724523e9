//! Strict JSON (RFC 8259), as JSON.parse takes it: where values end, not what they are.

use crate::json_string::{Text, plain_end};

/// Structures in each other that are taken, as the reference's reader (rpc.md §1.1).
pub(crate) const MAX_DEPTH: usize = 1000;

/// Mark that may stand before a text, as decoders of UTF-8 drop it.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reason why there is no JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A byte that cannot stand there, or the end.
    Syntax,
    /// More structures in each other than are taken.
    TooDeep,
}

/// Goes over JSON text.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    /// At the start of the text, behind its byte order mark.
    pub(crate) fn new(text: &'a str) -> Self {
        let position = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Self { bytes: text.as_bytes(), position }
    }

    /// Offset of the byte that is next.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// A byte of the text; 0 behind its end.
    pub(crate) fn byte_at(&self, position: usize) -> u8 {
        self.bytes.get(position).copied().unwrap_or_default()
    }

    /// Goes to the next byte that is no white space.
    #[inline]
    pub(crate) fn token(&mut self) -> Result<u8, Stop> {
        loop {
            let byte = *self.bytes.get(self.position).ok_or(Stop::Syntax)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(byte);
            }
            self.position += 1;
        }
    }

    /// Goes over the byte that is here.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.position += 1;
    }

    /// Goes over a text if it is here.
    #[inline]
    pub(crate) fn take_if<const LENGTH: usize>(&mut self, text: &[u8; LENGTH]) -> bool {
        let is_here = self.bytes[self.position..].first_chunk() == Some(text);
        if is_here {
            self.position += LENGTH;
        }
        is_here
    }

    /// Goes over white space and a byte.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.token()? != byte {
            return Err(Stop::Syntax);
        }
        self.take();
        Ok(())
    }

    /// Goes over the bracket that is here. `outside`: structures that are open.
    #[inline]
    pub(crate) fn open(&mut self, outside: usize) -> Result<(), Stop> {
        if outside >= MAX_DEPTH {
            return Err(Stop::TooDeep);
        }
        self.take();
        Ok(())
    }

    /// Goes over the name of a member and the colon behind it.
    #[inline]
    pub(crate) fn key(&mut self) -> Result<Text<'a>, Stop> {
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Goes over the string that begins here.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Text<'a>, Stop> {
        if self.byte_at(self.position) != b'"' {
            return Err(Stop::Syntax);
        }
        let start = self.position + 1;
        let (mut end, mut has_escapes) = (start, false);
        loop {
            end = plain_end(self.bytes, end);
            match self.byte_at(end) {
                b'"' => break,
                b'\\' => {
                    has_escapes = true;
                    end = self.escape_end(end)?;
                }
                _ => return Err(Stop::Syntax),
            }
        }
        self.position = end + 1;
        Ok(Text::new(&self.bytes[start..end], has_escapes))
    }

    fn escape_end(&self, start: usize) -> Result<usize, Stop> {
        match self.byte_at(start + 1) {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(start + 2),
            b'u' => match self.bytes.get(start + 2..start + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(start + 6),
                _ => Err(Stop::Syntax),
            },
            _ => Err(Stop::Syntax),
        }
    }

    /// Goes over the value that begins here. `outside`: structures that are open.
    #[inline]
    pub(crate) fn value(&mut self, outside: usize) -> Result<(), Stop> {
        match self.byte_at(self.position) {
            b'{' | b'[' => self.structure(outside),
            _ => self.scalar(),
        }
    }

    /// Goes over a value that is no structure and begins here, and is the whole text or followed by what cannot belong
    /// to it: `123abc` is no JSON.
    pub(crate) fn whole_scalar(&mut self) -> Result<(), Stop> {
        let is_string = self.byte_at(self.position) == b'"';
        self.scalar()?;
        let next = self.byte_at(self.position);
        let goes_on = next.is_ascii_alphanumeric() || matches!(next, b'-' | b'+' | b'.');
        if goes_on && !is_string { Err(Stop::Syntax) } else { Ok(()) }
    }

    #[inline]
    fn scalar(&mut self) -> Result<(), Stop> {
        match self.byte_at(self.position) {
            b'"' => self.string().map(|_| ()),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Stop> {
        if !self.bytes[self.position..].starts_with(word) {
            return Err(Stop::Syntax);
        }
        self.position += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Stop> {
        if self.byte_at(self.position) == b'-' {
            self.take();
        }
        if self.byte_at(self.position) == b'0' {
            self.take();
        } else {
            self.digits()?;
        }
        if self.byte_at(self.position) == b'.' {
            self.take();
            self.digits()?;
        }
        if matches!(self.byte_at(self.position), b'e' | b'E') {
            self.take();
            if matches!(self.byte_at(self.position), b'+' | b'-') {
                self.take();
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.position;
        while self.byte_at(self.position).is_ascii_digit() {
            self.position += 1;
        }
        if self.position == start { Err(Stop::Syntax) } else { Ok(()) }
    }

    fn structure(&mut self, outside: usize) -> Result<(), Stop> {
        let mut open = OpenStructures::default();
        loop {
            match self.token()? {
                bracket @ (b'{' | b'[') => {
                    let is_object = bracket == b'{';
                    self.open(outside + open.depth)?;
                    open.push(is_object);
                    if self.token()? != if is_object { b'}' } else { b']' } {
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            loop {
                let close = if open.is_object() { b'}' } else { b']' };
                let next = self.token()?;
                self.take();
                if next == b',' {
                    break;
                }
                if next != close {
                    return Err(Stop::Syntax);
                }
                open.pop();
                if open.depth == 0 {
                    return Ok(());
                }
            }
            if open.is_object() {
                self.token()?;
                self.key()?;
            }
        }
    }
}

/// Bits of a word.
const WORD_BITS: usize = 64;

/// Structures around a value: one bit each, whether it is an object.
#[derive(Default)]
struct OpenStructures {
    /// Of the innermost 64 at most, the last of them lowest.
    objects: u64,
    /// Of those around them, as they were when 64 were full.
    outer: Vec<u64>,
    depth: usize,
}

impl OpenStructures {
    #[inline]
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(WORD_BITS) {
            self.outer.push(self.objects);
        }
        self.objects = self.objects << 1 | u64::from(is_object);
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
        if self.depth.is_multiple_of(WORD_BITS) {
            self.objects = self.outer.pop().unwrap_or_default();
        }
    }

    /// True when the innermost one is an object.
    #[inline]
    fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }
}
