//! A state in hash maps, as revm's in-memory database is one: what is compared are then the engines alone.

use std::collections::HashMap;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{B256, Bytes, U256};

#[derive(Default)]
pub(crate) struct MemoryState {
    accounts: HashMap<AccountRef, Account>,
    code: HashMap<AccountRef, (B256, Bytes)>,
    cells: HashMap<(AccountRef, U256), Bytes>,
}

impl From<&WriteSet> for MemoryState {
    fn from(writes: &WriteSet) -> Self {
        let code = writes.code.iter().map(|(id, code)| (*id, (revm::primitives::keccak256(code), code.clone())));
        let cells = writes.storage.iter();
        Self {
            accounts: writes.accounts.iter().copied().collect(),
            code: code.collect(),
            cells: cells.filter_map(|(id, slot, value)| Some(((*id, *slot), value.clone()?))).collect(),
        }
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

    fn storage(&self, account: &AccountRef, slot: &U256) -> Result<Option<Bytes>, StateError> {
        Ok(self.cells.get(&(*account, *slot)).cloned())
    }

    fn storage_cells(
        &self,
        account: &AccountRef,
        _after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        let own = self.cells.iter().filter(|((id, _), _)| id == account);
        Ok(own.map(|((_, slot), value)| (*slot, value.clone())).take(limit).collect())
    }
}
