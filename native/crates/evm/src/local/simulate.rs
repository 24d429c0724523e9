//! Calls after one another, over several blocks that are never made (eth_simulateV1).

use std::sync::Arc;

use rhizome_primitives::U256;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateReader;

use super::{AccountOverride, CallOutcome, Message};
use crate::error::{ExecutionError, TransactionError};
use crate::frames::Evm;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::trace::NoInspector;
use crate::transaction::{FeePayment, Mode, Position};

/// A call of a simulated block.
#[derive(Clone, Debug)]
pub struct SimulatedCall {
    /// What is called.
    pub message: Message,
    /// Gas, intrinsic gas included.
    pub gas: u64,
    /// Nonce; None is the sender's next one.
    pub nonce: Option<U256>,
}

/// A block that is pretended.
#[derive(Clone)]
pub struct SimulatedBlock {
    /// Network, and what programs see of the block.
    pub context: BlockContext,
    /// Pretended changes before its calls.
    pub overrides: Vec<AccountOverride>,
    /// In order.
    pub calls: Vec<SimulatedCall>,
}

/// What came of a simulated call; the text of one that could be in no block.
pub type SimulatedOutcome = Result<CallOutcome, String>;

/// Executes the calls of blocks in order, each on the state that the one before left.
///
/// With `validate` a call is checked as a sent transaction is: nonce, funds, gas limit of the block. Without,
/// nothing is checked, as for eth_call.
///
/// # Errors
/// [`ExecutionError`] when the state cannot be read or the simulation was stopped.
pub fn simulate(
    blocks: Vec<SimulatedBlock>,
    validate: bool,
    state: Arc<dyn StateReader>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Vec<SimulatedOutcome>>, ExecutionError> {
    let mut journal = Journal::new(state);
    let mut outcomes = Vec::with_capacity(blocks.len());
    for block in blocks {
        for account in &block.overrides {
            account.apply(&mut journal)?;
        }
        let mut evm = Evm::new(block.context, journal);
        if let Some(flag) = interrupt {
            evm.set_interrupt(flag.clone());
        }
        let mut results = Vec::with_capacity(block.calls.len());
        let mut gas_used = 0;
        for (index, call) in block.calls.iter().enumerate() {
            let outcome = run(&mut evm, call, index as u32, gas_used, validate)?;
            if let Ok(outcome) = &outcome {
                gas_used += outcome.gas_used;
            }
            results.push(outcome);
        }
        outcomes.push(results);
        journal = evm.host.journal;
    }
    Ok(outcomes)
}

fn run(
    evm: &mut Evm,
    call: &SimulatedCall,
    index: u32,
    gas_used: u64,
    validate: bool,
) -> Result<SimulatedOutcome, ExecutionError> {
    let sender = call.message.sender();
    let nonce = match call.nonce {
        Some(nonce) => nonce,
        None => evm.host.journal.nonce(sender)?,
    };
    let transaction = call.message.transaction(nonce, call.gas, validate);
    let position = Position { index, gas_used, gas_limit: evm.host.context.block.gas_limit };
    let mode = if validate { Mode::Sent(FeePayment::AtOnce) } else { Mode::Local };
    match evm.execute(&transaction, position, mode, &mut NoInspector) {
        Ok(outcome) => {
            if !validate {
                // A transaction that is sent has done so itself.
                evm.host.journal.increase_nonce(sender)?;
                evm.host.journal.finish_transaction();
            }
            Ok(Ok(outcome.into()))
        }
        Err(TransactionError::Invalid(reason)) => Ok(Err(reason.to_string())),
        Err(TransactionError::Execution(failure)) => Err(failure),
    }
}
