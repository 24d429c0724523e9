//! Runs a transaction: a precompiled contract, code, or nothing.

use revm_interpreter::CallInput;
use revm_interpreter::interpreter::InputsImpl;
use rhizome_contracts::Precompile;
use rhizome_primitives::contract::CallType;
use rhizome_primitives::{Address, Bytes, U256};

use super::input::Transaction;
use crate::code::initcode_entry;
use crate::error::{Failure, Halt, HaltKind, TransactionError};
use crate::frames::{CallMetadata, Evm, FrameResult, NewFrame, check_code, contract_context, created_address, failure};
use crate::internal_transaction::FrameTransaction;
use crate::journal::{Checkpoint, FrameState};
use crate::trace::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector, Target};

/// The result of a run, before refunds.
pub(super) struct Run {
    /// Gas left; negative only before RSKIP136.
    pub(super) leftover: i64,
    /// Gas whose half limits the refund.
    pub(super) spent: u64,
    /// Refund counter of the top frame.
    pub(super) refund: i64,
    pub(super) output: Bytes,
    pub(super) created: Option<Address>,
    pub(super) failure: Option<Failure>,
    /// True when the whole gas limit is charged, whatever was left.
    pub(super) threw: bool,
}

impl Run {
    fn succeeded(leftover: i64, spent: u64) -> Self {
        Self { leftover, spent, refund: 0, output: Bytes::new(), created: None, failure: None, threw: false }
    }

    fn halted(halt: Halt) -> Self {
        Self { failure: Some(Failure::Halt(halt)), threw: true, ..Self::succeeded(0, 0) }
    }
}

