//! Ancestors read from recorded block RLP.

use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, Ancestry, UncleMetadata};
use rhizome_primitives::rlp::{self, Item};
use rhizome_primitives::{Address, B256, Bytes, U256};

/// Ancestors by depth.
pub(crate) struct Branch(pub(crate) Vec<Option<Arc<AncestorBlock>>>);

impl Ancestry for Branch {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        self.0.get(usize::try_from(depth).ok()?)?.clone()
    }
}

fn field<'a>(header: &[Item<'a>], index: usize) -> &'a [u8] {
    header[index].bytes().expect("a header field")
}

fn word(header: &[Item], index: usize) -> U256 {
    U256::from_be_slice(field(header, index))
}

fn miner(header: &[Item]) -> AccountRef {
    match field(header, 2) {
        [] => AccountRef::NoAddress,
        address => Address::from_slice(address).into(),
    }
}

/// The three Bitcoin fields are the last ones, and the first of them has 80 bytes.
fn bitcoin_fields(header: &[Item]) -> [Option<Bytes>; 2] {
    let count = header.len();
    if count < 19 || field(header, count - 3).len() != 80 {
        return [None, None];
    }
    [count - 3, count - 1]
        .map(|index| Some(Bytes::copy_from_slice(field(header, index))).filter(|bytes| !bytes.is_empty()))
}

/// Hash of a version 0 header that has its merged-mining fields, or none of them (RSKIP92).
fn version_0_hash(header: &[Item]) -> B256 {
    let mut payload = Vec::new();
    let kept = if bitcoin_fields(header)[0].is_some() { header.len() - 2 } else { header.len() };
    for item in &header[..kept] {
        rlp::write_bytes(&mut payload, item.bytes().expect("a header field"));
    }
    keccak256(&rlp::list(&payload))
}

/// Reads a block. `uncle_hashes` are used where given; otherwise uncles are taken for version 0 headers.
pub(crate) fn decode(rlp: &[u8], hash: B256, total_difficulty: U256, uncle_hashes: Option<Vec<B256>>) -> AncestorBlock {
    let parts = Item::read_only(rlp).and_then(Item::items).expect("a block");
    let header = parts[0].items().expect("a header");
    let uncles = parts[2].items().expect("a list of uncles");
    let uncles = uncles.iter().enumerate().map(|(index, uncle)| {
        let uncle = uncle.items().expect("an uncle");
        UncleMetadata {
            hash: uncle_hashes.as_ref().map_or_else(|| version_0_hash(&uncle), |hashes| hashes[index]),
            number: word(&uncle, 8).to(),
            coinbase: miner(&uncle),
            difficulty: word(&uncle, 7),
            paid_fees: word(&uncle, 13),
            uncle_count: word(&uncle, 15).to(),
        }
    });
    let [bitcoin_header, bitcoin_coinbase] = bitcoin_fields(&header);
    AncestorBlock {
        hash,
        parent_hash: B256::from_slice(field(&header, 0)),
        number: word(&header, 8).to(),
        timestamp: word(&header, 11).to(),
        coinbase: miner(&header),
        minimum_gas_price: word(&header, 14),
        gas_limit: Bytes::copy_from_slice(field(&header, 9)),
        gas_used: word(&header, 10).to(),
        difficulty: word(&header, 7),
        paid_fees: word(&header, 13),
        uncle_count: word(&header, 15).to(),
        total_difficulty,
        bitcoin_header,
        bitcoin_coinbase,
        uncles: uncles.collect(),
        state_root: None,
    }
}
