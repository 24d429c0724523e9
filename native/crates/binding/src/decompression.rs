//! Decompression of zstd streams.

use napi_derive::napi;
use rhizome_snapshot::StreamDecoder;

use crate::byte_array::{Buffer, Uint8Array};
use crate::errors::{Result, invalid};

/// Largest piece, bytes.
const PIECE_BYTES: usize = 128 * 1024;

/// A piece of the contents.
#[napi(object)]
pub struct ZstdPiece {
    /// Bytes of the input that were used.
    pub used: u32,
    /// The contents; a piece shorter than 128 KiB is the last one of the input.
    pub bytes: Buffer,
}

/// Decompresses a stream of zstd frames, which comes in pieces.
#[napi]
pub struct ZstdDecoder(StreamDecoder);

#[napi]
impl ZstdDecoder {
    /// A decoder at the beginning of a stream.
    #[napi(constructor)]
    pub fn new() -> Result<Self> {
        StreamDecoder::new().map(Self).map_err(|fault| invalid(fault.to_string()))
    }

    /// The next piece of an input from a position on. Throws for bytes that are no frame.
    #[napi(catch_unwind)]
    pub fn decode(&mut self, input: Uint8Array, from: u32) -> Result<ZstdPiece> {
        let mut bytes = vec![0; PIECE_BYTES];
        let left = input.get(from as usize..).unwrap_or_default();
        let (used, written) = self.0.decode(left, &mut bytes).map_err(|fault| invalid(fault.to_string()))?;
        bytes.truncate(written);
        Ok(ZstdPiece { used: u32::try_from(used).unwrap_or(u32::MAX), bytes: bytes.into() })
    }

    /// True where a stream may end.
    #[napi(getter)]
    pub fn is_whole(&self) -> bool {
        self.0.is_whole()
    }
}