impl Evm {
    pub(super) fn run_call<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        to: Address,
        intrinsic: u64,
        inspector: &mut I,
    ) -> Result<Run, TransactionError> {
        let word = U256::from_be_slice(to.as_slice());
        if let Some(precompile) = Precompile::lookup(word, self.host.rules.set) {
            self.check_effort(precompile)?;
            return self.run_precompile(transaction, precompile, intrinsic, inspector);
        }
        let checkpoint = self.host.journal.checkpoint();
        let Some(code) = self.host.journal.code(to.into())? else {
            let leftover = gas_after(transaction, intrinsic)?;
            self.host.journal.transfer(transaction.sender, to.into(), transaction.value)?;
            if I::FRAMES {
                let input = transaction.data.clone();
                inspector.enter(
                    &entry(transaction, FrameKind::Call, Target::NoCode, to, leftover as u64, input),
                    &mut self.host.journal,
                )?;
                inspector.exit(
                    &FrameExit { gas_used: 0, output: Bytes::new(), status: FrameStatus::Success },
                    &mut self.host.journal,
                )?;
            }
            return Ok(Run::succeeded(leftover, intrinsic));
        };
        self.assert_runs_programs()?;
        self.host.journal.transfer(transaction.sender, to.into(), transaction.value)?;
        let Some(gas) = transaction.gas_limit.checked_sub(intrinsic) else {
            self.host.journal.revert(checkpoint);
            return Ok(Run::halted(transaction_cost(intrinsic)));
        };
        if I::FRAMES {
            let input = transaction.data.clone();
            inspector
                .enter(&entry(transaction, FrameKind::Call, Target::Code, to, gas, input), &mut self.host.journal)?;
        }
        let result = self.run_top(
            NewFrame {
                entry: code.entry(),
                input: InputsImpl {
                    target_address: to,
                    bytecode_address: Some(to),
                    caller_address: transaction.sender.address(),
                    input: CallInput::Bytes(transaction.data.clone()),
                    call_value: transaction.value,
                    depth: 0,
                },
                is_static: false,
                gas,
                transaction: FrameTransaction::Known(transaction.hash),
            },
            inspector,
        )?;
        if I::FRAMES {
            inspector.exit(&exit(&result, gas), &mut self.host.journal)?;
        }
        self.conclude(transaction, result, checkpoint)
    }

    /// GASLIMIT is a word: where the header has more bytes the reference fails before a program runs.
    fn assert_runs_programs(&self) -> Result<(), TransactionError> {
        if self.host.context.block.runs_programs() {
            return Ok(());
        }
        Err(Self::internal("the gas limit of the block is longer than a word"))
    }

    pub(super) fn run_creation<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        intrinsic: u64,
        inspector: &mut I,
    ) -> Result<Run, TransactionError> {
        let address = created_address(transaction.sender.as_bytes(), transaction.nonce);
        let checkpoint = self.host.journal.checkpoint();
        let keep = self.host.rules.creation_keeps_balance && self.host.journal.exists(address.into())?;
        self.host.journal.create_account(address.into(), keep)?;
        if transaction.data.is_empty() {
            let leftover = gas_after(transaction, intrinsic)?;
            self.host.journal.transfer(transaction.sender, address.into(), transaction.value)?;
            return Ok(Run { created: Some(address), ..Run::succeeded(leftover, 0) });
        }
        self.assert_runs_programs()?;
        self.host.journal.set_contract(address.into())?;
        self.host.journal.transfer(transaction.sender, address.into(), transaction.value)?;
        let Some(gas) = transaction.gas_limit.checked_sub(intrinsic) else {
            self.host.journal.revert(checkpoint);
            return Ok(Run { created: Some(address), ..Run::halted(transaction_cost(intrinsic)) });
        };
        if I::FRAMES {
            let input = transaction.data.clone();
            inspector.enter(
                &entry(transaction, FrameKind::Create, Target::Code, address, gas, input),
                &mut self.host.journal,
            )?;
        }
        let mut result = self.run_top(
            NewFrame {
                entry: initcode_entry(&transaction.data),
                input: InputsImpl {
                    target_address: address,
                    bytecode_address: None,
                    caller_address: transaction.sender.address(),
                    input: CallInput::default(),
                    call_value: transaction.value,
                    depth: 0,
                },
                is_static: false,
                gas,
                transaction: FrameTransaction::Known(transaction.hash),
            },
            inspector,
        )?;
        if result.status == FrameStatus::Success {
            match check_code(&self.host.rules, &result.output, result.gas_left) {
                Ok(deposit) => {
                    result.gas_left -= deposit;
                    self.host.journal.save_code(address.into(), result.output.clone())?;
                }
                Err(kind) => result = FrameResult::halt(crate::frames::plain_halt(kind)),
            }
        }
        if I::FRAMES {
            inspector.exit(&exit(&result, gas), &mut self.host.journal)?;
        }
        let run = self.conclude(transaction, result, checkpoint)?;
        Ok(Run { created: Some(address), ..run })
    }

    /// From the top frame to the end of the run. A failure undoes everything but the nonce and the purchase of gas.
    fn conclude(
        &mut self,
        transaction: &Transaction,
        result: FrameResult,
        checkpoint: Checkpoint,
    ) -> Result<Run, TransactionError> {
        if result.status != FrameStatus::Success {
            self.host.journal.revert(checkpoint);
        }
        let leftover = result.gas_left as i64;
        let spent = transaction.gas_limit - result.gas_left;
        match result.status {
            FrameStatus::Success => {
                Ok(Run { refund: result.refund, output: result.output, ..Run::succeeded(leftover, spent) })
            }
            FrameStatus::Revert => Ok(Run {
                output: result.output.clone(),
                failure: Some(Failure::Revert(result.output)),
                ..Run::succeeded(leftover, spent)
            }),
            // The reference fails while it writes the receipt; a local call has none (evm.md §8 row 5).
            FrameStatus::Halt(halt) if halt.kind.has_no_message() && !self.host.transaction.local_call => {
                Err(Self::internal(halt.message()))
            }
            FrameStatus::Halt(halt) => Ok(Run::halted(halt)),
        }
    }

    fn run_precompile<I: Inspector>(
        &mut self,
        transaction: &Transaction,
        precompile: Precompile,
        intrinsic: u64,
        inspector: &mut I,
    ) -> Result<Run, TransactionError> {
        let host = &mut self.host;
        host.record_banned(precompile);
        let address = precompile.address();
        let data = (!transaction.data.is_empty()).then_some(transaction.data.as_ref());
        let metadata = CallMetadata {
            transaction_hash: transaction.hash,
            origin_hash: transaction.hash,
            sender: transaction.sender.address(),
            from_contract: false,
            call_type: CallType::Call,
            is_static: false,
            value: transaction.value,
            depth: 1,
        };
        let with_intrinsic = host.rules.precompile_gas_with_intrinsic;
        let local = host.transaction.local_call;
        let (context, journal, transfers) = contract_context(host, metadata);
        let mut state = FrameState { journal, transfers };
        let price = precompile.gas(&context, &mut state, data).map_err(failure_without_price)?;
        let used = price.saturating_add(intrinsic).min(i64::MAX as u64);
        let needed = if with_intrinsic { used } else { price };
        if !local && transaction.gas_limit < needed {
            if precompile == Precompile::Bridge {
                // The Bridge's writes during pricing are kept.
                rhizome_bridge::refuse(&context, &mut state, data).map_err(failure_without_price)?;
            }
            return Ok(Run {
                failure: Some(Failure::PrecompileGas { address, required: price }),
                ..Run::succeeded(0, 0)
            });
        }
        let leftover = transaction.gas_limit as i64 - used as i64;
        if leftover < 0 && with_intrinsic {
            return Err(Self::internal("gas below the price of the contract called: out of gas"));
        }
        if I::FRAMES {
            let input = transaction.data.clone();
            let entry = entry(transaction, FrameKind::Call, Target::Precompile, address, price, input);
            inspector.enter(&entry, state.journal)?;
        }
        let outcome = precompile.run(&context, &mut state, data);
        // Transfers of a call that throws are not reported, although they are kept (evm.md §6.3).
        let reported = I::FRAMES && outcome.is_ok();
        for transfer in host.transfers.drain(..) {
            if reported {
                inspector.transfer(&transfer);
            }
        }
        let run = match outcome {
            Ok(output) => {
                if !host.journal.exists(address.into())? {
                    host.journal.create_account(address.into(), false)?;
                    host.journal.set_contract(address.into())?;
                } else if !host.journal.is_contract(address.into())? {
                    host.journal.set_contract(address.into())?;
                }
                host.journal.transfer(transaction.sender, address.into(), transaction.value)?;
                Run { output: output.unwrap_or_default(), ..Run::succeeded(leftover, used) }
            }
            Err(error) => {
                let text = failure(error)?;
                Run { failure: Some(Failure::Precompile(text)), threw: true, ..Run::succeeded(leftover, used) }
            }
        };
        if I::FRAMES {
            let status = match &run.failure {
                Some(Failure::Precompile(text)) => {
                    FrameStatus::Halt(Halt { kind: HaltKind::Precompile, text: text.clone() })
                }
                _ => FrameStatus::Success,
            };
            inspector.exit(&FrameExit { gas_used: price, output: run.output.clone(), status }, &mut host.journal)?;
        }
        Ok(run)
    }
}

