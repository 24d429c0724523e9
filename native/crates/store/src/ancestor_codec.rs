//! Stored form of ancestor blocks: an RLP list of the fields of [`AncestorBlock`] in declaration order, without the
//! hash, which is the key. Optional bytes are lists of zero or one item. The state root is missing where it is unknown
//! and in what earlier versions stored.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, UncleMetadata};
use rhizome_primitives::rlp::{self, Item, RlpError};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256};

/// Encodes everything but the hash.
pub fn encode_ancestor(block: &AncestorBlock) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    rlp::write_bytes(&mut out, block.parent_hash.as_slice());
    rlp::write_uint(&mut out, U256::from(block.number));
    rlp::write_uint(&mut out, U256::from(block.timestamp));
    rlp::write_bytes(&mut out, block.coinbase.as_bytes());
    rlp::write_uint(&mut out, block.minimum_gas_price);
    rlp::write_bytes(&mut out, &block.gas_limit);
    rlp::write_uint(&mut out, U256::from(block.gas_used));
    rlp::write_uint(&mut out, block.difficulty);
    rlp::write_uint(&mut out, block.paid_fees);
    rlp::write_uint(&mut out, U256::from(block.uncle_count));
    rlp::write_uint(&mut out, block.total_difficulty);
    for optional in [&block.bitcoin_header, &block.bitcoin_coinbase] {
        let mut payload = Vec::new();
        if let Some(bytes) = optional {
            rlp::write_bytes(&mut payload, bytes);
        }
        out.extend_from_slice(&rlp::list(&payload));
    }
    let uncles: Vec<u8> = block.uncles.iter().flat_map(encode_uncle).collect();
    out.extend_from_slice(&rlp::list(&uncles));
    if let Some(root) = &block.state_root {
        rlp::write_bytes(&mut out, root.as_slice());
    }
    rlp::list(&out)
}

fn encode_uncle(uncle: &UncleMetadata) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    rlp::write_bytes(&mut out, uncle.hash.as_slice());
    rlp::write_uint(&mut out, U256::from(uncle.number));
    rlp::write_bytes(&mut out, uncle.coinbase.as_bytes());
    rlp::write_uint(&mut out, uncle.difficulty);
    rlp::write_uint(&mut out, uncle.paid_fees);
    rlp::write_uint(&mut out, U256::from(uncle.uncle_count));
    rlp::list(&out)
}

/// Decodes what [`encode_ancestor`] wrote under the key `hash`.
pub fn decode_ancestor(hash: &B256, bytes: &[u8]) -> Result<AncestorBlock, StateError> {
    decode(hash, bytes).map_err(|error| StateError::Corrupt { hash: *hash, reason: format!("ancestor block: {error}") })
}

fn decode(hash: &B256, bytes: &[u8]) -> Result<AncestorBlock, RlpError> {
    let mut items = Item::read_only(bytes)?.items()?.into_iter();
    let mut next = || items.next().ok_or(RlpError::Truncated);
    let mut block = AncestorBlock {
        hash: *hash,
        parent_hash: fixed(next()?)?,
        number: next()?.u64()?,
        timestamp: next()?.u64()?,
        coinbase: miner(next()?)?,
        minimum_gas_price: next()?.u256()?,
        gas_limit: Bytes::copy_from_slice(next()?.bytes()?),
        gas_used: next()?.u64()?,
        difficulty: next()?.u256()?,
        paid_fees: next()?.u256()?,
        uncle_count: next()?.u64()?,
        total_difficulty: next()?.u256()?,
        bitcoin_header: optional(next()?)?,
        bitcoin_coinbase: optional(next()?)?,
        uncles: next()?.items()?.into_iter().map(decode_uncle).collect::<Result<_, _>>()?,
        state_root: None,
    };
    block.state_root = items.next().map(fixed).transpose()?;
    Ok(block)
}

fn decode_uncle(item: Item<'_>) -> Result<UncleMetadata, RlpError> {
    let mut items = item.items()?.into_iter();
    let mut next = || items.next().ok_or(RlpError::Truncated);
    Ok(UncleMetadata {
        hash: fixed(next()?)?,
        number: next()?.u64()?,
        coinbase: miner(next()?)?,
        difficulty: next()?.u256()?,
        paid_fees: next()?.u256()?,
        uncle_count: next()?.u64()?,
    })
}

fn fixed(item: Item<'_>) -> Result<B256, RlpError> {
    B256::try_from(item.bytes()?).map_err(|_| RlpError::Truncated)
}

/// Miner of a block: 20 bytes or none.
fn miner(item: Item<'_>) -> Result<AccountRef, RlpError> {
    match item.bytes()? {
        [] => Ok(AccountRef::NoAddress),
        address => Address::try_from(address).map(AccountRef::from).map_err(|_| RlpError::Truncated),
    }
}

fn optional(item: Item<'_>) -> Result<Option<Bytes>, RlpError> {
    item.items()?.into_iter().next().map(|item| item.bytes().map(Bytes::copy_from_slice)).transpose()
}
