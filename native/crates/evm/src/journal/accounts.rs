//! Accounts, contract markers and code in the journal. Which keys each operation records is ruled
//! by evm.md §5.3.

use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_primitives::account::{Account, AccountRef, Balance, EMPTY_CODE_HASH};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};

use super::{CodeState, Index, Journal, StateKey, Undo};
use crate::code::{self, Code};

/// Bit 0 of the account flags: the code reads as empty.
const HIBERNATED: u32 = 1;

impl Journal {
    /// The account, or None when there is none.
    pub fn account(&mut self, id: AccountRef) -> Result<Option<Account>, StateError> {
        self.did_read(StateKey::Account(id));
        let index = self.entry(id);
        self.load(index)
    }

    /// True when the account exists.
    pub fn exists(&mut self, id: AccountRef) -> Result<bool, StateError> {
        Ok(self.account(id)?.is_some())
    }

    /// Balance in wei; zero without an account.
    pub fn balance(&mut self, id: AccountRef) -> Result<Balance, StateError> {
        Ok(self.account(id)?.unwrap_or_default().balance)
    }

    /// Nonce; zero without an account.
    pub fn nonce(&mut self, id: AccountRef) -> Result<U256, StateError> {
        Ok(self.account(id)?.unwrap_or_default().nonce)
    }

    /// Adds to the balance. A missing account is created even when the amount is zero (evm.md §3.4).
    pub fn add_balance(&mut self, id: AccountRef, amount: U256) -> Result<(), StateError> {
        self.change_balance(id, amount, Balance::plus)
    }

    /// Takes from the balance, which may be below zero afterwards, by the rules of [`Self::add_balance`].
    pub fn subtract_balance(&mut self, id: AccountRef, amount: U256) -> Result<(), StateError> {
        self.change_balance(id, amount, Balance::minus)
    }

    fn change_balance(
        &mut self,
        id: AccountRef,
        amount: U256,
        change: impl Fn(Balance, U256) -> Balance,
    ) -> Result<(), StateError> {
        let before = self.account(id)?;
        if before.is_some() && amount.is_zero() {
            return Ok(());
        }
        let mut account = before.unwrap_or_default();
        account.balance = change(account.balance, amount);
        self.set_account(id, account)
    }

    /// Moves wei without looking at the sender's balance.
    pub fn transfer(&mut self, from: AccountRef, to: AccountRef, amount: U256) -> Result<(), StateError> {
        self.subtract_balance(from, amount)?;
        self.add_balance(to, amount)
    }

    /// Takes the whole balance from an account that is there.
    pub fn burn(&mut self, id: AccountRef) -> Result<(), StateError> {
        let account = self.account(id)?.unwrap_or_default();
        self.set_account(id, Account { balance: Balance::ZERO, ..account })
    }

    /// Adds one to the nonce; a missing account is created.
    pub fn increase_nonce(&mut self, id: AccountRef) -> Result<(), StateError> {
        let mut account = self.account(id)?.unwrap_or_default();
        account.nonce = account.nonce.wrapping_add(U256::ONE);
        self.set_account(id, account)
    }

    /// Writes an account with nonce zero; the balance stays only if asked for.
    pub fn create_account(&mut self, id: AccountRef, keep_balance: bool) -> Result<(), StateError> {
        let balance = if keep_balance { self.balance(id)? } else { Balance::ZERO };
        self.set_account(id, Account { balance, ..Account::default() })
    }

    /// Writes the account node.
    pub fn set_account(&mut self, id: AccountRef, account: Account) -> Result<(), StateError> {
        self.wrote(StateKey::Account(id));
        let index = self.entry(id);
        let before = self.load(index)?;
        self.undo.push(Undo::Account(index, before));
        self.entries[index].account = Some(Some(account));
        Ok(())
    }

    /// True when the contract marker is set.
    pub fn is_contract(&mut self, id: AccountRef) -> Result<bool, StateError> {
        self.did_read(StateKey::Marker(id));
        let index = self.entry(id);
        self.load_marker(index)
    }

