//! A state in memory and a network with chosen rules, for the tests of this crate.

use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, Bytes, U256};
pub(crate) use rhizome_testing::all_rules;
use rhizome_testing::regtest;

use crate::host::BlockContext;
use crate::maps::HashMap;

#[derive(Clone, Default)]
pub(crate) struct MemoryState {
    pub(crate) accounts: HashMap<AccountRef, Account>,
    pub(crate) code: HashMap<AccountRef, Bytes>,
    pub(crate) cells: HashMap<(AccountRef, U256), Bytes>,
}

impl MemoryState {
    pub(crate) fn with_balance(mut self, address: Address, balance: u64) -> Self {
        self.accounts.insert(address.into(), Account { balance: U256::from(balance), ..Account::default() });
        self
    }

    pub(crate) fn with_code(mut self, address: Address, code: impl Into<Bytes>) -> Self {
        self.accounts.entry(address.into()).or_default();
        self.code.insert(address.into(), code.into());
        self
    }

    pub(crate) fn shared(self) -> Arc<dyn StateReader> {
        Arc::new(self)
    }
}

impl StateReader for MemoryState {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        Ok(self.accounts.get(account).copied())
    }

    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        Ok(self.code.get(account).map(|code| (keccak256(code), code.len() as u32)))
    }

    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        Ok(self.code.get(account).cloned().unwrap_or_default())
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

/// A block of the development network under the given rules, with 10,000,000 gas.
pub(crate) fn context(rules: RuleSet) -> BlockContext {
    let block = BlockEnv { number: 5000, gas_limit: 10_000_000, ..BlockEnv::default() };
    BlockContext::new(Arc::new(regtest(|rule| rules.active(rule))), block, Arc::new(NoAncestry))
}
