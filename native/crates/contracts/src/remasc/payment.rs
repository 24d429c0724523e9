//! One payment: the transfer, its trace and its log (consensus.md §8.4).

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::{ContractState, Log};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, U256, b256, rlp};

use super::address::REMASC_ADDRESS;

/// `mining_fee_topic`, right-aligned.
const MINING_FEE_TOPIC: B256 = b256!("000000000000000000000000000000006d696e696e675f6665655f746f706963");

/// Pays the fees of one block.
pub(super) struct Payer<'a> {
    pub(super) state: &'a mut dyn ContractState,
    /// The block whose fees are paid.
    pub(super) block_hash: B256,
}

impl Payer<'_> {
    /// Pays an amount in wei. A payment of zero is made and logged as well, which creates the receiver. Trace and log
    /// show zero for the miner of a block without a coinbase.
    pub(super) fn pay(&mut self, amount: U256, to: AccountRef) -> Result<(), StateError> {
        self.state.transfer(REMASC_ADDRESS, to, amount)?;
        self.state.trace_transfer(REMASC_ADDRESS, to.address(), amount);
        let mut payload = Vec::with_capacity(66);
        rlp::write_bytes(&mut payload, self.block_hash.as_slice());
        rlp::write_uint(&mut payload, amount);
        self.state.log(Log {
            address: REMASC_ADDRESS,
            topics: vec![MINING_FEE_TOPIC, to.address().into_word()],
            data: rlp::list(&payload).into(),
        });
        Ok(())
    }
}
