//! The contract's cells (consensus.md §8.2).

use rhizome_primitives::contract::ContractState;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};

use super::address::REMASC_ADDRESS;

const REWARD_BALANCE: &[u8] = b"rewardBalance";
const BURNED_BALANCE: &[u8] = b"burnedBalance";
const SIBLINGS: &[u8] = b"siblings";
const BROKEN_SELECTION_RULE: &[u8] = b"brokenSelectionRule";
const FEDERATION_BALANCE: &[u8] = b"federationBalance";

/// Left over from the time when siblings were stored: an empty RLP list, which every call writes.
const NO_SIBLINGS: &[u8] = &[0xc0];

/// Values set by the running call; the others stay as stored.
#[derive(Default)]
pub(super) struct Cells {
    reward_balance: Option<U256>,
    burned_balance: Option<U256>,
    broken_selection_rule: Option<bool>,
    federation_balance: Option<U256>,
}

impl Cells {
    /// Fees not yet distributed, wei.
    pub(super) fn reward_balance(&self, state: &mut dyn ContractState) -> Result<U256, StateError> {
        self.reward_balance.map_or_else(|| word(state, REWARD_BALANCE), Ok)
    }

    pub(super) fn set_reward_balance(&mut self, amount: U256) {
        self.reward_balance = Some(amount);
    }

    /// Fees that were burned, wei.
    pub(super) fn burned_balance(&self, state: &mut dyn ContractState) -> Result<U256, StateError> {
        self.burned_balance.map_or_else(|| word(state, BURNED_BALANCE), Ok)
    }

    pub(super) fn burn(&mut self, state: &mut dyn ContractState, amount: U256) -> Result<(), StateError> {
        self.burned_balance = Some(self.burned_balance(state)?.wrapping_add(amount));
        Ok(())
    }

    /// True when the block paid before broke the selection rule.
    pub(super) fn broken_selection_rule(&self, state: &mut dyn ContractState) -> Result<bool, StateError> {
        if let Some(broken) = self.broken_selection_rule {
            return Ok(broken);
        }
        let stored = state.storage(REMASC_ADDRESS, key(BROKEN_SELECTION_RULE))?;
        Ok(stored.is_some_and(|bytes| bytes.first().is_some_and(|&byte| byte != 0)))
    }

    pub(super) fn set_broken_selection_rule(&mut self, broken: bool) {
        self.broken_selection_rule = Some(broken);
    }

    /// The federation's share that was too small to pay (RSKIP85), wei.
    pub(super) fn federation_balance(&self, state: &mut dyn ContractState) -> Result<U256, StateError> {
        self.federation_balance.map_or_else(|| word(state, FEDERATION_BALANCE), Ok)
    }

    pub(super) fn set_federation_balance(&mut self, amount: U256) {
        self.federation_balance = Some(amount);
    }

    /// Writes the values that were set, and always the siblings cell.
    pub(super) fn save(self, state: &mut dyn ContractState) -> Result<(), StateError> {
        if let Some(amount) = self.reward_balance {
            state.set_storage_word(REMASC_ADDRESS, key(REWARD_BALANCE), amount)?;
        }
        if let Some(amount) = self.burned_balance {
            state.set_storage_word(REMASC_ADDRESS, key(BURNED_BALANCE), amount)?;
        }
        state.set_storage(REMASC_ADDRESS, key(SIBLINGS), Bytes::from_static(NO_SIBLINGS))?;
        if let Some(broken) = self.broken_selection_rule {
            state.set_storage(REMASC_ADDRESS, key(BROKEN_SELECTION_RULE), Bytes::from(vec![u8::from(broken)]))?;
        }
        if let Some(amount) = self.federation_balance {
            state.set_storage_word(REMASC_ADDRESS, key(FEDERATION_BALANCE), amount)?;
        }
        Ok(())
    }
}

fn key(name: &[u8]) -> U256 {
    U256::from_be_slice(name)
}

fn word(state: &mut dyn ContractState, name: &[u8]) -> Result<U256, StateError> {
    let stored = state.storage(REMASC_ADDRESS, key(name))?.unwrap_or_default();
    U256::try_from_be_slice(&stored).ok_or_else(|| StateError::Corrupt {
        hash: B256::from(key(name)),
        reason: "a REMASC balance is longer than a word".to_owned(),
    })
}
