//! A state in memory.

use std::collections::HashMap;
use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::contract::{ContractState, Log};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{Address, B256, Bytes, U256};

/// A state in hash maps: the executor reads it as a [`StateReader`], and a precompiled contract that runs by itself
/// reads and writes it as a [`ContractState`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryState {
    /// Accounts.
    pub accounts: HashMap<AccountRef, Account>,
    /// Storage cells, with the bytes as stored.
    pub cells: HashMap<(AccountRef, U256), Bytes>,
    /// Logs of the contracts, in order.
    pub logs: Vec<Log>,
    /// Payer, receiver and wei of each transfer that a contract traced, in order.
    pub transfers: Vec<(Address, Address, U256)>,
    code: HashMap<AccountRef, (B256, Bytes)>,
}

impl MemoryState {
    /// This state with an account of so many wei.
    #[must_use]
    pub fn with_balance(mut self, address: Address, balance: u64) -> Self {
        self.accounts.insert(address.into(), Account { balance: U256::from(balance).into(), ..Account::default() });
        self
    }

    /// This state with code at an address, which makes the account a contract.
    #[must_use]
    pub fn with_code(mut self, address: Address, code: impl Into<Bytes>) -> Self {
        self.accounts.entry(address.into()).or_default();
        self.set_code(address.into(), code.into());
        self
    }

    /// This state, as the executor takes it.
    #[must_use]
    pub fn shared(self) -> Arc<dyn StateReader> {
        Arc::new(self)
    }

    /// Wei of an account, zero when there is none.
    #[must_use]
    pub fn balance_of(&self, address: Address) -> U256 {
        self.accounts.get(&address.into()).map_or(U256::ZERO, |account| account.balance.word())
    }

    /// Adds wei to an account, and creates it where it is missing.
    pub fn credit(&mut self, account: impl Into<AccountRef>, amount: U256) {
        let balance = &mut self.accounts.entry(account.into()).or_default().balance;
        *balance = balance.plus(amount);
    }

    /// A storage cell as stored; None when absent.
    #[must_use]
    pub fn cell(&self, contract: Address, key: U256) -> Option<&Bytes> {
        self.cells.get(&(contract.into(), key))
    }

    /// Sets a storage cell; no bytes remove it.
    pub fn set_cell(&mut self, contract: Address, key: U256, value: Bytes) {
        let id = (contract.into(), key);
        if value.is_empty() {
            self.cells.remove(&id);
        } else {
            self.cells.insert(id, value);
        }
    }

    fn set_code(&mut self, account: AccountRef, code: Bytes) {
        self.code.insert(account, (keccak256(&code), code));
    }
}

impl From<&WriteSet> for MemoryState {
    fn from(writes: &WriteSet) -> Self {
        let cells = writes.storage.iter();
        let mut state = Self {
            accounts: writes.accounts.iter().copied().collect(),
            cells: cells.filter_map(|(id, slot, value)| Some(((*id, *slot), value.clone()?))).collect(),
            ..Self::default()
        };
        for (account, code) in &writes.code {
            state.set_code(*account, code.clone());
        }
        state
    }
}

impl StateReader for MemoryState {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        Ok(self.accounts.get(account).copied())
    }

    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        Ok(self.code.get(account).map(|(hash, code)| (*hash, code.len() as u32)))
    }

    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        Ok(self.code.get(account).map(|(_, code)| code.clone()).unwrap_or_default())
    }

    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        Ok(self.code.contains_key(account))
    }

    fn storage(&self, account: &AccountRef, key: &U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.cells.get(&(*account, *key)).cloned())
    }

    fn storage_cells(
        &self,
        account: &AccountRef,
        _after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        let own = self.cells.iter().filter(|((id, _), _)| id == account);
        Ok(own.map(|((_, key), value)| (*key, value.clone())).take(limit).collect())
    }
}

impl ContractState for MemoryState {
    fn exists(&mut self, address: Address) -> Result<bool, StateError> {
        Ok(self.accounts.contains_key(&address.into()))
    }

    fn balance(&mut self, address: Address) -> Result<U256, StateError> {
        Ok(self.balance_of(address))
    }

    fn transfer(&mut self, from: Address, to: AccountRef, amount: U256) -> Result<(), StateError> {
        let payer = self.accounts.entry(from.into()).or_default();
        payer.balance = payer.balance.minus(amount);
        self.credit(to, amount);
        Ok(())
    }

    fn code(&mut self, address: Address) -> Result<Bytes, StateError> {
        StateReader::code(self, &address.into())
    }

    fn storage(&mut self, contract: Address, key: U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.cell(contract, key).cloned())
    }

    fn set_storage(&mut self, contract: Address, key: U256, value: Bytes) -> Result<(), StateError> {
        self.set_cell(contract, key, value);
        Ok(())
    }

    fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    fn trace_transfer(&mut self, from: Address, to: Address, amount: U256) {
        self.transfers.push((from, to, amount));
    }
}
