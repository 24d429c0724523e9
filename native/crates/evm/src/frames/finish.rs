//! The end of a frame: undo, code checks, and the result for the frame below (evm.md §2.3 step 15, §2.4 steps 10 to
//! 12).

use rhizome_primitives::{Address, Bytes, U256};

use super::{Evm, Frame, FrameResult, Purpose, exit_of, halt};
use crate::error::{ExecutionError, HaltKind};
use crate::rules::{CODE_DEPOSIT_GAS, MAX_CODE_SIZE, VmRules};
use crate::trace::{FrameExit, FrameStatus, Inspector};

impl Evm {
    /// Removes the ended frame from the stack. Returns its result if it was the last one.
    pub(super) fn finish<I: Inspector>(
        &mut self,
        result: FrameResult,
        inspector: &mut I,
    ) -> Result<Option<FrameResult>, ExecutionError> {
        let Some(Frame { machine, checkpoint, purpose }) = self.frames.pop() else { return Ok(Some(result)) };
        let gas = machine.gas.limit();
        self.spare.push(machine);
        let env = self.host.frames.pop();
        if result.status != FrameStatus::Success {
            self.host.journal.revert(checkpoint);
        }
        match purpose {
            Purpose::Top => return Ok(Some(result)),
            Purpose::Call(offset, size) => {
                if let (Some(below), Some(env)) = (self.host.frames.last_mut(), env) {
                    below.internal_count += env.internal_count;
                }
                if I::FRAMES {
                    inspector.exit(&exit_of(&result, gas), &mut self.host.journal)?;
                }
                self.return_from_call(result, offset, size);
            }
            Purpose::Create(address) => {
                self.host.constructors -= 1;
                let exit = self.return_from_create(result, address, checkpoint, gas)?;
                if I::FRAMES {
                    inspector.exit(&exit, &mut self.host.journal)?;
                }
            }
        }
        Ok(None)
    }

    fn return_from_call(&mut self, result: FrameResult, offset: usize, size: usize) {
        let machine = self.top();
        machine.memory.free_child_context();
        match result.status {
            FrameStatus::Halt(_) => {
                let _ = machine.stack.push(U256::ZERO);
                return;
            }
            FrameStatus::Revert => {
                let _ = machine.stack.push(U256::ZERO);
            }
            FrameStatus::Success => {
                machine.gas.record_refund(result.refund);
                let _ = machine.stack.push(U256::ONE);
            }
        }
        machine.gas.erase_cost(result.gas_left);
        let copied = size.min(result.output.len());
        machine.memory.set(offset, &result.output[..copied]);
        machine.return_data.0 = result.output;
    }

    /// Refunds of constructors are lost; the return data stays empty, also after a revert.
    fn return_from_create(
        &mut self,
        mut result: FrameResult,
        address: Address,
        checkpoint: crate::journal::Checkpoint,
        gas: u64,
    ) -> Result<FrameExit, ExecutionError> {
        let mut created = result.status == FrameStatus::Success;
        if created {
            let code = std::mem::take(&mut result.output);
            match check_code(&self.host.rules, &code, result.gas_left) {
                Ok(deposit) => {
                    result.gas_left -= deposit;
                    result.output = code.clone();
                    self.host.journal.save_code(address.into(), code)?;
                }
                Err(kind) => {
                    if self.host.rules.failed_deposit_undoes {
                        self.host.journal.revert(checkpoint);
                        created = false;
                        result.gas_left = 0;
                    }
                    result.status = FrameStatus::Halt(halt::plain(kind));
                }
            }
        }
        let machine = self.top();
        machine.memory.free_child_context();
        machine.gas.erase_cost(result.gas_left);
        let pushed = if created { U256::from_be_slice(address.as_slice()) } else { U256::ZERO };
        let _ = machine.stack.push(pushed);
        machine.return_data.0 = Bytes::new();
        Ok(exit_of(&result, gas))
    }
}

/// Price of storing code, or why it cannot be stored. Only traces show the order of the checks.
pub(crate) fn check_code(rules: &VmRules, code: &[u8], gas_left: u64) -> Result<u64, HaltKind> {
    let deposit = CODE_DEPOSIT_GAS * code.len() as u64;
    if rules.no_ef_code && code.first() == Some(&0xef) {
        Err(HaltKind::CodePrefix)
    } else if gas_left < deposit {
        Err(HaltKind::CodeDeposit)
    } else if code.len() > MAX_CODE_SIZE {
        Err(HaltKind::CodeTooLong)
    } else {
        Ok(deposit)
    }
}
