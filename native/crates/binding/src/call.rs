//! Calls that keep no state, with their full results.

use std::sync::Arc;

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_evm::{
    AccountOverride, CallOutcome, CallStatus, LocalCall, Message, TransactionError, call as call_locally,
};
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Bytes, U256};

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Result, invalid};
use crate::execution::{BlockEnvironment, execution_error};
use crate::fork::fetching_ahead;
use crate::interrupt::InterruptSlot;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// The message of a call, which nobody signed. Numbers are big-endian bytes.
#[napi(object)]
pub struct CallMessage {
    /// 20 bytes; absent is the zero address.
    pub from: Option<Uint8Array>,
    /// 20 bytes; absent creates a contract.
    pub to: Option<Uint8Array>,
    /// Wei.
    pub gas_price: Uint8Array,
    /// Wei.
    pub value: Uint8Array,
    /// Call data or creation code.
    pub data: Uint8Array,
    /// Gas, intrinsic gas included.
    pub gas: BigInt,
}

/// Overrides of one account. Absent fields keep their values.
#[napi(object)]
pub struct CallOverride {
    /// 20 bytes.
    pub address: Uint8Array,
    /// Wei.
    pub balance: Option<Uint8Array>,
    /// Nonce.
    pub nonce: Option<Uint8Array>,
    /// Code.
    pub code: Option<Uint8Array>,
    /// The whole storage: slot and word alternate.
    pub state: Option<Vec<Uint8Array>>,
    /// Single cells: slot and word alternate.
    pub state_diff: Option<Vec<Uint8Array>>,
}

/// A call with its state and block.
#[napi(object)]
pub struct CallInput {
    /// Root of the state.
    pub root: Uint8Array,
    /// The block whose number, time and miner the call sees.
    pub block: BlockEnvironment,
    /// The message.
    pub message: CallMessage,
    /// Overrides of the state.
    pub overrides: Vec<CallOverride>,
    /// Stops the call.
    pub interrupt: Option<InterruptSlot>,
}

/// Outcome of a call.
#[napi(string_enum = "lowercase")]
pub enum CallEnd {
    /// It succeeded, with its output.
    Success,
    /// REVERT with its data.
    Revert,
    /// Exceptional halt, or a precompiled contract that threw.
    Halt,
    /// The sender cannot pay; only estimates return this.
    Funds,
}

/// The result of a call.
#[napi(object)]
pub struct CallResult {
    /// Outcome.
    pub end: CallEnd,
    /// RETURN or REVERT data, or the code of the contract that would be created.
    pub output: Buffer,
    /// Gas used, refund deducted.
    pub gas: BigInt,
    /// Reason why it halted, as a message for people.
    pub reason: Option<String>,
}

/// Executes a call on a state. Throws `Interrupted` when it was stopped.
#[napi(catch_unwind)]
pub fn call(spec: &ChainSpec, store: &StateStore, input: CallInput) -> Result<CallResult> {
    input.with_call(spec, store, |local, state| {
        match fetching_ahead(&store.inner, || call_locally(local, state.clone())) {
            Ok(outcome) => Ok(call_result(outcome)),
            Err(TransactionError::Invalid(reason)) => Ok(halted(reason.to_string())),
            Err(TransactionError::Execution(failure)) => Err(execution_error(failure)),
        }
    })
}

impl CallInput {
    /// Converts the call and the state to the core's types.
    pub fn with_call<T>(
        &self,
        spec: &ChainSpec,
        store: &StateStore,
        run: impl FnOnce(&LocalCall<'_>, Arc<dyn StateReader>) -> Result<T>,
    ) -> Result<T> {
        let overrides = overrides(&self.overrides)?;
        let local = LocalCall {
            context: self.block.context(spec, store)?,
            message: message(&self.message)?,
            gas: bytes::unsigned64("gas", &self.message.gas)?,
            overrides: &overrides,
            interrupt: self.interrupt.as_ref().map(InterruptSlot::to_interrupt).transpose()?,
            effort: None,
        };
        run(&local, store.reader(bytes::hash("root", &self.root)?)?)
    }
}

pub(crate) fn message(given: &CallMessage) -> Result<Message> {
    Ok(Message {
        from: given.from.as_deref().map(|from| bytes::address("from", from)).transpose()?,
        to: given.to.as_deref().map(|to| bytes::address("to", to)).transpose()?,
        gas_price: bytes::uint("gasPrice", &given.gas_price)?,
        value: bytes::uint("value", &given.value)?,
        data: Bytes::copy_from_slice(&given.data),
    })
}

pub(crate) fn overrides(given: &[CallOverride]) -> Result<Vec<AccountOverride>> {
    let account = |given: &CallOverride| {
        Ok(AccountOverride {
            address: bytes::address("address", &given.address)?,
            balance: given.balance.as_deref().map(|balance| bytes::uint("balance", balance)).transpose()?,
            nonce: given.nonce.as_deref().map(|nonce| bytes::uint("nonce", nonce)).transpose()?,
            code: given.code.as_deref().map(Bytes::copy_from_slice),
            state: given.state.as_deref().map(cells).transpose()?,
            state_diff: given.state_diff.as_deref().map(cells).transpose()?.unwrap_or_default(),
        })
    };
    given.iter().map(account).collect()
}

fn cells(pairs: &[Uint8Array]) -> Result<Vec<(U256, U256)>> {
    let cell = |pair: &[Uint8Array]| match pair {
        [slot, word] => Ok((bytes::uint("slot", slot)?, bytes::uint("word", word)?)),
        _ => Err(invalid("a slot without a word")),
    };
    pairs.chunks(2).map(cell).collect()
}

pub(crate) fn call_result(outcome: CallOutcome) -> CallResult {
    let (end, reason) = match outcome.status {
        CallStatus::Success => (CallEnd::Success, None),
        CallStatus::Revert => (CallEnd::Revert, None),
        CallStatus::Halt(halt) => (CallEnd::Halt, Some(halt.message())),
    };
    CallResult { end, output: outcome.output.to_vec().into(), gas: outcome.gas_used.into(), reason }
}

pub(crate) fn halted(reason: String) -> CallResult {
    CallResult { end: CallEnd::Halt, output: Vec::new().into(), gas: 0u64.into(), reason: Some(reason) }
}
