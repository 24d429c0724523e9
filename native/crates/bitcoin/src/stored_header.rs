//! Bitcoin headers with their position in the chain, as the reference stores them (bridge.md §2.3).

use rhizome_primitives::{B256, U256};
use thiserror::Error;

use crate::block_header::BlockHeader;
use crate::compact::{Target, work_of};
use crate::header::HEADER_BYTES;

const LEGACY_WORK_BYTES: usize = 12;
const WORK_BYTES: usize = 32;

/// Reason why a stored header cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StoredHeaderError {
    /// Fewer bytes than either format has.
    #[error("a stored Bitcoin header is malformed")]
    Malformed,
    /// The work does not fit the format of twelve bytes.
    #[error("the chain work does not fit 12 bytes")]
    WorkTooLarge,
}

/// A header with its position in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredHeader {
    /// Work of the chain up to and with this header.
    pub chain_work: U256,
    /// Bitcoin height.
    pub height: i32,
    /// The header itself.
    pub header: [u8; HEADER_BYTES],
}

impl StoredHeader {
    /// The header, for reading its fields.
    #[must_use]
    pub const fn block_header(&self) -> BlockHeader {
        BlockHeader::new(self.header)
    }

    /// Hash in display order.
    #[must_use]
    pub fn hash(&self) -> B256 {
        self.block_header().hash()
    }

    /// Hash of the parent, display order.
    #[must_use]
    pub fn parent(&self) -> B256 {
        self.block_header().parent()
    }

    /// Merkle root, display order.
    #[must_use]
    pub fn merkle_root(&self) -> B256 {
        self.block_header().merkle_root()
    }

    /// Reads either format; the length tells which.
    ///
    /// # Errors
    /// [`StoredHeaderError::Malformed`] for too few bytes.
    pub fn decode(data: &[u8]) -> Result<Self, StoredHeaderError> {
        let work_bytes =
            if data.len() == LEGACY_WORK_BYTES + 4 + HEADER_BYTES { LEGACY_WORK_BYTES } else { WORK_BYTES };
        let parts = data.split_at_checked(work_bytes).and_then(|(work, rest)| {
            let (height, rest) = rest.split_first_chunk::<4>()?;
            Some((work, *height, *rest.first_chunk::<HEADER_BYTES>()?))
        });
        let (work, height, header) = parts.ok_or(StoredHeaderError::Malformed)?;
        Ok(Self { chain_work: U256::from_be_slice(work), height: i32::from_be_bytes(height), header })
    }

    /// Uses twelve bytes for the work before RSKIP454, and 32 from it on.
    ///
    /// # Errors
    /// [`StoredHeaderError::WorkTooLarge`] if the work does not fit twelve bytes.
    pub fn encode(&self, wide_work: bool) -> Result<Vec<u8>, StoredHeaderError> {
        let work = self.chain_work.to_be_bytes::<WORK_BYTES>();
        let (high, low) = work.split_at(WORK_BYTES - LEGACY_WORK_BYTES);
        let mut out = if wide_work {
            work.to_vec()
        } else if high.iter().all(|byte| *byte == 0) {
            low.to_vec()
        } else {
            return Err(StoredHeaderError::WorkTooLarge);
        };
        out.extend_from_slice(&self.height.to_be_bytes());
        out.extend_from_slice(&self.header);
        Ok(out)
    }
}

/// Work of one header: 2^256 / (target + 1).
#[must_use]
pub fn work(header: &[u8; HEADER_BYTES]) -> U256 {
    work_of(Target::from_compact(BlockHeader::new(*header).bits()).positive().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_bits(bits: u32) -> [u8; 80] {
        let mut header = [0; 80];
        header[72..76].copy_from_slice(&bits.to_le_bytes());
        header
    }

    #[test]
    fn work_of_the_easiest_targets() {
        assert_eq!(work(&with_bits(0x1d00_ffff)), U256::from(0x1_0001_0001_u64));
        assert_eq!(work(&with_bits(0x207f_ffff)), U256::from(2));
    }

    #[test]
    fn both_formats_round_trip_and_a_large_work_does_not_fit_the_old_one() {
        let mut stored = StoredHeader { chain_work: U256::from(7), height: 499_968, header: with_bits(0x1d00_ffff) };
        for wide in [false, true] {
            let encoded = stored.encode(wide).expect("it fits");
            assert_eq!(encoded.len(), if wide { 116 } else { 96 });
            assert_eq!(StoredHeader::decode(&encoded).expect("it parses"), stored);
        }
        stored.chain_work = U256::from(1) << 96;
        assert!(stored.encode(false).is_err());
        assert!(StoredHeader::decode(&[0; 95]).is_err());
    }
}
