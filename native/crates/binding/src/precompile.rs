//! Direct calls of precompiled contracts, for recorded calls and tools.

use napi::bindgen_prelude::{BigInt, Buffer, Uint8Array};
use napi_derive::napi;
use rhizome_evm::{DirectCaller, Evm, ExecutionError, Journal};
use rhizome_primitives::contract::ContractError;

use crate::bytes;
use crate::errors::{Code, Result, state};
use crate::execution::{BlockEnvironment, execution_error};
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// The result of a direct call.
#[napi(object)]
pub struct PrecompileCall {
    /// Longest input that a call from a contract passes on (RSKIP516); absent means no limit.
    pub max_input: Option<u32>,
    /// Price; absent when it cannot be computed.
    pub gas: Option<BigInt>,
    /// True when the contract ran: its price was at most the limit.
    pub executed: bool,
    /// Output; absent when there is none or the contract threw.
    pub output: Option<Buffer>,
    /// Reason why the contract threw, as a message for people.
    pub failure: Option<String>,
}

/// Prices the precompiled contract at an address and runs it when the price is at most `gas_limit`, as if a
/// transaction called it. An absent input is the null of a transaction without data. Null when no contract is
/// active there.
#[napi(catch_unwind)]
pub fn call_precompile(
    spec: &ChainSpec,
    store: &StateStore,
    root: Uint8Array,
    block: BlockEnvironment,
    address: Uint8Array,
    input: Option<Uint8Array>,
    gas_limit: BigInt,
) -> Result<Option<PrecompileCall>> {
    let root = bytes::hash("root", &root)?;
    let address = bytes::address("address", &address)?;
    let limit = bytes::unsigned64("gasLimit", &gas_limit)?;
    let mut evm = Evm::new(block.context(spec, store)?, Journal::new(store.reader(root)?));
    let Some(call) = evm.call_directly(DirectCaller::Transaction, address, input.as_deref(), limit) else {
        return Ok(None);
    };
    let mut result = PrecompileCall {
        max_input: call.max_input.map(|length| length as u32),
        gas: None,
        executed: call.output.is_some(),
        output: None,
        failure: None,
    };
    match call.gas {
        Ok(gas) => result.gas = Some(gas.into()),
        Err(failure) => result.failure = Some(thrown(failure)?),
    }
    match call.output {
        Some(Ok(output)) => result.output = output.map(|output| output.to_vec().into()),
        Some(Err(failure)) => result.failure = Some(thrown(failure)?),
        None => {}
    }
    Ok(Some(result))
}

/// The message of a contract that throws; any other failure is an error of the call.
fn thrown(failure: ContractError) -> std::result::Result<String, napi::Error<Code>> {
    match failure {
        ContractError::Failed(text) => Ok(text),
        ContractError::State(failure) => Err(state(failure)),
        ContractError::Interrupted => Err(execution_error(ExecutionError::Interrupted)),
    }
}
