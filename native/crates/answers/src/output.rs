//! Writing answers into memory that is there.

use rhizome_primitives::{U256, hex};

const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const RESULT: &[u8] = br#","result":"#;

/// Memory that answers are written to. A write that does not fit gives None.
pub struct Output<'a> {
    bytes: &'a mut [u8],
    length: usize,
}

impl<'a> Output<'a> {
    /// Nothing is written yet.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, length: 0 }
    }

    /// Bytes written.
    pub fn length(&self) -> usize {
        self.length
    }

    fn reserve(&mut self, length: usize) -> Option<&mut [u8]> {
        let start = self.length;
        let reserve = self.bytes.get_mut(start..start.checked_add(length)?)?;
        self.length += length;
        Some(reserve)
    }

    /// Bytes as they are.
    pub fn put(&mut self, bytes: &[u8]) -> Option<()> {
        self.reserve(bytes.len())?.copy_from_slice(bytes);
        Some(())
    }

    /// The beginning of an answer up to the id, which is JSON text.
    pub fn put_head(&mut self, id: &[u8]) -> Option<()> {
        self.put(HEAD)?;
        self.put(id)
    }

    /// Writes the text between the id and a result.
    pub fn put_result(&mut self) -> Option<()> {
        self.put(RESULT)
    }

    /// QUANTITY: minimal hex.
    pub fn put_quantity(&mut self, value: U256) -> Option<()> {
        let digits = value.bit_len().div_ceil(4).max(1);
        // All digits at once take less time than those that count one by one.
        let mut all = [0; 64];
        hex::encode_to_slice(value.to_be_bytes::<32>(), &mut all).ok()?;
        self.put(b"0x")?;
        self.put(&all[all.len() - digits..])
    }

    /// DATA: two digits per byte.
    pub fn put_data(&mut self, bytes: &[u8]) -> Option<()> {
        self.put(b"0x")?;
        self.put_hex(bytes)
    }

    /// DATA of 32 bytes, padded with zeros in front; of a longer value its last 32 bytes.
    pub fn put_word(&mut self, bytes: &[u8]) -> Option<()> {
        let last = &bytes[bytes.len().saturating_sub(32)..];
        self.put(b"0x")?;
        self.reserve(2 * (32 - last.len()))?.fill(b'0');
        self.put_hex(last)
    }

    fn put_hex(&mut self, bytes: &[u8]) -> Option<()> {
        hex::encode_to_slice(bytes, self.reserve(2 * bytes.len())?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Output<'_>) -> Option<()>) -> Option<String> {
        let mut bytes = [0; 80];
        let mut output = Output::new(&mut bytes);
        write(&mut output)?;
        let length = output.length();
        String::from_utf8(bytes[..length].to_vec()).ok()
    }

    #[test]
    fn quantities_are_minimal() {
        for value in [0u64, 1, 0xf, 0x10, 0xff, 0x100, 0x1234_5678_9abc_def0, u64::MAX] {
            let value = U256::from(value);
            assert_eq!(written(|output| output.put_quantity(value)), Some(format!("{value:#x}")));
        }
        assert_eq!(written(|output| output.put_quantity(U256::MAX)), Some(format!("{:#x}", U256::MAX)));
    }

    #[test]
    fn words_are_padded_and_cut() {
        let word = |bytes: &[u8]| written(|output| output.put_word(bytes));
        assert_eq!(word(&[]), Some(format!("0x{}", "0".repeat(64))));
        assert_eq!(word(&[0xab, 1]), Some(format!("0x{}ab01", "0".repeat(60))));
        let long: Vec<u8> = (0..40).collect();
        assert_eq!(word(&long), Some(format!("0x{}", hex::encode(&long[8..]))));
        assert_eq!(written(|output| output.put_data(&[0, 1, 0xfe])), Some("0x0001fe".into()));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut bytes = [0; 4];
        assert_eq!(Output::new(&mut bytes).put_data(&[1, 2]), None);
        assert_eq!(Output::new(&mut bytes).put_data(&[1]), Some(()));
    }
}
