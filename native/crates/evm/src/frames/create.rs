//! Creations by contracts (evm.md §2.4 steps 3 to 9).

use revm_interpreter::interpreter::InputsImpl;
use rhizome_crypto::keccak256;
use rhizome_primitives::{Address, Bytes, U256, rlp};

use super::{Evm, FrameResult, NewFrame, Purpose, halt};
use crate::code::initcode_entry;
use crate::error::{ExecutionError, HaltKind};
use crate::host::CreateRequest;
use crate::internal_transaction::{FrameTransaction, InternalTransaction};
use crate::trace::{FrameEntry, FrameExit, FrameKind, FrameStatus, Inspector, Target};

impl Evm {
    /// Starts a creation; nothing runs when it is refused or the initcode is empty.
    pub(super) fn start_create<I: Inspector>(
        &mut self,
        request: CreateRequest,
        inspector: &mut I,
    ) -> Result<Option<FrameResult>, ExecutionError> {
        let host = &mut self.host;
        let machine = &mut self.frames.last_mut().expect("a frame is creating").machine;
        let depth = machine.input.depth;
        let creator = machine.input.target_address;
        if depth == host.rules.max_depth || !host.journal.balance(creator.into())?.covers(request.value) {
            let _ = machine.stack.push(U256::ZERO);
            return Ok(None);
        }
        let gas = machine.gas.remaining();
        machine.gas.set_remaining(0);
        let nonce = host.journal.nonce(creator.into())?;
        host.journal.increase_nonce(creator.into())?;
        let address = match request.salt {
            None => created_address(creator.as_slice(), nonce),
            Some(salt) => creator.create2(salt.to_be_bytes::<32>(), keccak256(&request.initcode)),
        };
        let guarded = host.rules.create_nonce_and_collision;
        // Read first: a block builder must see that a refusal depends on the transaction that deleted the account.
        let exists = host.journal.exists(address.into())?;
        if guarded && host.journal.deleted_in_block().contains(&address) {
            let _ = machine.stack.push(U256::ZERO);
            return Ok(None);
        }
        if exists {
            let taken =
                host.journal.code_length(address.into())? > 0 || host.journal.nonce(address.into())?.as_limbs()[0] != 0;
            if guarded && taken {
                let _ = machine.stack.push(U256::ZERO);
                return Ok(None);
            }
        }
        let checkpoint = host.journal.checkpoint();
        host.journal.create_account(address.into(), exists)?;
        host.journal.set_contract(address.into())?;
        if guarded {
            host.journal.increase_nonce(address.into())?;
        }
        host.journal.transfer(creator.into(), address.into(), request.value)?;
        let frame = host.frames.last_mut().expect("a frame is creating");
        let index = frame.internal_count;
        frame.internal_count += 1;
        machine.return_data.0 = Bytes::new();

        if request.initcode.is_empty() {
            host.journal.save_code(address.into(), Bytes::new())?;
            machine.gas.erase_cost(gas);
            let _ = machine.stack.push(U256::from_be_slice(address.as_slice()));
            return Ok(None);
        }
        if I::FRAMES {
            inspector.enter(
                &FrameEntry {
                    kind: if request.salt.is_some() { FrameKind::Create2 } else { FrameKind::Create },
                    target: Target::Code,
                    depth: depth + 1,
                    from: creator,
                    to: address,
                    code_address: address,
                    value: request.value,
                    gas,
                    input: request.initcode.clone(),
                },
                &mut host.journal,
            )?;
        }
        let frame = NewFrame {
            entry: initcode_entry(&request.initcode),
            input: InputsImpl {
                target_address: address,
                bytecode_address: None,
                caller_address: creator,
                input: revm_interpreter::CallInput::default(),
                call_value: request.value,
                depth: depth + 1,
            },
            is_static: false,
            gas,
            transaction: FrameTransaction::Internal(InternalTransaction {
                nonce,
                sender: creator,
                receiver: None,
                value: request.value,
                data: request.initcode,
                note: "create",
                depth,
                index,
            }),
        };
        let memory = machine.memory.new_child_context();
        if self.push(frame, memory, checkpoint, Purpose::Create(address)) {
            self.host.constructors += 1;
        } else {
            let machine = self.top();
            machine.memory.free_child_context();
            let _ = machine.stack.push(U256::ZERO);
            self.host.journal.revert(checkpoint);
            if I::FRAMES {
                let status = FrameStatus::Halt(halt::plain(HaltKind::HeaderBeyondCode));
                inspector.exit(&FrameExit { gas_used: gas, output: Bytes::new(), status }, &mut self.host.journal)?;
            }
        }
        Ok(None)
    }
}

/// Address of a contract that `creator` (the bytes that identify it) creates with `nonce`.
pub(crate) fn created_address(creator: &[u8], nonce: U256) -> Address {
    let mut payload = Vec::with_capacity(64);
    rlp::write_bytes(&mut payload, creator);
    rlp::write_uint(&mut payload, nonce);
    Address::from_word(keccak256(&rlp::list(&payload)))
}
