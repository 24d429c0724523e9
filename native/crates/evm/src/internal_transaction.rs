//! Internal transactions: what a precompiled contract called by a contract sees (evm.md §3.9).

use rhizome_crypto::keccak256;
use rhizome_primitives::{Address, B256, Bytes, U256, rlp};

/// The transaction that a frame runs in: the outer one, or an internal one, whose hash is computed when a precompiled
/// contract needs it.
#[derive(Clone, Debug)]
pub(crate) enum FrameTransaction {
    Known(B256),
    Internal(InternalTransaction),
}

/// A call or creation by a contract.
#[derive(Clone, Debug)]
pub(crate) struct InternalTransaction {
    pub(crate) nonce: U256,
    pub(crate) sender: Address,
    /// None for a creation.
    pub(crate) receiver: Option<Address>,
    pub(crate) value: U256,
    /// Code of the called contract, or initcode.
    pub(crate) data: Bytes,
    /// `call` or `create`.
    pub(crate) note: &'static str,
    /// Depth of the calling frame.
    pub(crate) depth: usize,
    /// Internal transactions recorded earlier in the calling frame.
    pub(crate) index: u32,
}

impl InternalTransaction {
    /// Hash under the hash of the calling frame's transaction.
    pub(crate) fn hash(&self, parent: B256, gas_price: U256, block_gas_limit: u64) -> B256 {
        let mut payload = Vec::with_capacity(256 + self.data.len());
        let nonce = rlp::signed_bytes(self.nonce);
        rlp::write_bytes(&mut payload, if nonce == [0] { &[] } else { &nonce });
        rlp::write_bytes(&mut payload, parent.as_slice());
        rlp::write_bytes(&mut payload, self.sender.as_slice());
        rlp::write_bytes(&mut payload, self.receiver.as_ref().map_or(&[], |address| address.as_slice()));
        rlp::write_uint(&mut payload, self.value);
        rlp::write_uint(&mut payload, gas_price);
        rlp::write_bytes(&mut payload, &U256::from(block_gas_limit).to_be_bytes::<32>());
        rlp::write_bytes(&mut payload, &self.data);
        rlp::write_bytes(&mut payload, self.note.as_bytes());
        rlp::write_uint(&mut payload, U256::from(self.depth));
        rlp::write_uint(&mut payload, U256::from(self.index));
        // The hash is needed while the call runs, when it cannot have been rejected yet.
        rlp::write_uint(&mut payload, U256::ZERO);
        keccak256(&rlp::list(&payload))
    }
}
