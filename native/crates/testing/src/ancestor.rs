use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::{Address, B256, Bytes, U256};

/// A connected block without transactions, uncles and a Bitcoin header, of difficulty 1 like those below it.
#[must_use]
pub fn ancestor(hash: B256, parent_hash: B256, number: u64) -> AncestorBlock {
    AncestorBlock {
        hash,
        parent_hash,
        number,
        timestamp: 0,
        coinbase: Address::ZERO.into(),
        minimum_gas_price: U256::ZERO,
        gas_limit: Bytes::new(),
        gas_used: 0,
        difficulty: U256::ONE,
        paid_fees: U256::ZERO,
        uncle_count: 0,
        total_difficulty: U256::from(number),
        bitcoin_header: None,
        bitcoin_coinbase: None,
        uncles: Vec::new(),
        state_root: None,
    }
}
