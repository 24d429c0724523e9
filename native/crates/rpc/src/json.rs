//! Strict JSON (RFC 8259), as JSON.parse takes it: where values end, not what they are.

use std::borrow::Cow;

/// Structures in each other that are taken, as the reference's reader (rpc.md §1.1).
const MAX_DEPTH: usize = 1000;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Bytes that are looked at one word after the other; what follows in a longer string is looked at in larger pieces.
const SHORT_STRING: usize = 64;
const PIECE: usize = 64;

/// Why there is no JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A byte that cannot stand there, or the end.
    Syntax,
    /// More structures in each other than are taken.
    TooDeep,
}

/// What stands between the quotes of a string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    raw: &'a [u8],
    has_escapes: bool,
}

impl Text<'_> {
    /// What a function makes of the text without its escapes. None where it has lone surrogates, which no name has.
    pub(crate) fn with_text<T>(&self, function: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        function(&self.unescaped()?)
    }

    fn unescaped(&self) -> Option<Cow<'_, [u8]>> {
        if !self.has_escapes {
            return Some(Cow::Borrowed(self.raw));
        }
        let mut units = Vec::with_capacity(self.raw.len());
        // Strings are valid UTF-8, and their escapes are.
        let mut rest = std::str::from_utf8(self.raw).ok()?.chars();
        while let Some(character) = rest.next() {
            if character != '\\' {
                units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
                continue;
            }
            units.push(match rest.next()? {
                'b' => 8,
                'f' => 12,
                'n' => 10,
                'r' => 13,
                't' => 9,
                'u' => {
                    let digits = rest.as_str().get(..4)?;
                    rest = rest.as_str()[4..].chars();
                    u16::from_str_radix(digits, 16).ok()?
                }
                same => same as u16,
            });
        }
        String::from_utf16(&units).ok().map(|text| Cow::Owned(text.into_bytes()))
    }
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

    /// Bytes before this place.
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
        Ok(Text { raw: &self.bytes[start..end], has_escapes })
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
                open.depth -= 1;
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

/// Structures around a value: one bit each, whether it is an object.
#[derive(Default)]
struct OpenStructures {
    objects: [u64; MAX_DEPTH.div_ceil(64)],
    depth: usize,
}

impl OpenStructures {
    #[inline]
    fn push(&mut self, is_object: bool) {
        let (word, bit) = (&mut self.objects[self.depth / 64], 1 << (self.depth % 64));
        *word = if is_object { *word | bit } else { *word & !bit };
        self.depth += 1;
    }

    /// Whether the innermost one is an object.
    #[inline]
    fn is_object(&self) -> bool {
        let last = self.depth - 1;
        self.objects[last / 64] >> (last % 64) & 1 == 1
    }
}

/// Place of the first byte from `start` on that ends a piece of a string: a quote, a backslash or a control character;
/// the length where there is none.
#[inline]
fn plain_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
        if at - start >= SHORT_STRING {
            while bytes.get(at..at + PIECE).is_some_and(is_plain) {
                at += PIECE;
            }
        }
    }
    while bytes.get(at).is_some_and(|&byte| is_plain_byte(byte)) {
        at += 1;
    }
    at
}

fn is_plain_byte(byte: u8) -> bool {
    byte != b'"' && byte != b'\\' && byte >= b' '
}

/// Without branches, so that the compiler looks at many bytes at once.
fn is_plain(piece: &[u8]) -> bool {
    piece.iter().fold(true, |all, &byte| all & is_plain_byte(byte))
}

/// The highest bit of each byte that is a quote, a backslash or a control character: right in the first of them, which
/// has the lowest bits; borrows may set others behind it.
#[inline]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = zero_bytes(word ^ (ONES * b'"' as u64));
    let backslashes = zero_bytes(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * b' ' as u64) & !word;
    (quotes | backslashes | controls) & HIGHS
}

/// Whether a text that is no JSON is refused for its depth, which is seen by its structure alone: brackets outside
/// strings are counted, whatever their kind, until the first value ends.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let bytes = text.trim_start_matches(is_script_space).as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => loop {
                match bytes.get(at) {
                    None => return false,
                    Some(b'\\') => at += 2,
                    Some(b'"') => break at += 1,
                    Some(_) => at += 1,
                }
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

/// White space as JavaScript has it.
fn is_script_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_strings_end_at_the_first_byte_that_is_not_plain() {
        for stop in (0..b' ').chain([b'"', b'\\']) {
            for place in 0..300 {
                let mut bytes = vec![b'a' + (place % 7) as u8; 300];
                bytes[0] = 0x80;
                bytes[place] = stop;
                assert_eq!(plain_end(&bytes, 0), place, "{stop}");
                assert_eq!(plain_end(&bytes, place + 1), 300);
            }
        }
        let all: Vec<u8> = (b' '..=u8::MAX).filter(|&byte| is_plain_byte(byte)).cycle().take(999).collect();
        assert_eq!(plain_end(&all, 0), all.len());
    }

    #[test]
    fn escapes_are_read() {
        let text = |raw: &'static str| Text { raw: raw.as_bytes(), has_escapes: true };
        let read = |raw| text(raw).unescaped().map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(read(r#"\u0069\/\"\\\b\f\n\r\t"#).as_deref(), Some("i/\"\\\u{8}\u{c}\n\r\t"));
        assert_eq!(read(r"é\ud83d\ude00😀").as_deref(), Some("é😀😀"));
        assert_eq!(read(r"\ud83d"), None);
    }

    #[test]
    fn depth_is_seen_by_structure_alone() {
        let deep = "[".repeat(MAX_DEPTH + 1);
        for text in [deep.clone(), format!("\u{a0}\u{feff}{deep}"), format!("[tru {deep}"), format!("{{]{deep}")] {
            let expected = !text.starts_with("{]");
            assert_eq!(is_too_deep(&text), expected, "{}", &text[..4]);
        }
        for text in
            [format!("x{deep}"), format!("1 {deep}"), format!("\"{deep}"), format!("\u{85}{deep}"), deep[1..].into()]
        {
            assert!(!is_too_deep(&text));
        }
    }
}
