//! Decompression of a zstd stream piece by piece.

use std::io;

use zstd::stream::raw::{Decoder, InBuffer, Operation as _, OutBuffer};

/// A decoder of frames that come in pieces, one behind the other.
pub struct StreamDecoder {
    decoder: Decoder<'static>,
    is_whole: bool,
}

impl StreamDecoder {
    /// A decoder at the beginning of a frame.
    ///
    /// # Errors
    /// Fails when there is no memory for it.
    pub fn new() -> io::Result<Self> {
        Ok(Self { decoder: Decoder::new()?, is_whole: true })
    }

    /// Decompresses input into the free part of a buffer, as far as it fits, and returns how many bytes of
    /// the input were used and how many were written. Nothing is left inside when the buffer was not filled.
    ///
    /// # Errors
    /// For bytes that are no frame.
    pub fn decode(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<(usize, usize)> {
        let mut input = InBuffer::around(input);
        let mut output = OutBuffer::around(output);
        let before = input.pos();
        while output.pos() < output.capacity() {
            let (used, written) = (input.pos(), output.pos());
            let hint = self.decoder.run(&mut input, &mut output)?;
            if (input.pos(), output.pos()) == (used, written) {
                break;
            }
            self.is_whole = hint == 0;
        }
        Ok((input.pos() - before, output.pos()))
    }

    /// True at the end of a frame, where a stream may end.
    pub const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    fn decode(packed: &[u8], piece: usize, space: usize) -> io::Result<(Vec<u8>, bool)> {
        let mut decoder = StreamDecoder::new()?;
        let mut found = Vec::new();
        let mut output = vec![0; space];
        for chunk in packed.chunks(piece) {
            let mut used = 0;
            loop {
                let (taken, written) = decoder.decode(&chunk[used..], &mut output)?;
                used += taken;
                found.extend_from_slice(&output[..written]);
                if used == chunk.len() && written < space {
                    break;
                }
            }
        }
        Ok((found, decoder.is_whole()))
    }

    #[test]
    fn frames_come_back_however_they_are_cut() {
        let contents: Vec<u8> = (0..50_000u32).flat_map(|number| (number / 5).to_le_bytes()).collect();
        let mut packed = pack(&contents).expect("packs");
        packed.extend(pack(&contents[..1000]).expect("packs"));
        let expected = [&contents[..], &contents[..1000]].concat();
        for (piece, space) in [(1, 64), (17, 1 << 16), (1000, 1), (packed.len(), 1 << 20)] {
            assert_eq!(decode(&packed, piece, space).expect("decodes"), (expected.clone(), true), "{piece} {space}");
        }
    }

    #[test]
    fn an_end_within_a_frame_is_known_and_damage_is_an_error() {
        let packed = pack(&[7; 5000]).expect("packs");
        let (_, is_whole) = decode(&packed[..packed.len() - 1], 100, 1 << 16).expect("decodes");
        assert!(!is_whole);
        assert!(decode(b"no frame at all", 100, 1 << 16).is_err());
    }
}
