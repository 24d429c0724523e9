//! Writes JSON directly: traces are too large to be built as values first.

use rhizome_primitives::{Address, U256};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// JSON that is being written.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter(String);

impl JsonWriter {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Writes JSON as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(crate) fn number(&mut self, number: u64) {
        let mut buffer = [0; 20];
        let mut at = buffer.len();
        let mut rest = number;
        loop {
            at -= 1;
            buffer[at] = DIGITS[(rest % 10) as usize];
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.0.extend(buffer[at..].iter().map(|&digit| char::from(digit)));
    }

    /// Hex digits without `0x` and quotes.
    pub(crate) fn digits(&mut self, bytes: &[u8]) {
        self.0.reserve(2 * bytes.len());
        for byte in bytes {
            self.0.push(char::from(DIGITS[usize::from(byte >> 4)]));
            self.0.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }

    /// A word as 64 digits in quotes, without `0x`.
    pub(crate) fn word(&mut self, word: &U256) {
        self.0.push('"');
        self.digits(&word.to_be_bytes::<32>());
        self.0.push('"');
    }

    /// `"0x…"`, two digits per byte.
    pub(crate) fn data(&mut self, bytes: &[u8]) {
        self.0.push_str("\"0x");
        self.digits(bytes);
        self.0.push('"');
    }

    pub(crate) fn address(&mut self, address: &Address) {
        self.data(address.as_slice());
    }

    /// `"0x…"` without leading zeros.
    pub(crate) fn quantity(&mut self, number: U256) {
        self.0.push_str(&format!("\"{number:#x}\""));
    }

    /// A string with the escapes that JSON requires.
    pub(crate) fn string(&mut self, text: &str) {
        self.0.push('"');
        for character in text.chars() {
            match character {
                '"' => self.0.push_str("\\\""),
                '\\' => self.0.push_str("\\\\"),
                '\n' => self.0.push_str("\\n"),
                '\r' => self.0.push_str("\\r"),
                '\t' => self.0.push_str("\\t"),
                control if control < ' ' => self.0.push_str(&format!("\\u{:04x}", u32::from(control))),
                other => self.0.push(other),
            }
        }
        self.0.push('"');
    }

    /// Writes a comma, except before the first element.
    pub(crate) fn separate(&mut self, first: &mut bool) {
        if !std::mem::replace(first, false) {
            self.0.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers_data_and_escapes() {
        let mut json = JsonWriter::default();
        json.number(0);
        json.raw(",");
        json.number(u64::MAX);
        json.raw(",");
        json.quantity(U256::ZERO);
        json.raw(",");
        json.quantity(U256::from(0x1234));
        json.raw(",");
        json.data(&[0, 0xab]);
        json.raw(",");
        json.string("a\"\\\u{1}é");
        assert_eq!(json.into_string(), "0,18446744073709551615,\"0x0\",\"0x1234\",\"0x00ab\",\"a\\\"\\\\\\u0001é\"");
    }
}
