//! The state of the Bridge, for `eth_bridgeState`.

use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;
use rhizome_evm::{ExecutionError, Journal, bridge_summary};
use rhizome_primitives::contract::ContractError;

use crate::bytes;
use crate::errors::{Code, Result, error, state};
use crate::execution::{BlockEnvironment, execution_error};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// What the Bridge tells of itself.
#[napi(object)]
pub struct BridgeState {
    /// Height of the best Bitcoin chain that it knows.
    pub bitcoin_height: i32,
    /// Hashes of the transactions whose Bitcoin transactions wait for signatures.
    pub waiting_for_signatures: Vec<Buffer>,
}

/// Reads the Bridge on a state, under the rules of a block.
#[napi(catch_unwind)]
pub fn bridge_state(
    spec: &ChainSpec,
    store: &StateStore,
    root: Uint8Array,
    block: BlockEnvironment,
) -> Result<BridgeState> {
    let root = bytes::hash("root", &root)?;
    let summary = bridge_summary(block.context(spec, store)?, Journal::new(store.reader(root)?)).map_err(
        |failure| match failure {
            ContractError::Failed(text) => error(Code::CorruptState, text),
            ContractError::Unsupported(what) => execution_error(ExecutionError::Unsupported(what)),
            ContractError::State(failure) => state(failure),
        },
    )?;
    Ok(BridgeState {
        bitcoin_height: summary.bitcoin_height,
        waiting_for_signatures: summary.waiting_for_signatures.iter().map(|hash| hash.to_vec().into()).collect(),
    })
}
