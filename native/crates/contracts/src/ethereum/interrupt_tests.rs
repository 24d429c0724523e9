//! States of tests: contracts of this folder look only at whether somebody still waits.

use std::cell::Cell;

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
        fn transfer(&mut self, _: Address, _: Address, _: U256) -> Result<(), StateError> {
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

/// That of a block.
pub(super) struct Uninterrupted;

impl ContractState for Uninterrupted {
    no_state!();
}

/// That of a call in which nobody is interested any more when it looks for the n-th time.
pub(super) struct InterruptedAt {
    last: u32,
    looks: Cell<u32>,
}

impl InterruptedAt {
    pub(super) fn look(last: u32) -> Self {
        Self { last, looks: Cell::new(0) }
    }

    /// How often it was looked at.
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
