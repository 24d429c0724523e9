//! Calls and estimates in a form that is cheap to pass: the message in one array, the result as a string.

use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::ToNapiValue;
use napi::{check_status, sys};
use napi_derive::napi;
use rhizome_evm::{
    AccountOverride, BlockContext, CallStatus, EstimateError, EstimateInput, LocalCall, Message, TransactionError,
    Workspace, call_in, estimate_gas,
};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};

use crate::borrowed::{Borrowed, BorrowedBytes};
use crate::bytes;
use crate::call::{CallEnd, CallOverride, CallResult, call_result, halted, overrides};
use crate::errors::{Result, invalid, state};
use crate::execution::{BlockEnvironment, execution_error};
use crate::fork::fetching_ahead;
use crate::interrupt::interrupt_word;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// Bytes of a message before its data.
const HEAD: usize = 120;

/// Result of a call or an estimate.
pub enum CallAnswer {
    /// Success: the output, or the gas, as a hex string.
    Hex(Vec<u8>),
    /// Any other end.
    Failed(CallResult),
}

impl ToNapiValue for CallAnswer {
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> napi::Result<sys::napi_value> {
        match answer {
            Self::Hex(text) => {
                let mut value = ptr::null_mut();
                let length = text.len() as isize;
                // SAFETY: the environment is live, and the string is copied before the call ends.
                check_status!(unsafe {
                    sys::napi_create_string_latin1(env, text.as_ptr().cast(), length, &mut value)
                })?;
                Ok(value)
            }
            // SAFETY: as this function's.
            Self::Failed(result) => unsafe { CallResult::to_napi_value(env, result) },
        }
    }
}

/// State and block of the calls.
struct StateContext {
    root: B256,
    block: BlockContext,
    /// The block in the store, and the root of its state as nobody edited it.
    stored: Option<(B256, Option<B256>)>,
}

/// Executes calls on the state after a block. One per thread.
///
/// A message has, little-endian unless said otherwise: u32 bytes of data; u8 bits: 1 there is a sender, 2 there is
/// a receiver; u8 nothing; u16 interrupt slot; u64 gas; sender and receiver of 20 bytes; gas price and value of 32
/// bytes, big-endian; the data.
#[napi]
pub struct CallEngine {
    spec: Arc<rhizome_primitives::spec::ChainSpec>,
    store: Arc<rhizome_store::StateStore>,
    context: Option<StateContext>,
    workspace: Workspace,
}

#[napi]
impl CallEngine {
    /// An engine without block context.
    #[napi(constructor, catch_unwind)]
    pub fn new(spec: &ChainSpec, store: &StateStore) -> Self {
        let (spec, store) = (Arc::clone(&spec.inner), Arc::clone(&store.inner));
        Self { spec, store, context: None, workspace: Workspace::default() }
    }

    /// Sets state and block of the calls that follow.
    #[napi(catch_unwind)]
    pub fn set_block_context(&mut self, root: crate::byte_array::Uint8Array, block: BlockEnvironment) -> Result<()> {
        let block = block.context_of(&self.spec, &self.store)?;
        self.context = Some(StateContext { root: bytes::hash("root", &root)?, block, stored: None });
        Ok(())
    }

    /// Sets a connected block and the state after it, as the store has them; false where it does not know them all.
    #[napi(catch_unwind, ts_args_type = "hash: Uint8Array")]
    pub fn set_block(&mut self, hash: BorrowedBytes) -> Result<bool> {
        let hash = bytes::hash("block hash", &hash)?;
        let edited = self.store.edited_root(&hash);
        let is_set = |context: &StateContext| match context.stored {
            Some((stored, root)) => stored == hash && edited.or(root) == Some(context.root),
            None => false,
        };
        if !self.context.as_ref().is_some_and(is_set) {
            self.context = self.store.recent_block(hash).and_then(|block| self.stored_context(&block, edited));
        }
        Ok(self.context.is_some())
    }

