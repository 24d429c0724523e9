//! Consecutive calls in several simulated blocks (eth_simulateV1).

use std::sync::Arc;

use rhizome_primitives::block::{AncestorBlock, Ancestry};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{B256, U256};

use super::transfers::{TransferRecorder, ValueTransfer};
use super::{AccountOverride, CallOutcome, Message};
use crate::error::{ExecutionError, InvalidTransaction, TransactionError};
use crate::frames::Evm;
use crate::gas;
use crate::host::BlockContext;
use crate::journal::Journal;
use crate::transaction::{FeePayment, Mode, Position, Transaction};

/// A call of a simulated block.
#[derive(Clone, Debug)]
pub struct SimulatedCall {
    /// The message.
    pub message: Message,
    /// Gas, intrinsic gas included.
    pub gas: u64,
    /// True when the gas is capped to what the block has left.
    pub cut: bool,
    /// Nonce; None means the sender's next one.
    pub nonce: Option<U256>,
}

/// A simulated block.
#[derive(Clone)]
pub struct SimulatedBlock {
    /// Network, and the block as programs see it. Its ancestry is that of the first block: hashes of simulated blocks
    /// are unknown until the blocks are complete, and read as zero.
    pub context: BlockContext,
    /// Overrides that apply before its calls.
    pub overrides: Vec<AccountOverride>,
    /// Calls in order.
    pub calls: Vec<SimulatedCall>,
}

/// The outcome of a simulated call.
#[derive(Clone, Debug)]
pub struct SimulatedOutcome {
    /// The result, or why the call could be in no block.
    pub result: Result<CallOutcome, InvalidTransaction>,
    /// Nonce that the call had.
    pub nonce: U256,
    /// Gas that the call had, intrinsic gas included.
    pub gas: u64,
    /// Payments of the call and of the calls below it, without those that were undone.
    pub transfers: Vec<ValueTransfer>,
}

/// Ancestors of a block that stands on `above` simulated blocks, which are unknown.
pub struct BelowOverridden {
    /// Ancestors of the lowest of them.
    pub below: Arc<dyn Ancestry>,
    /// Number of simulated blocks below.
    pub above: u64,
}

impl Ancestry for BelowOverridden {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        self.below.ancestor(depth.checked_sub(self.above)?)
    }

    fn ancestor_hash(&self, depth: u64) -> Option<B256> {
        self.below.ancestor_hash(depth.checked_sub(self.above)?)
    }

    fn failure(&self) -> Option<StateError> {
        self.below.failure()
    }
}

/// Executes the calls of blocks in order, each on the state after the previous one.
///
/// With `validate`, a call is checked as a sent transaction is. Without it, only calls that could never be executed are
/// refused: more value than the sender has, less gas than the intrinsic gas, more gas than the block has left.
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
    for (above, mut block) in blocks.into_iter().enumerate() {
        let below = Arc::clone(&block.context.ancestry);
        block.context.ancestry = Arc::new(BelowOverridden { below, above: above as u64 });
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
            if let Ok(outcome) = &outcome.result {
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
    let gas_limit = evm.host.context.block.usable_gas();
    let left = gas_limit.saturating_sub(gas_used);
    let gas = if call.cut { call.gas.min(left) } else { call.gas };
    let transaction = call.message.transaction(nonce, gas, validate);
    let position = Position { index, gas_used, gas_limit };
    let mode = if validate { Mode::Sent(FeePayment::AtOnce) } else { Mode::Local };
    let refused = |reason| Ok(SimulatedOutcome { result: Err(reason), nonce, gas, transfers: Vec::new() });
    if !validate && let Some(reason) = impossible(evm, &transaction, position)? {
        return refused(reason);
    }
    let mut recorder = TransferRecorder::default();
    match evm.execute(&transaction, position, mode, &mut recorder) {
        Ok(outcome) => {
            if !validate {
                // A transaction that is sent does so itself.
                evm.host.journal.increase_nonce(sender)?;
                evm.host.journal.finish_transaction();
            }
            let transfers = recorder.finish(&transaction, &outcome);
            Ok(SimulatedOutcome { result: Ok(outcome.into()), nonce, gas, transfers })
        }
        Err(TransactionError::Invalid(reason)) => refused(reason),
        Err(TransactionError::Execution(failure)) => Err(failure),
    }
}

/// Reason why a call cannot be executed even without checks.
fn impossible(
    evm: &mut Evm,
    transaction: &Transaction,
    position: Position,
) -> Result<Option<InvalidTransaction>, ExecutionError> {
    let Transaction { gas_limit, value, sender, .. } = *transaction;
    let left = position.gas_limit.saturating_sub(position.gas_used);
    if gas_limit > left {
        let (used, available) = (position.gas_used, position.gas_limit);
        return Ok(Some(InvalidTransaction::NoBlockGas { gas_limit, used, available }));
    }
    let host = &mut evm.host;
    let free = gas::is_free(&host.context.spec, &host.rules, transaction);
    let intrinsic = gas::intrinsic(&host.rules, transaction, free);
    if gas_limit < intrinsic {
        return Ok(Some(InvalidTransaction::IntrinsicGas { gas_limit, intrinsic }));
    }
    let balance = host.journal.balance(sender)?;
    Ok((!balance.covers(value)).then_some(InvalidTransaction::Funds { balance, required: value }))
}
