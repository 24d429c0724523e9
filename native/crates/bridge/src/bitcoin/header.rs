//! Bitcoin headers as the Bridge stores them (bridge.md §2.3).

use rhizome_crypto::sha256d;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{B256, U256};

use super::merkle::reversed;

const HEADER_BYTES: usize = 80;
const LEGACY_WORK_BYTES: usize = 12;
const WORK_BYTES: usize = 32;

/// A header with its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredHeader {
    /// Work of the chain up to and with this header.
    pub(crate) chain_work: U256,
    /// Bitcoin height.
    pub(crate) height: i32,
    /// The header itself.
    pub(crate) header: [u8; HEADER_BYTES],
}

impl StoredHeader {
    /// Hash in display order.
    pub(crate) fn hash(&self) -> B256 {
        reversed(sha256d(&self.header))
    }

    /// Hash of the header below, display order.
    pub(crate) fn parent(&self) -> B256 {
        reversed(B256::from_slice(&self.header[4..36]))
    }

    /// Merkle root, display order.
    pub(crate) fn merkle_root(&self) -> B256 {
        reversed(B256::from_slice(&self.header[36..68]))
    }

    /// Reads either format; the length tells which.
    pub(crate) fn decode(data: &[u8]) -> Result<Self, ContractError> {
        let work_bytes =
            if data.len() == LEGACY_WORK_BYTES + 4 + HEADER_BYTES { LEGACY_WORK_BYTES } else { WORK_BYTES };
        let parts = data.split_at_checked(work_bytes).and_then(|(work, rest)| {
            let (height, rest) = rest.split_first_chunk::<4>()?;
            Some((work, *height, *rest.first_chunk::<HEADER_BYTES>()?))
        });
        let (work, height, header) =
            parts.ok_or_else(|| ContractError::Failed("a stored Bitcoin header is malformed".into()))?;
        Ok(Self { chain_work: U256::from_be_slice(work), height: i32::from_be_bytes(height), header })
    }

    /// Twelve bytes of work before RSKIP454, 32 from it on.
    pub(crate) fn encode(&self, wide_work: bool) -> Result<Vec<u8>, ContractError> {
        let work = self.chain_work.to_be_bytes::<WORK_BYTES>();
        let (high, low) = work.split_at(WORK_BYTES - LEGACY_WORK_BYTES);
        let mut out = if wide_work {
            work.to_vec()
        } else if high.iter().all(|byte| *byte == 0) {
            low.to_vec()
        } else {
            return Err(ContractError::Failed("the chain work does not fit 12 bytes".into()));
        };
        out.extend_from_slice(&self.height.to_be_bytes());
        out.extend_from_slice(&self.header);
        Ok(out)
    }
}

/// Work of one header: 2^256 / (target + 1).
pub(crate) fn work(header: &[u8; HEADER_BYTES]) -> U256 {
    let [a, b, c, exponent] = *header.last_chunk::<8>().and_then(|tail| tail.first_chunk::<4>()).unwrap_or(&[0; 4]);
    let mantissa = U256::from(u32::from_le_bytes([a, b, c & 0x7f, 0]));
    let target = match usize::from(exponent) {
        small @ 0..=3 => mantissa >> (8 * (3 - small)),
        large => mantissa << (8 * (large - 3)),
    };
    // (2^256 - target - 1) / (target + 1) + 1 is the quotient without a 257th bit.
    (!target) / (target + U256::from(1)) + U256::from(1)
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
