//! Bitcoin headers.

use rhizome_crypto::sha256d;
use rhizome_primitives::{B256, U256};

use crate::error::PowError;
use crate::transactions::check_transactions;

/// Length of a Bitcoin header.
pub const HEADER_BYTES: usize = 80;

/// Byte at which the Merkle root starts.
const MERKLE_ROOT_AT: usize = 36;

/// Byte at which the time starts.
const TIME_AT: usize = 68;

/// The header in the bytes of the header field: exactly 80 bytes with `only_header` (RSKIP98); before it a list of
/// transactions may follow, which must parse.
pub fn read_header(bytes: &[u8], only_header: bool) -> Result<&[u8; HEADER_BYTES], PowError> {
    let (header, rest) = bytes.split_first_chunk().ok_or(PowError::BitcoinHeaderLength(bytes.len()))?;
    if rest.is_empty() {
        return Ok(header);
    }
    if only_header {
        return Err(PowError::BitcoinHeaderLength(bytes.len()));
    }
    check_transactions(rest).map_err(|_| PowError::BitcoinTransactions)?;
    Ok(header)
}

/// Block hash: SHA-256d of the header.
pub fn block_hash(header: &[u8; HEADER_BYTES]) -> B256 {
    sha256d(header)
}

/// A block hash as the number that is compared with the target.
pub fn hash_as_number(hash: &B256) -> U256 {
    U256::from_le_bytes(hash.0)
}

/// Merkle root of the block's transactions.
pub fn merkle_root(header: &[u8; HEADER_BYTES]) -> B256 {
    B256::from_slice(&header[MERKLE_ROOT_AT..MERKLE_ROOT_AT + 32])
}

/// Time of the block, in seconds.
pub fn timestamp(header: &[u8; HEADER_BYTES]) -> u32 {
    u32::from_le_bytes([header[TIME_AT], header[TIME_AT + 1], header[TIME_AT + 2], header[TIME_AT + 3]])
}

/// True when the Bitcoin header's time and the block's `timestamp` differ by less than `limit`
/// seconds (RSKIP179, consensus.md §3.4). False for a missing or unparsable header. The caller
/// knows whether the rule is active and the network's limit: 300, on the test networks 7,200 from
/// RSKIP297 on.
pub fn timestamps_linked(bitcoin_header: Option<&[u8]>, block_timestamp: u64, limit: u64) -> bool {
    bitcoin_header
        .and_then(|bytes| read_header(bytes, false).ok())
        .is_some_and(|header| u64::from(timestamp(header)).abs_diff(block_timestamp) < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_link_is_strict_and_symmetric() {
        let mut header = [0; HEADER_BYTES];
        header[TIME_AT..TIME_AT + 4].copy_from_slice(&1_000_000u32.to_le_bytes());
        for (block_timestamp, linked) in [(1_000_299, true), (1_000_300, false), (999_701, true), (999_700, false)] {
            assert_eq!(timestamps_linked(Some(&header), block_timestamp, 300), linked, "{block_timestamp}");
        }
        assert!(!timestamps_linked(None, 1_000_000, 300));
        assert!(!timestamps_linked(Some(&header[1..]), 1_000_000, 300));
    }

    #[test]
    fn transactions_may_follow_only_before_rskip98() {
        let mut bytes = vec![7; HEADER_BYTES];
        assert!(read_header(&bytes, true).is_ok());
        bytes.push(0);
        assert_eq!(read_header(&bytes, true), Err(PowError::BitcoinHeaderLength(81)));
        assert!(read_header(&bytes, false).is_ok());
        bytes[HEADER_BYTES] = 1;
        assert_eq!(read_header(&bytes, false), Err(PowError::BitcoinTransactions));
        assert_eq!(read_header(&bytes[..79], false), Err(PowError::BitcoinHeaderLength(79)));
    }
}
