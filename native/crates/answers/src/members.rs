//! Members of JSON objects.

use crate::json::{push_hex, push_number, push_number_bytes};

/// Writes members of an object one after the other.
pub(crate) struct Members<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Members<'o> {
    /// Members of the object whose `{` or last member ends the text.
    pub(crate) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out }
    }

    /// The name alone: a value has to follow.
    pub(crate) fn name(&mut self, name: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// DATA.
    pub(crate) fn data(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        push_data(self.out, bytes);
    }

    /// DATA or null.
    pub(crate) fn data_or_null(&mut self, name: &str, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.data(name, bytes),
            None => self.plain(name, "null"),
        }
    }

    /// QUANTITY or null.
    pub(crate) fn number_or_null(&mut self, name: &str, value: Option<u64>) {
        match value {
            Some(value) => self.number(name, value),
            None => self.plain(name, "null"),
        }
    }

    /// QUANTITY.
    pub(crate) fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        self.out.extend_from_slice(b"\"0x");
        push_number(self.out, value);
        self.out.push(b'"');
    }

    /// QUANTITY of unsigned big-endian bytes.
    pub(crate) fn quantity(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(b"\"0x");
        push_number_bytes(self.out, bytes);
        self.out.push(b'"');
    }

    /// @param value JSON text
    pub(crate) fn plain(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.extend_from_slice(value.as_bytes());
    }
}

/// Appends DATA as a JSON string.
pub(crate) fn push_data(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"\"0x");
    push_hex(out, bytes);
    out.push(b'"');
}
