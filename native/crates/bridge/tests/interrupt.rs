//! Queries end soon after they are interrupted.

mod support;

use std::cell::Cell;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::{ContractError, ContractState, Log};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};
use support::MemoryState;

/// A state that reports an interrupt after a number of checks.
struct Watched {
    state: MemoryState,
    looks: Cell<usize>,
}

impl ContractState for Watched {
    fn exists(&mut self, address: Address) -> Result<bool, StateError> {
        self.state.exists(address)
    }

    fn balance(&mut self, address: Address) -> Result<U256, StateError> {
        self.state.balance(address)
    }

    fn transfer(&mut self, from: Address, to: AccountRef, amount: U256) -> Result<(), StateError> {
        self.state.transfer(from, to, amount)
    }

    fn code(&mut self, address: Address) -> Result<Bytes, StateError> {
        self.state.code(address)
    }

    fn storage(&mut self, contract: Address, key: U256) -> Result<Option<Bytes>, StateError> {
        self.state.storage(contract, key)
    }

    fn set_storage(&mut self, contract: Address, key: U256, value: Bytes) -> Result<(), StateError> {
        self.state.set_storage(contract, key, value)
    }

    fn log(&mut self, log: Log) {
        self.state.log(log);
    }

    fn trace_transfer(&mut self, from: Address, to: Address, amount: U256) {
        self.state.trace_transfer(from, to, amount);
    }

    fn is_interruptible(&self) -> bool {
        true
    }

    fn is_interrupted(&self) -> bool {
        let left = self.looks.get();
        self.looks.set(left.saturating_sub(1));
        left == 0
    }
}

/// Number of checks that a query makes; it must end at each of them.
fn looks<T>(ask: impl Fn(&ChainSpec, RuleSet, &mut dyn ContractState, u64) -> Result<T, ContractError>) -> usize {
    let spec = support::regtest();
    for looks in 0.. {
        let mut state = Watched { state: MemoryState::default(), looks: Cell::new(looks) };
        match ask(&spec, spec.rules_at(33), &mut state, 33) {
            Err(ContractError::Interrupted) => {}
            Err(error) => panic!("{error} after {looks} looks"),
            Ok(_) => return looks,
        }
    }
    unreachable!("an endless question")
}

#[test]
fn the_status_ends_wherever_it_is() {
    // These include the checks of the estimated fee, whose other failures do not fail the status.
    assert!(looks(rhizome_bridge::bridge_status) > 20);
}

#[test]
fn the_summary_reads_the_head_and_what_waits_alone() {
    let summary = looks(rhizome_bridge::head_and_waiting);
    let state = looks(rhizome_bridge::bridge_state);
    assert!(0 < summary && summary < state, "{summary}, {state}");
}
