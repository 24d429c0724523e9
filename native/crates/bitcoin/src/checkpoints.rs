//! The headers with which the reference starts its Bitcoin chains (bridge.md §3.1): every 2,016th of the main
//! network to height 499,968 and of the test network to height 1,514,016, stored as in the short form.

use rhizome_primitives::bridge_spec::BitcoinNetwork;

use crate::stored_header::StoredHeader;

const MAIN: &[u8] = include_bytes!("../data/checkpoints-main.bin");
const TESTNET: &[u8] = include_bytes!("../data/checkpoints-testnet.bin");
/// Bytes of an entry: work, height and header.
const ENTRY: usize = 96;

/// The entries of a network in their stored form, by height; none on networks without checkpoints.
#[must_use]
pub fn entries(network: BitcoinNetwork) -> &'static [[u8; ENTRY]] {
    let table = match network {
        BitcoinNetwork::Main => MAIN,
        BitcoinNetwork::Testnet => TESTNET,
        BitcoinNetwork::Regtest => &[],
    };
    table.as_chunks().0
}

/// The entry with the latest time that is not after `seconds`.
#[must_use]
pub fn before(network: BitcoinNetwork, seconds: i64) -> Option<StoredHeader> {
    entries(network)
        .iter()
        .filter_map(|entry| StoredHeader::decode(entry).ok())
        .filter(|header| i64::from(header.block_header().time()) <= seconds)
        .max_by_key(|header| header.block_header().time())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rhizome_primitives::hex;

    /// Compares the tables with those of the reference. A file of the reference is a heading, no signatures, the number
    /// of entries and the entries.
    #[test]
    fn tables_have_the_recorded_hashes() {
        for (network, count, hash) in [
            (BitcoinNetwork::Main, 248, "fa79470b613bb9d1a2208f690bd40b5c2f92b3e385011ab85134a4feeed79996"),
            (BitcoinNetwork::Testnet, 751, "95eb1373524e5a1d6ecc8fadea245d945f3f57c2572fd6526c75bb6479fdefdd"),
        ] {
            assert_eq!(entries(network).len(), count);
            let mut file = b"CHECKPOINTS 1".to_vec();
            file.extend_from_slice(&0u32.to_be_bytes());
            file.extend_from_slice(&(count as u32).to_be_bytes());
            file.extend_from_slice(entries(network).as_flattened());
            assert_eq!(hex::encode(rhizome_crypto::sha256(&file)), hash);
        }
        assert!(entries(BitcoinNetwork::Regtest).is_empty());
    }

    #[test]
    fn the_latest_entry_that_is_not_later_is_found() {
        let height = |network, seconds| before(network, seconds).map(|header| header.height);
        assert_eq!(height(BitcoinNetwork::Main, 1_514_343_600), Some(499_968));
        assert_eq!(height(BitcoinNetwork::Main, 1_500_000_000), Some(473_760));
        assert_eq!(height(BitcoinNetwork::Main, 1_233_063_531), Some(2_016));
        assert_eq!(height(BitcoinNetwork::Main, 1_233_063_530), None);
        assert_eq!(height(BitcoinNetwork::Regtest, i64::MAX), None);
    }
}
