//! Calls after one another over pretended blocks, for `eth_simulateV1`.

use napi_derive::napi;
use rhizome_evm::{
    SimulatedBlock as CoreBlock, SimulatedCall as CoreCall, SimulatedOutcome, simulate as simulate_core,
};
use rhizome_primitives::contract::Log;

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::call::{CallMessage, CallOverride, CallResult, call_result, halted, message, overrides};
use crate::errors::Result;
use crate::execution::{BlockEnvironment, execution_error, gas};
use crate::interrupt::InterruptSlot;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// A call of a pretended block.
#[napi(object)]
pub struct SimulatedCall {
    /// What is called.
    pub message: CallMessage,
    /// Big-endian; absent is the sender's next one.
    pub nonce: Option<Uint8Array>,
}

/// A pretended block.
#[napi(object)]
pub struct SimulatedBlock {
    /// The block as programs see it.
    pub environment: BlockEnvironment,
    /// Pretended changes before its calls.
    pub overrides: Vec<CallOverride>,
    /// In order.
    pub calls: Vec<SimulatedCall>,
}

/// What is to be simulated.
#[napi(object)]
pub struct SimulationInput {
    /// Root of the state before the first block.
    pub root: Uint8Array,
    /// In order.
    pub blocks: Vec<SimulatedBlock>,
    /// Whether calls are checked as sent transactions are.
    pub validate: bool,
    /// Stops the simulation.
    pub interrupt: Option<InterruptSlot>,
}

/// A log of a call.
#[napi(object)]
pub struct SimulatedLog {
    /// Contract, 20 bytes.
    pub address: Buffer,
    /// Topics of 32 bytes.
    pub topics: Vec<Buffer>,
    /// Data.
    pub data: Buffer,
}

/// What came of a simulated call.
#[napi(object)]
pub struct SimulatedResult {
    /// As of a call; one that could be in no block ends with its reason and no gas.
    pub result: CallResult,
    /// Whether it could be in a block.
    pub valid: bool,
    /// Logs; none of a call that failed.
    pub logs: Vec<SimulatedLog>,
}

/// Executes the calls of pretended blocks, each on the state that the one before left. Throws `Interrupted`
/// when it was stopped.
#[napi(catch_unwind)]
pub fn simulate(spec: &ChainSpec, store: &StateStore, input: SimulationInput) -> Result<Vec<Vec<SimulatedResult>>> {
    let blocks = input.blocks.iter().map(|block| core_block(spec, store, block)).collect::<Result<Vec<_>>>()?;
    let reader = store.reader(bytes::hash("root", &input.root)?)?;
    let interrupt = input.interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?;
    let outcomes = simulate_core(blocks, input.validate, reader, interrupt.as_ref()).map_err(execution_error)?;
    Ok(outcomes.into_iter().map(|calls| calls.into_iter().map(result).collect()).collect())
}

fn core_block(spec: &ChainSpec, store: &StateStore, block: &SimulatedBlock) -> Result<CoreBlock> {
    Ok(CoreBlock {
        context: block.environment.context(spec, store)?,
        overrides: overrides(&block.overrides)?,
        calls: block.calls.iter().map(core_call).collect::<Result<Vec<_>>>()?,
    })
}

fn core_call(call: &SimulatedCall) -> Result<CoreCall> {
    Ok(CoreCall {
        message: message(&call.message)?,
        gas: gas("gas", &call.message.gas)?,
        nonce: call.nonce.as_deref().map(|nonce| bytes::uint("nonce", nonce)).transpose()?,
    })
}

fn result(outcome: SimulatedOutcome) -> SimulatedResult {
    match outcome {
        Ok(mut outcome) => {
            let logs = std::mem::take(&mut outcome.logs).iter().map(log).collect();
            SimulatedResult { result: call_result(outcome), valid: true, logs }
        }
        Err(reason) => SimulatedResult { result: halted(reason), valid: false, logs: Vec::new() },
    }
}

fn log(log: &Log) -> SimulatedLog {
    SimulatedLog {
        address: log.address.to_vec().into(),
        topics: log.topics.iter().map(|topic| topic.to_vec().into()).collect(),
        data: log.data.to_vec().into(),
    }
}
