//! Receipts: RLP and bloom (consensus.md §5.6, §2.6).

use rhizome_crypto::keccak256;
use rhizome_primitives::contract::Log;
use rhizome_primitives::{Bytes, U256, rlp};

/// A bloom filter of 2048 bits.
pub type Bloom = [u8; 256];

/// Receipt of a transaction.
#[derive(Clone, Debug)]
pub struct Receipt {
    /// Status.
    pub succeeded: bool,
    /// Gas used by the transaction.
    pub gas_used: u64,
    /// Gas used in the block, or in the sublist under RSKIP144, up to and including this transaction.
    pub cumulative_gas: u64,
    /// Logs in order.
    pub logs: Vec<Log>,
    /// Bloom over the logs.
    pub bloom: Box<Bloom>,
    /// `[postTxState, cumulativeGas, bloom, logs, gasUsed, status]`.
    pub rlp: Bytes,
}

impl Receipt {
    /// A receipt with its bloom and encoding.
    pub fn new(succeeded: bool, gas_used: u64, cumulative_gas: u64, logs: Vec<Log>) -> Self {
        let bloom = Box::new(bloom(&logs));
        let rlp = encode(succeeded, gas_used, cumulative_gas, &bloom, &logs).into();
        Self { succeeded, gas_used, cumulative_gas, logs, bloom, rlp }
    }
}

/// The bloom of a list of logs: three bits each for the address and every topic.
pub fn bloom(logs: &[Log]) -> Bloom {
    let mut bloom = [0; 256];
    for log in logs {
        add(&mut bloom, log.address.as_slice());
        for topic in &log.topics {
            add(&mut bloom, topic.as_slice());
        }
    }
    bloom
}

fn add(bloom: &mut Bloom, item: &[u8]) {
    let hash = keccak256(item);
    for at in [0, 2, 4] {
        let bit = usize::from(hash[at] & 7) << 8 | usize::from(hash[at + 1]);
        bloom[255 - bit / 8] |= 1 << (bit % 8);
    }
}

/// Adds the bits of a bloom to another.
pub(crate) fn merge(into: &mut Bloom, bloom: &Bloom) {
    for (byte, other) in into.iter_mut().zip(bloom) {
        *byte |= other;
    }
}

fn encode(succeeded: bool, gas_used: u64, cumulative_gas: u64, bloom: &Bloom, logs: &[Log]) -> Vec<u8> {
    let status: &[u8] = if succeeded { &[1] } else { &[] };
    let mut payload = Vec::with_capacity(300);
    rlp::write_bytes(&mut payload, status);
    rlp::write_uint(&mut payload, U256::from(cumulative_gas));
    rlp::write_bytes(&mut payload, bloom);
    let mut list = Vec::new();
    for log in logs {
        let mut topics = Vec::with_capacity(33 * log.topics.len());
        for topic in &log.topics {
            rlp::write_bytes(&mut topics, topic.as_slice());
        }
        let mut item = Vec::with_capacity(64 + topics.len() + log.data.len());
        rlp::write_bytes(&mut item, log.address.as_slice());
        item.extend(rlp::list(&topics));
        rlp::write_bytes(&mut item, &log.data);
        list.extend(rlp::list(&item));
    }
    payload.extend(rlp::list(&list));
    rlp::write_uint(&mut payload, U256::from(gas_used));
    rlp::write_bytes(&mut payload, status);
    rlp::list(&payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_receipt_has_267_bytes() {
        assert_eq!(Receipt::new(true, 0, 0, Vec::new()).rlp.len(), 267);
    }
}
