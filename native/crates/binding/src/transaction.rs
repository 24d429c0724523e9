//! A single transaction on a state, outside any block, for recorded cases and tools.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{Evm, Failure, FeePayment, Journal, Position, Receipt};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, state};
use crate::execution::{BlockEnvironment, ExecutableTransaction, minimal, transaction_error};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// The result of a transaction.
#[napi(object)]
pub struct TransactionResult {
    /// Status of the receipt.
    pub succeeded: bool,
    /// Gas used according to the receipt.
    pub gas_used: BigInt,
    /// Wei, big-endian.
    pub paid_fees: Buffer,
    /// Gas refunded.
    pub refund: BigInt,
    /// RETURN or REVERT data, output of a precompiled contract, or the code of the new contract.
    pub output: Buffer,
    /// Receipt RLP.
    pub receipt: Buffer,
    /// Address of the new contract; also when the creation failed.
    pub contract_address: Option<Buffer>,
    /// Accounts deleted by SELFDESTRUCT.
    pub deleted: Vec<Buffer>,
    /// Reason why it did not succeed, as a message for people.
    pub failure: Option<String>,
    /// Root of the state after it, which is kept.
    pub state_root: Buffer,
}

/// Executes a transaction on the state under a root. The fee goes to REMASC at once, whatever the rules; the block's
/// gas limit applies. Throws `InvalidBlock` for a transaction that must not be in a block.
#[napi(catch_unwind)]
pub fn execute_transaction(
    spec: &ChainSpec,
    store: &StateStore,
    root: Uint8Array,
    block: BlockEnvironment,
    transaction: ExecutableTransaction,
    index: u32,
    gas_used_before: BigInt,
) -> Result<TransactionResult> {
    let root = bytes::hash("root", &root)?;
    let context = block.context(spec, store)?;
    let gas_used = bytes::unsigned64("gasUsedBefore", &gas_used_before)?;
    let position = Position { index, gas_used, gas_limit: context.block.gas_limit };
    let mut evm = Evm::new(context, Journal::new(store.reader(root)?));
    let outcome = evm
        .transact(&transaction.to_transaction()?, position, FeePayment::AtOnce, &mut NoInspector)
        .map_err(transaction_error)?;
    let applied = store.inner.apply(root, &evm.journal().write_set()).map_err(state)?;
    let state_root = applied.root().to_vec().into();
    store.inner.keep(applied);
    let receipt = Receipt::new(outcome.succeeded, outcome.gas_used, gas_used + outcome.gas_used, outcome.logs.clone());
    Ok(TransactionResult {
        succeeded: outcome.succeeded,
        gas_used: outcome.gas_used.into(),
        paid_fees: minimal(outcome.paid_fees),
        refund: outcome.refund.into(),
        output: outcome.output.to_vec().into(),
        receipt: receipt.rlp.to_vec().into(),
        contract_address: outcome.contract_address.map(|address| address.to_vec().into()),
        deleted: outcome.deleted.iter().map(|address| address.to_vec().into()).collect(),
        failure: outcome.failure.as_ref().map(failure_message),
        state_root,
    })
}

/// The message of a failure.
pub fn failure_message(failure: &Failure) -> String {
    match failure {
        Failure::Revert(_) => "execution reverted".to_owned(),
        Failure::Halt(halt) => halt.text.clone(),
        Failure::PrecompileGas { address, required } => {
            format!("gas limit does not cover the {required} gas of contract {address}")
        }
        Failure::Precompile(text) => text.clone(),
    }
}
