//! Consecutive calls in simulated blocks, for `eth_simulateV1`.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_evm::{
    InvalidTransaction, SimulatedBlock as CoreBlock, SimulatedCall as CoreCall, SimulatedOutcome, ValueTransfer,
    simulate as simulate_core,
};
use rhizome_primitives::contract::Log;

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::call::{CallMessage, CallOverride, CallResult, call_result, halted, message, overrides};
use crate::errors::Result;
use crate::execution::{BlockEnvironment, execution_error};
use crate::fork::fetching_ahead;
use crate::interrupt::InterruptSlot;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// A call of a simulated block.
#[napi(object)]
pub struct SimulatedCall {
    /// The message.
    pub message: CallMessage,
    /// Big-endian; absent means the sender's next one.
    pub nonce: Option<Uint8Array>,
    /// True when the gas is capped to what the block has left.
    pub cut: bool,
}

/// A simulated block.
#[napi(object)]
pub struct SimulatedBlock {
    /// The block as programs see it.
    pub environment: BlockEnvironment,
    /// Overrides that apply before its calls.
    pub overrides: Vec<CallOverride>,
    /// Calls in order.
    pub calls: Vec<SimulatedCall>,
}

/// A simulation.
#[napi(object)]
pub struct SimulationInput {
    /// Root of the state before the first block.
    pub root: Uint8Array,
    /// Blocks in order.
    pub blocks: Vec<SimulatedBlock>,
    /// True when calls are checked as sent transactions are.
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

/// A payment of a call, or of a call below it.
#[napi(object)]
pub struct SimulatedTransfer {
    /// Logs of the call that come before it.
    pub logs_before: u32,
    /// Payer, 20 bytes.
    pub from: Buffer,
    /// Receiver, 20 bytes.
    pub to: Buffer,
    /// Wei, 32 bytes.
    pub value: Buffer,
}

/// The result of a simulated call.
#[napi(object)]
pub struct SimulatedResult {
    /// As of a call; a call that could be in no block has its reason and no gas.
    pub result: CallResult,
    /// Reason why it could be in no block: `nonceTooLow`, `nonceTooHigh`, `intrinsicGas`, `funds`, `room` or `other`.
    pub refusal: Option<String>,
    /// Logs; none if the call failed.
    pub logs: Vec<SimulatedLog>,
    /// Payments in order, without those that were undone.
    pub transfers: Vec<SimulatedTransfer>,
    /// Nonce of the call, 32 bytes.
    pub nonce: Buffer,
    /// Gas of the call.
    pub gas: BigInt,
}

/// Executes the calls of simulated blocks, each on the state after the previous one. Throws `Interrupted` when it was
/// stopped.
#[napi(catch_unwind)]
pub fn simulate(spec: &ChainSpec, store: &StateStore, input: SimulationInput) -> Result<Vec<Vec<SimulatedResult>>> {
    let reader = store.reader(bytes::hash("root", &input.root)?)?;
    let interrupt = input.interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?;
    let outcomes = fetching_ahead(&store.inner, || {
        // A run uses its blocks up.
        let blocks = input.blocks.iter().map(|block| core_block(spec, store, block)).collect::<Result<Vec<_>>>()?;
        simulate_core(blocks, input.validate, reader.clone(), interrupt.as_ref()).map_err(execution_error)
    })?;
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
        gas: bytes::unsigned64("gas", &call.message.gas)?,
        cut: call.cut,
        nonce: call.nonce.as_deref().map(|nonce| bytes::uint("nonce", nonce)).transpose()?,
    })
}

fn result(outcome: SimulatedOutcome) -> SimulatedResult {
    let SimulatedOutcome { result, nonce, gas, transfers } = outcome;
    let (result, refusal, logs) = match result {
        Ok(mut outcome) => {
            let logs = std::mem::take(&mut outcome.logs).iter().map(log).collect();
            (call_result(outcome), None, logs)
        }
        Err(reason) => (halted(reason.to_string()), Some(refusal(&reason).into()), Vec::new()),
    };
    SimulatedResult {
        result,
        refusal,
        logs,
        transfers: transfers.iter().map(transfer).collect(),
        nonce: nonce.to_be_bytes_vec().into(),
        gas: gas.into(),
    }
}

fn transfer(transfer: &ValueTransfer) -> SimulatedTransfer {
    SimulatedTransfer {
        logs_before: transfer.logs_before as u32,
        from: transfer.from.to_vec().into(),
        to: transfer.to.to_vec().into(),
        value: transfer.value.to_be_bytes_vec().into(),
    }
}

fn refusal(reason: &InvalidTransaction) -> &'static str {
    match reason {
        InvalidTransaction::Nonce { expected, found } if found < expected => "nonceTooLow",
        InvalidTransaction::Nonce { .. } => "nonceTooHigh",
        InvalidTransaction::IntrinsicGas { .. } => "intrinsicGas",
        InvalidTransaction::Funds { .. } => "funds",
        InvalidTransaction::NoBlockGas { .. } => "room",
        _ => "other",
    }
}

fn log(log: &Log) -> SimulatedLog {
    SimulatedLog {
        address: log.address.to_vec().into(),
        topics: log.topics.iter().map(|topic| topic.to_vec().into()).collect(),
        data: log.data.to_vec().into(),
    }
}
