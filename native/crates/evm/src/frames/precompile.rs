//! Calls of precompiled contracts by contracts (evm.md §4.1).

use revm_bytecode::opcode::{CALLCODE, DELEGATECALL, STATICCALL};
use rhizome_contracts::Precompile;
use rhizome_primitives::contract::{CallType, ContractContext, ContractError};
use rhizome_primitives::{Address, B256, Bytes, U256};

use super::call::copy_memory;
use super::{Evm, FrameResult, exit_of, halt};
use crate::error::{ExecutionError, Halt, HaltKind};
use crate::host::{CallRequest, EvmHost};
use crate::instructions::call::keeps_account;
use crate::instructions::memory::grow;
use crate::internal_transaction::InternalTransaction;
use crate::journal::{FrameState, Journal, Transfer};
use crate::trace::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector, Target};

/// Metadata of the caller for a precompiled contract.
#[derive(Clone, Copy)]
pub(crate) struct CallMetadata {
    pub(crate) transaction_hash: B256,
    pub(crate) origin_hash: B256,
    pub(crate) sender: Address,
    pub(crate) from_contract: bool,
    pub(crate) call_type: CallType,
    pub(crate) is_static: bool,
    pub(crate) value: U256,
    /// Depth of the calling frame plus one.
    pub(crate) depth: u32,
}

/// Splits the host into the part that a precompiled contract reads and the part that it changes.
pub(crate) fn contract_context(
    host: &mut EvmHost,
    metadata: CallMetadata,
) -> (ContractContext<'_>, &mut Journal, &mut Vec<Transfer>) {
    let context = ContractContext {
        spec: &host.context.spec,
        rules: host.rules.set,
        block: &host.context.block,
        ancestry: &*host.context.ancestry,
        transaction_hash: metadata.transaction_hash,
        origin_hash: metadata.origin_hash,
        sender: metadata.sender,
        origin: host.transaction.origin,
        signature: host.transaction.signature.filter(|_| !metadata.from_contract),
        from_contract: metadata.from_contract,
        call_type: metadata.call_type,
        is_static: metadata.is_static,
        value: metadata.value,
        call_depth: metadata.depth,
        local_call: host.transaction.local_call,
        remasc_transaction: host.transaction.remasc,
        // An internal transaction has no signature, so only the outer one can be free.
        free_transaction: host.transaction.free && !metadata.from_contract,
    };
    (context, &mut host.journal, &mut host.transfers)
}

/// Contracts that use the internal transaction (evm.md §4.1 step 5).
fn sees_transaction(precompile: Precompile) -> bool {
    matches!(
        precompile,
        Precompile::Bridge
            | Precompile::Remasc
            | Precompile::HdWalletUtils
            | Precompile::BlockHeader
            | Precompile::Environment
    )
}

/// Before RSKIP150 output is written at an offset that nobody paid for; beyond this limit the reference's array index
/// overflows or its memory ends.
const UNPAID_OFFSET_LIMIT: usize = 1 << 30;

/// The outcome of a call of a precompiled contract.
enum Outcome {
    /// Output, and the price.
    Done(Option<Bytes>, u64),
    /// The price exceeds the gas given.
    PriceExceedsGas,
    /// It threw after its price was known.
    Threw(String, u64),
    /// The price could not be computed.
    NoPrice(String),
}

impl EvmHost {
    /// Records a call that parallel sublists must not make (RSKIP144).
    pub(crate) fn record_banned(&mut self, precompile: Precompile) {
        if self.constructors == 0 && matches!(precompile, Precompile::Bridge | Precompile::Remasc) {
            self.banned = Some(precompile.address());
        }
    }
}

