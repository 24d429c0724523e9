//! The Bridge, the precompiled contract of the two-way peg (bridge.md).

mod address;
mod call;
mod events;
pub mod federation;
mod flyover;
mod free;
mod headers;
pub mod method;
mod methods;
mod money;
mod outcome;
mod pegin;
mod pegout;
pub mod recorded;
pub mod state;
pub mod status;
mod storage;
mod svp;
mod union;
mod votes;
mod wallet;

use rhizome_primitives::Bytes;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};

pub use address::ADDRESS;
pub use free::is_free_transaction;
pub use state::{BridgeState, bridge_state, head_and_waiting};
pub use status::{BridgeStatus, bridge_status};

/// Minimum gas of a contract's call with these data, whatever its price, from RSKIP88 on.
pub fn least_gas(data: &[u8]) -> u64 {
    call::least_gas(data)
}

/// Price of a call (bridge.md §1.1). `data` is None for a call without data. It only reads the state; [`run`] and
/// [`refuse`] write what the reference writes while it computes the price.
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

/// Runs a call: dispatch, access and call-type rules, the method, then the write-back of the loaded objects (bridge.md
/// §1, §2). None is the null result of the reference: a void method before RSKIP417, or an error before RSKIP88.
///
/// # Errors
/// [`ContractError::Failed`] when the Bridge throws; header store and transfers that were written before are kept
/// (bridge.md §1.2).
pub fn run(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    methods::run(context, state, data)
}

/// The effects of a direct call whose gas limit is below its price: pricing `getBtcTransactionConfirmations` has opened
/// the Bitcoin header store (bridge.md §1.2). Calls by contracts have no such effects.
///
/// # Errors
/// As for [`run`].
pub fn refuse(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<(), ContractError> {
    methods::refuse(context, state, data)
}
