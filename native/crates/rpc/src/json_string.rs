//! Strings of JSON: where they end, and what they say.

/// Bytes that are looked at one word after the other; what follows in a longer string is looked at in larger pieces.
const SHORT_STRING: usize = 64;
const PIECE: usize = 64;

/// Contents between the quotes of a string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    raw: &'a [u8],
    has_escapes: bool,
}

impl<'a> Text<'a> {
    /// Of the raw bytes between the quotes.
    pub(crate) fn new(raw: &'a [u8], has_escapes: bool) -> Self {
        Self { raw, has_escapes }
    }

    /// Result of a function on the text without its escapes. None where it has lone surrogates, which no name has.
    #[inline]
    pub(crate) fn with_text<T>(&self, function: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        if self.has_escapes { function(self.unescaped()?.as_bytes()) } else { function(self.raw) }
    }

    fn unescaped(&self) -> Option<String> {
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
        String::from_utf16(&units).ok()
    }
}

/// Offset of the first byte from `start` on that ends a piece of a string: a quote, a backslash or a control character;
/// the length where there is none.
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], start: usize) -> usize {
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
#[inline(always)]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = zero_bytes(word ^ (ONES * b'"' as u64));
    let backslashes = zero_bytes(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * b' ' as u64) & !word;
    (quotes | backslashes | controls) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_strings_end_at_the_first_byte_that_is_not_plain() {
        for stop in (0..b' ').chain([b'"', b'\\']) {
            for offset in 0..300 {
                let mut bytes = vec![b'a' + (offset % 7) as u8; 300];
                bytes[0] = 0x80;
                bytes[offset] = stop;
                assert_eq!(plain_end(&bytes, 0), offset, "{stop}");
                assert_eq!(plain_end(&bytes, offset + 1), 300);
            }
        }
        let all: Vec<u8> = (b' '..=u8::MAX).filter(|&byte| is_plain_byte(byte)).cycle().take(999).collect();
        assert_eq!(plain_end(&all, 0), all.len());
    }

    #[test]
    fn escapes_are_read() {
        let text = |raw: &'static str| Text { raw: raw.as_bytes(), has_escapes: true };
        let read = |raw| text(raw).unescaped();
        assert_eq!(read(r#"\u0069\/\"\\\b\f\n\r\t"#).as_deref(), Some("i/\"\\\u{8}\u{c}\n\r\t"));
        assert_eq!(read(r"é\ud83d\ude00😀").as_deref(), Some("é😀😀"));
        assert_eq!(read(r"\ud83d"), None);
    }
}
