//! Executions that change nothing: calls (eth_call) and gas estimates.

mod call;
mod estimate;
mod overrides;
mod simulate;
#[cfg(test)]
mod tests;
mod transfers;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::{Address, B256, Bytes, U256};

pub use call::{CallOutcome, CallStatus, LocalCall, call, call_in, call_watched};
pub(crate) use call::{execute, prepare};
pub use estimate::{EstimateError, EstimateInput, estimate_gas};
pub use overrides::AccountOverride;
pub use simulate::{BelowOverridden, SimulatedBlock, SimulatedCall, SimulatedOutcome, simulate};
pub use transfers::ValueTransfer;

use crate::transaction::Transaction;

/// A message to execute, which nobody signed.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// Sender; None is the zero address.
    pub from: Option<Address>,
    /// Receiver; None creates a contract.
    pub to: Option<Address>,
    /// Wei per gas, as GASPRICE gives it.
    pub gas_price: U256,
    /// Wei.
    pub value: U256,
    /// Call data or initcode.
    pub data: Bytes,
}

impl Message {
    fn sender(&self) -> AccountRef {
        self.from.unwrap_or_default().into()
    }

    fn transaction(&self, nonce: U256, gas_limit: u64, signature_accepted: bool) -> Transaction {
        Transaction {
            hash: B256::ZERO,
            sender: self.sender(),
            nonce,
            gas_price: self.gas_price,
            gas_limit: gas_limit.min(i64::MAX as u64 - 1),
            to: self.to,
            value: self.value,
            data: self.data.clone(),
            signature_accepted,
            signature: None,
            remasc: false,
        }
    }
}
