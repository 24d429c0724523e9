//! eth_call: no checks, no purchase of gas, nothing kept (evm.md §3.3, §3.10).

use std::sync::Arc;

use rhizome_primitives::contract::Log;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, Bytes};

use super::{AccountOverride, Message};
use crate::error::{Failure, Halt, TransactionError};
use crate::frames::{Evm, Workspace};
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::trace::{Inspector, NoInspector};
use crate::transaction::{Mode, Position, Transaction, TransactionOutcome};

/// A call to execute on a state.
#[derive(Clone)]
pub struct LocalCall<'a> {
    /// Network, and the block whose number, time, miner and rules the call sees.
    pub context: BlockContext,
    /// Message of the call.
    pub message: Message,
    /// Gas, intrinsic gas included. The caller applies its cap.
    pub gas: u64,
    /// Overrides of the state.
    pub overrides: &'a [AccountOverride],
    /// Stops the call soon after it is raised.
    pub interrupt: Option<Interrupt>,
    /// See [`Evm::set_effort`]; a call with this limit is so short that it needs no interrupt.
    pub effort: Option<u64>,
}

/// Outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallStatus {
    /// It succeeded.
    Success,
    /// REVERT; the output holds its data.
    Revert,
    /// Exceptional halt, or a precompiled contract that threw.
    Halt(Halt),
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub struct CallOutcome {
    /// Outcome.
    pub status: CallStatus,
    /// RETURN or REVERT data, or the code of the contract that would be created.
    pub output: Bytes,
    /// Gas used, refund deducted.
    pub gas_used: u64,
    /// Gas refunded.
    pub refund: u64,
    /// Logs in order; none after a failure.
    pub logs: Vec<Log>,
    /// Address of the contract that would be created.
    pub contract_address: Option<Address>,
}

/// Executes a call.
///
/// # Errors
/// [`TransactionError::Invalid`] where the reference fails inside: gas below the intrinsic gas of a
/// call that runs no code, or a precompiled contract without a price.
pub fn call(call: &LocalCall<'_>, state: Arc<dyn StateReader>) -> Result<CallOutcome, TransactionError> {
    call_watched(call, state, &mut NoInspector)
}

/// Executes a call with memory that the next one reuses.
///
/// # Errors
/// As [`call`].
pub fn call_in(
    call: &LocalCall<'_>,
    state: Arc<dyn StateReader>,
    workspace: &mut Workspace,
) -> Result<CallOutcome, TransactionError> {
    let (mut evm, transaction) = prepare(call, state, std::mem::take(workspace))?;
    let outcome = execute(&mut evm, &transaction, &mut NoInspector)?;
    *workspace = evm.into_workspace();
    Ok(outcome.into())
}

/// Executes a call with an inspector.
///
/// # Errors
/// As [`call`].
pub fn call_watched<I: Inspector>(
    call: &LocalCall<'_>,
    state: Arc<dyn StateReader>,
    inspector: &mut I,
) -> Result<CallOutcome, TransactionError> {
    let (mut evm, transaction) = prepare(call, state, Workspace::default())?;
    execute(&mut evm, &transaction, inspector).map(CallOutcome::from)
}

/// The engine on the state with the overrides, and the call as a transaction.
pub(crate) fn prepare(
    call: &LocalCall<'_>,
    state: Arc<dyn StateReader>,
    workspace: Workspace,
) -> Result<(Evm, Transaction), TransactionError> {
    let mut journal = Journal::new(state);
    for account in call.overrides {
        account.apply(&mut journal)?;
    }
    let nonce = journal.nonce(call.message.sender())?;
    let mut evm = Evm::with_workspace(call.context.clone(), journal, workspace);
    if let Some(flag) = &call.interrupt {
        evm.set_interrupt(flag.clone());
    }
    if let Some(effort) = call.effort {
        evm.set_effort(effort);
    }
    Ok((evm, call.message.transaction(nonce, call.gas, false)))
}

/// Runs the engine and transaction from [`prepare`].
pub(crate) fn execute<I: Inspector>(
    evm: &mut Evm,
    transaction: &Transaction,
    inspector: &mut I,
) -> Result<TransactionOutcome, TransactionError> {
    let position = Position { index: 0, gas_used: 0, gas_limit: evm.host.context.block.gas_limit };
    evm.execute(transaction, position, Mode::Local, inspector)
}

impl From<TransactionOutcome> for CallOutcome {
    fn from(outcome: TransactionOutcome) -> Self {
        Self {
            status: outcome.failure.map_or(CallStatus::Success, CallStatus::from),
            output: outcome.output,
            gas_used: outcome.gas_used,
            refund: outcome.refund,
            logs: outcome.logs,
            contract_address: outcome.contract_address,
        }
    }
}

impl From<Failure> for CallStatus {
    fn from(failure: Failure) -> Self {
        failure.into_halt().map_or(Self::Revert, Self::Halt)
    }
}