impl Evm {
    pub(super) fn call_precompile<I: Inspector>(
        &mut self,
        precompile: Precompile,
        request: &CallRequest,
        inspector: &mut I,
    ) -> Result<Option<FrameResult>, ExecutionError> {
        let Self { host, frames, .. } = self;
        let machine = &mut frames.last_mut().expect("a frame is calling").machine;
        let sender = machine.input.target_address;
        let context_address = if keeps_account(request.opcode) { sender } else { request.address };
        let checkpoint = host.journal.checkpoint();
        if !host.journal.balance(sender.into())?.covers(request.value) {
            self.refuse(request, true);
            return Ok(None);
        }
        let (offset, mut size) = request.input;
        if host.rules.precompile_input_cut {
            size = precompile.max_input(host.rules.set).map_or(size, |limit| size.min(limit));
        }
        if size > 0 {
            grow(machine, offset + size);
        }
        host.journal.transfer(sender.into(), context_address.into(), request.value)?;
        if !host.journal.is_contract(request.address.into())? {
            host.journal.set_contract(request.address.into())?;
        }
        let depth = machine.input.depth;
        let internal = match sees_transaction(precompile) {
            true => Some(host.record_precompile_call(sender, context_address, request.value, depth)?),
            false => None,
        };
        if precompile == Precompile::Bridge && !host.rules.bridge_from_contracts {
            return Ok(Some(FrameResult::halt(halt::plain(HaltKind::BridgeBeforeRskip88))));
        }
        if I::FRAMES {
            inspector.enter(
                &FrameEntry {
                    kind: FrameKind::of_call(request.opcode),
                    target: Target::Precompile,
                    depth: depth + 1,
                    from: sender,
                    to: context_address,
                    code_address: request.address,
                    value: request.value,
                    gas: request.gas,
                    input: copy_memory(machine, (offset, size)),
                },
                &mut host.journal,
            )?;
        }
        let metadata = CallMetadata {
            transaction_hash: B256::ZERO,
            origin_hash: B256::ZERO,
            sender,
            from_contract: true,
            call_type: match request.opcode {
                CALLCODE => CallType::CallCode,
                DELEGATECALL => CallType::DelegateCall,
                STATICCALL => CallType::StaticCall,
                _ => CallType::Call,
            },
            is_static: machine.runtime_flag.is_static,
            value: request.value,
            depth: depth as u32 + 1,
        };
        // The call data are not copied, because a call that cannot pay must not cost that time.
        let outcome = {
            let input = machine.memory.slice_len(offset, size);
            run(host, precompile, metadata, internal, &input, request.gas)?
        };
        for transfer in host.transfers.drain(..) {
            if I::FRAMES {
                inspector.transfer(&transfer);
            }
        }

        let halted = |text: String, host: &mut EvmHost, inspector: &mut I| {
            let result = FrameResult::halt(threw(text));
            if I::FRAMES {
                inspector.exit(&exit_of(&result, request.gas), &mut host.journal)?;
            }
            Ok(Some(result))
        };
        let (used, output, status) = match outcome {
            Outcome::PriceExceedsGas => {
                host.journal.revert_state(checkpoint);
                let _ = machine.stack.push(U256::ZERO);
                if host.rules.clear_return_data {
                    machine.return_data.0 = Bytes::new();
                }
                (request.gas, Bytes::new(), FrameStatus::Halt(price_exceeds_gas(precompile)))
            }
            Outcome::NoPrice(text) => return halted(text, host, inspector),
            Outcome::Threw(text, _) if !host.rules.precompile_failure_caught => {
                return halted(text, host, inspector);
            }
            Outcome::Done(Some(output), price) if host.rules.precompile_failure_caught => {
                let copied = request.output.1.min(output.len());
                machine.memory.set(request.output.0, &output[..copied]);
                let _ = machine.stack.push(U256::ONE);
                machine.return_data.0 = output.clone();
                (price, output, FrameStatus::Success)
            }
            Outcome::Done(output, price) if !host.rules.precompile_failure_caught => {
                if host.rules.precompile_code_size {
                    machine.return_data.0 = output.clone().unwrap_or_default();
                }
                match &output {
                    None if host.rules.precompile_output_cut => {}
                    None => return halted("null output".into(), host, inspector),
                    Some(bytes) if host.rules.precompile_output_cut => {
                        let copied = request.output.1.min(bytes.len());
                        machine.memory.set(request.output.0, &bytes[..copied]);
                    }
                    Some(bytes) => {
                        // The whole output is written, including the part beyond the paid range.
                        let offset = request.raw_output_offset as usize;
                        if offset > UNPAID_OFFSET_LIMIT {
                            return halted("output offset out of range".into(), host, inspector);
                        }
                        if !bytes.is_empty() {
                            grow(machine, offset + bytes.len());
                        }
                        machine.memory.set(offset, bytes);
                    }
                }
                let _ = machine.stack.push(U256::ONE);
                (price, output.unwrap_or_default(), FrameStatus::Success)
            }
            Outcome::Done(_, price) | Outcome::Threw(_, price) => {
                host.journal.revert_state(checkpoint);
                let _ = machine.stack.push(U256::ZERO);
                machine.return_data.0 = Bytes::new();
                (price, Bytes::new(), FrameStatus::Halt(threw(format!("{precompile:?} failed"))))
            }
        };
        machine.gas.erase_cost(request.gas - used);
        if I::FRAMES {
            inspector.exit(&FrameExit { gas_used: used, output, status }, &mut host.journal)?;
        }
        Ok(None)
    }
}