/// A failure to price a contract that the transaction calls makes the transaction invalid.
fn failure_without_price(error: rhizome_primitives::contract::ContractError) -> TransactionError {
    match failure(error) {
        Ok(text) => Evm::internal(Halt { kind: HaltKind::Precompile, text }.message()),
        Err(error) => error.into(),
    }
}

/// Gas left where nothing runs. The reference fails when a local call has less gas than the intrinsic gas.
fn gas_after(transaction: &Transaction, intrinsic: u64) -> Result<i64, TransactionError> {
    match transaction.gas_limit.checked_sub(intrinsic) {
        Some(left) => Ok(left as i64),
        None => Err(Evm::internal("gas below the intrinsic gas: intrinsic gas too low")),
    }
}

fn transaction_cost(intrinsic: u64) -> Halt {
    let text = format!("Not enough gas for 'TRANSACTION COST' cause spending: gas[{intrinsic}]");
    Halt { kind: HaltKind::OutOfGas, text }
}

fn exit(result: &FrameResult, gas: u64) -> FrameExit {
    FrameExit { gas_used: gas - result.gas_left, output: result.output.clone(), status: result.status.clone() }
}

fn entry(
    transaction: &Transaction,
    kind: FrameKind,
    target: Target,
    to: Address,
    gas: u64,
    input: Bytes,
) -> FrameEntry {
    FrameEntry {
        kind,
        target,
        depth: 0,
        from: transaction.sender.address(),
        to,
        code_address: to,
        value: transaction.value,
        gas,
        input,
    }
}