    /// Executes a call and returns its output as a hex string. Throws `Interrupted` when it was stopped.
    #[napi(
        catch_unwind,
        ts_args_type = "message: Uint8Array, flags?: Int32Array | undefined | null, overridden?: Array<CallOverride> | undefined | null",
        ts_return_type = "string | CallResult"
    )]
    pub fn call(
        &mut self,
        message: Borrowed<u8>,
        flags: Option<Borrowed<i32>>,
        overridden: Option<Vec<CallOverride>>,
    ) -> Result<CallAnswer> {
        let request = self.request(&message, flags.as_deref(), overridden.as_deref())?;
        let call = LocalCall {
            context: request.context,
            message: request.message,
            gas: request.gas,
            overrides: &request.overrides,
            interrupt: request.interrupt,
            effort: None,
        };
        let state = request.state;
        match fetching_ahead(&self.store, || call_in(&call, state.clone(), &mut self.workspace)) {
            Ok(outcome) if outcome.status == CallStatus::Success => Ok(CallAnswer::Hex(hex_string(&outcome.output))),
            Ok(outcome) => Ok(CallAnswer::Failed(call_result(outcome))),
            Err(TransactionError::Invalid(reason)) => Ok(CallAnswer::Failed(halted(reason.to_string()))),
            Err(TransactionError::Execution(failure)) => Err(execution_error(failure)),
        }
    }

    /// The gas limit with which a transaction succeeds when it is sent, found by executing it, as a hex string.
    #[napi(
        catch_unwind,
        ts_args_type = "message: Uint8Array, flags?: Int32Array | undefined | null, overridden?: Array<CallOverride> | undefined | null",
        ts_return_type = "string | CallResult"
    )]
    pub fn estimate_gas(
        &mut self,
        message: Borrowed<u8>,
        flags: Option<Borrowed<i32>>,
        overridden: Option<Vec<CallOverride>>,
    ) -> Result<CallAnswer> {
        let request = self.request(&message, flags.as_deref(), overridden.as_deref())?;
        let input = EstimateInput {
            context: request.context,
            message: request.message,
            cap: request.gas,
            overrides: &request.overrides,
            interrupt: request.interrupt,
            effort: None,
        };
        let state = request.state;
        match fetching_ahead(&self.store, || estimate_gas(&input, state.clone())) {
            Ok(gas) => Ok(CallAnswer::Hex(format!("{gas:#x}").into_bytes())),
            Err(EstimateError::Revert(data)) => Ok(CallAnswer::Failed(CallResult {
                end: CallEnd::Revert,
                output: data.to_vec().into(),
                gas: 0u64.into(),
                reason: None,
            })),
            Err(EstimateError::Execution(failure)) => Err(execution_error(failure)),
            Err(failure @ EstimateError::Funds { .. }) => {
                Ok(CallAnswer::Failed(CallResult { end: CallEnd::Funds, ..halted(failure.to_string()) }))
            }
            Err(failure) => Ok(CallAnswer::Failed(halted(failure.to_string()))),
        }
    }

    fn stored_context(&self, block: &AncestorBlock, edited: Option<B256>) -> Option<StateContext> {
        let (root, env) = (edited.or(block.state_root)?, block.env()?);
        let ancestry = self.store.ancestry(env.parent_hash);
        let stored = Some((block.hash, block.state_root));
        Some(StateContext { root, block: BlockContext::new(Arc::clone(&self.spec), env, ancestry), stored })
    }

    fn request(&self, message: &[u8], flags: Option<&[i32]>, overridden: Option<&[CallOverride]>) -> Result<Request> {
        let context = self.context.as_ref().ok_or_else(|| invalid("a call before its block context"))?;
        let state = self.store.reader(context.root).map_err(state)?;
        let Packed { message, gas, slot } = Packed::read(message)?;
        let overrides = overrides(overridden.unwrap_or_default())?;
        let interrupt = flags.map(|flags| interrupt_word(flags, slot)).transpose()?;
        Ok(Request { context: context.block.clone(), state, message, gas, overrides, interrupt })
    }
}

/// Members that calls and estimates have in common.
struct Request {
    context: BlockContext,
    state: Arc<dyn StateReader>,
    message: Message,
    /// Gas limit of a call, cap of an estimate.
    gas: u64,
    overrides: Vec<AccountOverride>,
    interrupt: Option<Interrupt>,
}

struct Packed {
    message: Message,
    gas: u64,
    slot: u32,
}

impl Packed {
    fn read(packed: &[u8]) -> Result<Self> {
        let Some((head, rest)) = packed.split_first_chunk::<HEAD>() else {
            return Err(invalid("a message is shorter than its head"));
        };
        let number = |at: usize, size: usize| {
            head[at..at + size].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let data = rest.get(..number(0, 4) as usize).ok_or_else(|| invalid("a message is shorter than its data"))?;
        Ok(Self {
            message: Message {
                from: (head[4] & 1 != 0).then(|| Address::from_slice(&head[16..36])),
                to: (head[4] & 2 != 0).then(|| Address::from_slice(&head[36..56])),
                gas_price: U256::from_be_slice(&head[56..88]),
                value: U256::from_be_slice(&head[88..120]),
                data: Bytes::copy_from_slice(data),
            },
            gas: number(8, 8),
            slot: number(6, 2) as u32,
        })
    }
}

fn hex_string(bytes: &[u8]) -> Vec<u8> {
    hex::encode_prefixed(bytes).into_bytes()
}
