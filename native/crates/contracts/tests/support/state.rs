//! A state in memory.

use std::collections::HashMap;

use rhizome_primitives::contract::{ContractState, Log};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

#[derive(Clone, Default)]
pub(crate) struct MemoryState {
    pub(crate) balances: HashMap<Address, U256>,
    pub(crate) storage: HashMap<(Address, U256), Bytes>,
    pub(crate) logs: Vec<Log>,
    pub(crate) transfers: Vec<(Address, Address, U256)>,
}

impl MemoryState {
    pub(crate) fn credit(&mut self, to: Address, amount: U256) {
        let balance = self.balances.entry(to).or_default();
        *balance = balance.wrapping_add(amount);
    }
}

impl ContractState for MemoryState {
    fn exists(&mut self, address: Address) -> Result<bool, StateError> {
        Ok(self.balances.contains_key(&address))
    }

    fn balance(&mut self, address: Address) -> Result<U256, StateError> {
        Ok(self.balances.get(&address).copied().unwrap_or_default())
    }

    fn transfer(&mut self, from: Address, to: Address, amount: U256) -> Result<(), StateError> {
        self.credit(from, amount.wrapping_neg());
        self.credit(to, amount);
        Ok(())
    }

    fn code(&mut self, _address: Address) -> Result<Bytes, StateError> {
        Ok(Bytes::new())
    }

    fn storage(&mut self, contract: Address, key: U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.storage.get(&(contract, key)).cloned())
    }

    fn set_storage(&mut self, contract: Address, key: U256, value: Bytes) -> Result<(), StateError> {
        if value.is_empty() {
            self.storage.remove(&(contract, key));
        } else {
            self.storage.insert((contract, key), value);
        }
        Ok(())
    }

    fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    fn trace_transfer(&mut self, from: Address, to: Address, amount: U256) {
        self.transfers.push((from, to, amount));
    }
}