impl EvmHost {
    /// Records the internal transaction of a call.
    fn record_precompile_call(
        &mut self,
        sender: Address,
        receiver: Address,
        value: U256,
        depth: usize,
    ) -> Result<InternalTransaction, ExecutionError> {
        let nonce = self.journal.nonce(sender.into())?;
        let frame = self.frames.last_mut().expect("a frame is calling");
        let index = frame.internal_count;
        frame.internal_count += 1;
        Ok(InternalTransaction {
            nonce,
            sender,
            receiver: Some(receiver),
            value,
            data: Bytes::new(),
            note: "call",
            depth,
            index,
        })
    }

    /// Hash of the internal transaction of a paid call. Computing it takes the hashes of the transactions of all frames
    /// above, and of the code that runs there, so it is computed only for the contract that uses it.
    fn precompile_call_hash(&mut self, internal: &InternalTransaction) -> B256 {
        let parent = self.transaction_hash(internal.depth);
        internal.hash(parent, self.transaction.gas_price, self.context.block.gas_limit)
    }
}

/// Prices and runs the contract.
fn run(
    host: &mut EvmHost,
    precompile: Precompile,
    metadata: CallMetadata,
    internal: Option<InternalTransaction>,
    input: &[u8],
    gas: u64,
) -> Result<Outcome, ExecutionError> {
    if gas < precompile.least_gas(host.rules.set, input) {
        return Ok(Outcome::PriceExceedsGas);
    }
    let price = {
        let (context, journal, transfers) = contract_context(host, metadata);
        let mut state = FrameState { journal, transfers };
        match precompile.gas(&context, &mut state, Some(input)) {
            Ok(price) => price,
            Err(error) => return failure(error).map(Outcome::NoPrice),
        }
    };
    if price > gas {
        return Ok(Outcome::PriceExceedsGas);
    }
    let metadata = match &internal {
        Some(internal) if precompile.uses_transaction_hash() => {
            let transaction_hash = host.precompile_call_hash(internal);
            CallMetadata { transaction_hash, origin_hash: host.transaction_hash(0), ..metadata }
        }
        _ => metadata,
    };
    let (context, journal, transfers) = contract_context(host, metadata);
    let mut state = FrameState { journal, transfers };
    match precompile.run(&context, &mut state, Some(input)) {
        Ok(output) => Ok(Outcome::Done(output, price)),
        Err(error) => failure(error).map(|text| Outcome::Threw(text, price)),
    }
}

/// The message of a contract that threw; any other error ends the execution.
pub(crate) fn failure(error: ContractError) -> Result<String, ExecutionError> {
    match error {
        ContractError::Failed(text) => Ok(text),
        ContractError::State(error) => Err(error.into()),
        ContractError::Interrupted => Err(ExecutionError::Interrupted),
    }
}

fn threw(text: String) -> Halt {
    Halt { kind: HaltKind::Precompile, text }
}

fn price_exceeds_gas(precompile: Precompile) -> Halt {
    Halt { kind: HaltKind::OutOfGas, text: format!("the gas does not cover the price of {precompile:?}") }
}
