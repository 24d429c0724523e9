//! Submissions of pools: Bitcoin blocks and coinbases in Bitcoin's serialisation.

use rhizome_primitives::B256;

use crate::TAG;
use crate::header::HEADER_BYTES;
use crate::merkle::prove_first;
use crate::transactions::{read_transaction, read_transactions};

/// The parts of a Bitcoin block that a header needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockParts<'a> {
    /// Bitcoin header.
    pub header: &'a [u8; HEADER_BYTES],
    /// First transaction, as serialised in the block.
    pub coinbase: &'a [u8],
    /// Proof in the RSKIP92 format that it is the first.
    pub merkle_proof: Vec<u8>,
}

/// Splits a block into header, count and transactions with or without witnesses. Bytes that follow are ignored. None
/// when the block does not parse or has no transaction.
pub fn read_block(bytes: &[u8]) -> Option<BlockParts<'_>> {
    let (header, rest) = bytes.split_first_chunk()?;
    let transactions = read_transactions(rest).ok()?;
    let coinbase = transactions.first()?.bytes;
    let ids: Vec<B256> = transactions.iter().map(|transaction| transaction.id()).collect();
    Some(BlockParts { header, coinbase, merkle_proof: prove_first(&ids) })
}

/// The header of a block that may have transactions after it. None when it does not parse.
pub fn read_block_header(bytes: &[u8]) -> Option<&[u8; HEADER_BYTES]> {
    let (header, rest) = bytes.split_first_chunk()?;
    if !rest.is_empty() {
        read_transactions(rest).ok()?;
    }
    Some(header)
}

/// The transaction at the start of the bytes, without what follows it. None when it does not parse.
pub fn read_coinbase(bytes: &[u8]) -> Option<&[u8]> {
    read_transaction(bytes).ok().map(|transaction| transaction.bytes)
}

/// The 32 bytes after the last tag of a coinbase, which identify its work. Without a tag, the bytes at the offset that
/// the reference uses then. None when the coinbase is too short.
pub fn work_of_coinbase(coinbase: &[u8]) -> Option<B256> {
    let tag = coinbase.windows(TAG.len()).rposition(|window| window == TAG);
    let start = tag.map_or(TAG.len() - 1, |position| position + TAG.len());
    coinbase.get(start..start + 32).map(B256::from_slice)
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::hex;

    use super::*;
    use crate::header::{block_hash, merkle_root};
    use crate::merkle::check_proof;
    use crate::{coinbase::CompressedCoinbase, compress_coinbase};

    /// The published sample of one transaction (mining.md §10).
    const SAMPLE: [u8; 247] = hex!(
        "010000309821be091716ff34ddd54dd79a5d26af10a4214229b78b6e89d490360c000000eb436828fd1883ca69c1c6876174412d"
        "a9f58f4848a29d7f4d698a7d09eaed593497ee58ffff7f2021393df4010100000001000000000000000000000000000000000000"
        "0000000000000000000000000000ffffffff1f021402043497ee5808f8000002000000000d2f72736b5f7374726174756d2f0000"
        "00000240be4025000000001976a914e5e9208d759e89a2e1767f5baeda58f188da206a88ac00000000000000002952534b424c"
        "4f434b3a3be5d1c4427993f22f985ff8e99a2b8560b2d1205580867e4eec21123315213b00000000"
    );

    #[test]
    fn published_sample() {
        let parts = read_block(&SAMPLE).expect("a block");
        let mut display = block_hash(parts.header);
        display.reverse();
        assert_eq!(display[..], hex!("0000005f1ef2ec2c1909a0f0961062071744e5f496a83dcd9ffc8cf309d2393a"));
        let work = hex!("3be5d1c4427993f22f985ff8e99a2b8560b2d1205580867e4eec21123315213b");
        assert_eq!(work_of_coinbase(parts.coinbase).map(|hash| hash.0), Some(work));
        assert!(parts.merkle_proof.is_empty());
        let compressed = compress_coinbase(parts.coinbase).expect("a tag");
        let coinbase = CompressedCoinbase::read(&compressed).expect("a coinbase");
        assert_eq!(check_proof(&[], &coinbase.transaction_id(), &merkle_root(parts.header)), Ok(()));
        assert_eq!(read_block_header(&SAMPLE), Some(parts.header));
        assert_eq!(read_block_header(&SAMPLE[..80]), Some(parts.header));
        for length in (0..80).chain(81..SAMPLE.len()) {
            assert_eq!(read_block_header(&SAMPLE[..length]), None, "{length}");
            assert_eq!(read_block(&SAMPLE[..length]), None, "{length}");
        }
        assert_eq!(read_block(&SAMPLE[..80]), None);
        assert_eq!(read_coinbase(&SAMPLE[81..]), Some(&SAMPLE[81..]));
    }

    #[test]
    fn a_coinbase_without_tag_names_its_own_bytes() {
        let coinbase: Vec<u8> = (0..100).collect();
        assert_eq!(work_of_coinbase(&coinbase), Some(B256::from_slice(&coinbase[8..40])));
        assert_eq!(work_of_coinbase(&coinbase[..39]), None);
        assert_eq!(work_of_coinbase(&[&coinbase[..], TAG, &[0; 31]].concat()), None);
    }
}
