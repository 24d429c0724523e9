//! The outcome of a transaction.

use rhizome_primitives::contract::Log;
use rhizome_primitives::{Address, Bytes, U256};

use crate::error::Failure;

/// An executed transaction.
#[derive(Clone, Debug)]
pub struct TransactionOutcome {
    /// Status of the receipt.
    pub succeeded: bool,
    /// Gas used according to the receipt: the limit less the gas left and the refund.
    pub gas_used: u64,
    /// Fee in wei; not always gas used times price (evm.md §3.3).
    pub paid_fees: U256,
    /// Gas refunded.
    pub refund: u64,
    /// RETURN or REVERT data of the top frame, output of the precompiled contract called, or the
    /// code of the new contract; the reference's null is empty.
    pub output: Bytes,
    /// Logs in order.
    pub logs: Vec<Log>,
    /// Address of the new contract; also when the creation failed.
    pub contract_address: Option<Address>,
    /// Accounts deleted by SELFDESTRUCT.
    pub deleted: Vec<Address>,
    /// Reason why it did not succeed.
    pub failure: Option<Failure>,
    /// A contract called that parallel sublists ban (RSKIP144).
    pub banned: Option<Address>,
}

impl Failure {
    /// True when the receipt reports failure. It does not when a precompiled contract called by the transaction throws
    /// (evm.md §3.3).
    pub fn fails_receipt(&self) -> bool {
        !matches!(self, Self::Precompile(_))
    }
}
