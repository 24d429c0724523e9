//! The journal as precompiled contracts see it.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::{ContractState, Log};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

use super::{Cell, Journal};

/// A payment made by a precompiled contract, for traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Payer.
    pub from: Address,
    /// Receiver.
    pub to: Address,
    /// Wei.
    pub amount: U256,
}

/// The state of the calling frame, as a precompiled contract may use it.
pub(crate) struct FrameState<'a> {
    pub(crate) journal: &'a mut Journal,
    pub(crate) transfers: &'a mut Vec<Transfer>,
}

impl ContractState for FrameState<'_> {
    fn exists(&mut self, address: Address) -> Result<bool, StateError> {
        self.journal.exists(address.into())
    }

    fn balance(&mut self, address: Address) -> Result<U256, StateError> {
        Ok(self.journal.balance(address.into())?.word())
    }

    fn transfer(&mut self, from: Address, to: AccountRef, amount: U256) -> Result<(), StateError> {
        self.journal.transfer(from.into(), to, amount)
    }

    fn code(&mut self, address: Address) -> Result<Bytes, StateError> {
        Ok(self.journal.code(address.into())?.map(|code| code.bytes.clone()).unwrap_or_default())
    }

    fn storage(&mut self, contract: Address, key: U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.journal.cell(contract.into(), key)?.stored())
    }

    fn set_storage(&mut self, contract: Address, key: U256, value: Bytes) -> Result<(), StateError> {
        self.journal.set_cell(contract.into(), key, Cell::from_stored(value))
    }

    fn log(&mut self, log: Log) {
        self.journal.log(log);
    }

    fn trace_transfer(&mut self, from: Address, to: Address, amount: U256) {
        self.transfers.push(Transfer { from, to, amount });
    }

    fn is_interruptible(&self) -> bool {
        self.journal.interrupt.is_some()
    }

    fn is_interrupted(&self) -> bool {
        self.journal.interrupt.as_ref().is_some_and(Interrupt::raised)
    }
}
