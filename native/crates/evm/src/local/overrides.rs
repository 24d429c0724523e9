//! Overrides of the state of a call.

use rhizome_primitives::account::{AccountRef, Balance};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};

use crate::journal::{Cell, Journal};

/// Overrides of one account. Absent fields keep their values.
#[derive(Clone, Debug, Default)]
pub struct AccountOverride {
    /// Account.
    pub address: Address,
    /// Wei.
    pub balance: Option<U256>,
    /// Nonce.
    pub nonce: Option<U256>,
    /// Code.
    pub code: Option<Bytes>,
    /// The whole storage: all other cells are removed.
    pub state: Option<Vec<(U256, U256)>>,
    /// Single cells.
    pub state_diff: Vec<(U256, U256)>,
}

impl AccountOverride {
    pub(super) fn apply(&self, journal: &mut Journal) -> Result<(), StateError> {
        let id = AccountRef::from(self.address);
        if self.balance.is_some() || self.nonce.is_some() {
            let mut account = journal.account(id)?.unwrap_or_default();
            account.balance = self.balance.map_or(account.balance, Balance::from);
            account.nonce = self.nonce.unwrap_or(account.nonce);
            journal.set_account(id, account)?;
        }
        if let Some(code) = &self.code {
            journal.save_code(id, code.clone())?;
            if !code.is_empty() {
                journal.set_contract(id)?;
            }
        }
        if self.state.is_some() {
            journal.hide_storage(id);
        }
        for (key, value) in self.state.iter().flatten().chain(&self.state_diff) {
            journal.set_cell(id, *key, Cell::from_word(*value))?;
        }
        Ok(())
    }
}