    /// Sets the contract marker; the account itself need not exist.
    pub fn set_contract(&mut self, id: AccountRef) -> Result<(), StateError> {
        self.wrote(StateKey::Marker(id));
        let index = self.entry(id);
        if !self.load_marker(index)? {
            self.undo.push(Undo::Marker(index));
            self.entries[index].marker = Some(true);
        }
        Ok(())
    }

    pub(super) fn load_marker(&mut self, index: Index) -> Result<bool, StateError> {
        let entry = &mut self.entries[index];
        if let Some(marker) = entry.marker {
            return Ok(marker);
        }
        self.reads += 1;
        let marker = self.reader.is_contract(&entry.id)?;
        entry.marker = Some(marker);
        entry.base_marker = marker;
        Ok(marker)
    }

    /// Length of the code: zero without account or code, or when hibernated.
    pub fn code_length(&mut self, id: AccountRef) -> Result<u32, StateError> {
        let Some(account) = self.account(id)? else { return Ok(0) };
        if account.flags & HIBERNATED != 0 {
            return Ok(0);
        }
        self.did_read(StateKey::Code(id));
        let index = self.entry(id);
        Ok(match self.load_code_info(index)? {
            CodeState::Known(_, length) => *length,
            CodeState::Loaded(code) => code.bytes.len() as u32,
            _ => 0,
        })
    }

    /// Hash of the code as EXTCODEHASH gives it (evm.md §5.2): zero without an account. `standard` is
    /// RSKIP169.
    pub fn code_hash(&mut self, id: AccountRef, standard: bool) -> Result<B256, StateError> {
        if !self.exists(id)? {
            return Ok(B256::ZERO);
        }
        if !self.is_contract(id)? {
            return Ok(EMPTY_CODE_HASH);
        }
        self.did_read(StateKey::Code(id));
        let index = self.entry(id);
        Ok(match self.load_code_info(index)? {
            CodeState::Known(hash, _) => *hash,
            CodeState::Loaded(code) => code.hash,
            CodeState::SavedEmpty => EMPTY_CODE_HASH,
            _ if standard => EMPTY_CODE_HASH,
            _ => B256::ZERO,
        })
    }

    /// The code ready to run; None when it is empty.
    pub fn code(&mut self, id: AccountRef) -> Result<Option<Arc<Code>>, StateError> {
        let Some(account) = self.account(id)? else { return Ok(None) };
        if account.flags & HIBERNATED != 0 {
            return Ok(None);
        }
        self.did_read(StateKey::Code(id));
        let index = self.entry(id);
        let hash = match self.load_code_info(index)? {
            CodeState::Loaded(code) => return Ok(Some(code.clone())),
            CodeState::Known(hash, _) => *hash,
            _ => return Ok(None),
        };
        let code = code::cached(hash, || self.reader.code(&id))?;
        self.entries[index].code = CodeState::Loaded(code.clone());
        Ok(Some(code))
    }

    pub(super) fn load_code_info(&mut self, index: Index) -> Result<&CodeState, StateError> {
        let entry = &mut self.entries[index];
        if matches!(entry.code, CodeState::Unknown) {
            self.reads += 1;
            entry.code = match self.reader.code_info(&entry.id)? {
                Some((hash, length)) if length > 0 => CodeState::Known(hash, length),
                _ => CodeState::Absent,
            };
        }
        Ok(&self.entries[index].code)
    }

    /// Saves code. Saving code that is not empty creates a missing account.
    pub fn save_code(&mut self, id: AccountRef, bytes: Bytes) -> Result<(), StateError> {
        self.wrote(StateKey::Code(id));
        let index = self.entry(id);
        let empty = bytes.is_empty();
        let state = if empty {
            CodeState::SavedEmpty
        } else {
            let hash = keccak256(&bytes);
            CodeState::Loaded(code::cached(hash, || Ok::<_, StateError>(bytes))?)
        };
        let entry = &mut self.entries[index];
        let before = std::mem::replace(&mut entry.code, state);
        let written = std::mem::replace(&mut entry.code_written, true);
        self.undo.push(Undo::Code(index, before, written));
        if !empty && !self.exists(id)? {
            self.create_account(id, false)?;
        }
        Ok(())
    }
}
