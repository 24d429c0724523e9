//! The Bridge, the precompiled contract of the two-way peg (bridge.md).

mod call;
mod confirmations;
pub mod federation;
pub mod free;
pub mod method;

use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::{Address, Bytes, address};

pub use free::is_free_transaction;

/// Address of the Bridge.
pub const ADDRESS: Address = address!("0000000000000000000000000000000001000006");

/// Price of a call (bridge.md §1.1). `data` is None for a call without data. Reads the state, and
/// the price of `getBtcTransactionConfirmations` may start the Bitcoin header store.
///
/// # Errors
/// [`ContractError::Failed`] when the computation of the price throws (evm.md §4.1 step 8).
pub fn gas(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<u64, ContractError> {
    call::gas(context, state, data)
}

/// Runs a call: dispatch, access and call-type rules, the method, then the write-back of what was
/// loaded (bridge.md §1, §2). None is the null result of the reference: a void method before RSKIP417,
/// or an error before RSKIP88.
///
/// # Errors
/// [`ContractError::Failed`] when the Bridge throws; header store and transfers written so far stay
/// (bridge.md §1.2). [`ContractError::Unsupported`] names a method that this node cannot run yet.
pub fn run(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    let _ = (state, data, context);
    Err(ContractError::Unsupported("Bridge".into()))
}
