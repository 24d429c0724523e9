//! Parameters in their ordinary form: strings without escapes.

use crate::json_string::plain_end;

/// Most parameters of a request that is read here.
const MAX_PARAMS: usize = 3;

/// Contents of positional parameters that are all plain strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params<'a> {
    texts: [&'a [u8]; MAX_PARAMS],
    count: usize,
}

impl<'a> Params<'a> {
    /// The contents, without quotes.
    pub(crate) fn texts(&self) -> &[&'a [u8]] {
        &self.texts[..self.count]
    }
}

/// Goes over parameters, which are JSON. Everything that is not ordinary gives None: escapes, and what is no plain
/// string where one is asked for.
pub(crate) struct PlainReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> PlainReader<'a> {
    /// At the start of the text.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Takes the next byte that is no white space.
    pub(crate) fn token(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
        }
    }

    /// Takes a plain string with its quotes: what is between them.
    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        if self.token()? == b'"' { self.plain_string() } else { None }
    }

    /// Takes the rest of a plain string after its first quote: what is before the last one.
    pub(crate) fn rest_of_text(&mut self) -> Option<&'a [u8]> {
        self.plain_string()
    }

    /// Takes `true` or `false`.
    pub(crate) fn flag(&mut self) -> Option<bool> {
        let first = self.token()?;
        let (rest, flag) = if first == b't' { (&b"rue"[..], true) } else { (&b"alse"[..], false) };
        (flag || first == b'f').then_some(())?;
        let end = self.position + rest.len();
        (self.bytes.get(self.position..end)? == rest).then_some(())?;
        self.position = end;
        Some(flag)
    }

    /// Takes an array of plain strings with its brackets.
    pub(crate) fn params(&mut self) -> Option<Params<'a>> {
        if self.token()? == b'[' { self.rest_of_params() } else { None }
    }

    fn rest_of_params(&mut self) -> Option<Params<'a>> {
        let mut params = Params::default();
        let mut next = self.token()?;
        if next == b']' {
            return Some(params);
        }
        loop {
            if next != b'"' || params.count == MAX_PARAMS {
                return None;
            }
            params.texts[params.count] = self.plain_string()?;
            params.count += 1;
            match self.token()? {
                b',' => next = self.token()?,
                b']' => return Some(params),
                _ => return None,
            }
        }
    }

    /// The rest of a string without escapes, after its first quote.
    fn plain_string(&mut self) -> Option<&'a [u8]> {
        let start = self.position;
        let end = plain_end(self.bytes, start);
        self.position = end + 1;
        (*self.bytes.get(end)? == b'"').then(|| &self.bytes[start..end])
    }
}
