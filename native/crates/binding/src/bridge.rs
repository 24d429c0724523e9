//! The state of the Bridge, for `eth_bridgeState` and `rsk_getBridgeStatus`.

use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;
use rhizome_evm::{ExecutionError, Journal, bridge_status as status, bridge_summary};
use rhizome_primitives::contract::ContractError;

use crate::bytes;
use crate::errors::{Code, Result, error, state};
use crate::execution::{BlockEnvironment, execution_error};
use crate::interrupt::InterruptSlot;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// The state that the Bridge reports.
#[napi(object)]
pub struct BridgeState {
    /// Height of the best Bitcoin chain that the Bridge knows.
    pub bitcoin_height: i32,
    /// Hashes of the transactions whose Bitcoin transactions wait for signatures.
    pub waiting_for_signatures: Vec<Buffer>,
}

/// Reads the Bridge on a state, under the rules of a block, until `interrupt` is raised.
#[napi(catch_unwind)]
pub fn bridge_state(
    spec: &ChainSpec,
    store: &StateStore,
    root: Uint8Array,
    block: BlockEnvironment,
    interrupt: Option<InterruptSlot>,
) -> Result<BridgeState> {
    let journal = Journal::new(store.reader(bytes::hash("root", &root)?)?);
    let interrupt = interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?;
    let summary = bridge_summary(block.context(spec, store)?, journal, interrupt).map_err(failure)?;
    Ok(BridgeState {
        bitcoin_height: summary.bitcoin_height,
        waiting_for_signatures: summary.waiting_for_signatures.iter().map(|hash| hash.to_vec().into()).collect(),
    })
}

/// Federations, funds and peg-outs on a state, under the rules of a block, until `interrupt` is raised: JSON as clients
/// receive it.
#[napi(catch_unwind)]
pub fn bridge_status(
    spec: &ChainSpec,
    store: &StateStore,
    root: Uint8Array,
    block: BlockEnvironment,
    interrupt: Option<InterruptSlot>,
) -> Result<String> {
    let journal = Journal::new(store.reader(bytes::hash("root", &root)?)?);
    let interrupt = interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?;
    let status = status(block.context(spec, store)?, journal, interrupt).map_err(failure)?;
    serde_json::to_string(&status).map_err(|problem| error(Code::CorruptState, problem.to_string()))
}

fn failure(failure: ContractError) -> napi::Error<Code> {
    match failure {
        ContractError::Failed(text) => error(Code::CorruptState, text),
        ContractError::State(failure) => state(failure),
        ContractError::Interrupted => execution_error(ExecutionError::Interrupted),
    }
}
