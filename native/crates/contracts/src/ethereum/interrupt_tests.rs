//! Test states: the contracts of this folder only check whether they are interrupted.

use std::cell::Cell;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::{ContractState, Log};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

macro_rules! no_state {
    () => {
        fn exists(&mut self, _: Address) -> Result<bool, StateError> {
            unreachable!("reads no state")
        }
        fn balance(&mut self, _: Address) -> Result<U256, StateError> {
            unreachable!("reads no state")
        }
        fn transfer(&mut self, _: Address, _: AccountRef, _: U256) -> Result<(), StateError> {
            unreachable!("pays nobody")
        }
        fn code(&mut self, _: Address) -> Result<Bytes, StateError> {
            unreachable!("reads no state")
        }
        fn storage(&mut self, _: Address, _: U256) -> Result<Option<Bytes>, StateError> {
            unreachable!("reads no state")
        }
        fn set_storage(&mut self, _: Address, _: U256, _: Bytes) -> Result<(), StateError> {
            unreachable!("writes no state")
        }
        fn log(&mut self, _: Log) {
            unreachable!("logs nothing")
        }
        fn trace_transfer(&mut self, _: Address, _: Address, _: U256) {
            unreachable!("pays nobody")
        }
    };
}

/// The state of a block, which is never interrupted.
pub(super) struct Uninterrupted;

impl ContractState for Uninterrupted {
    no_state!();
}

/// The state of a call that is interrupted at the n-th check.
pub(super) struct InterruptedAt {
    last: u32,
    looks: Cell<u32>,
}

impl InterruptedAt {
    pub(super) fn look(last: u32) -> Self {
        Self { last, looks: Cell::new(0) }
    }

    /// Number of checks so far.
    pub(super) fn looks(&self) -> u32 {
        self.looks.get()
    }
}

impl ContractState for InterruptedAt {
    no_state!();

    fn is_interruptible(&self) -> bool {
        true
    }

    fn is_interrupted(&self) -> bool {
        self.looks.set(self.looks.get() + 1);
        self.looks.get() >= self.last
    }
}
