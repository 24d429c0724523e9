//! A state in memory and a network with chosen rules, for the tests of this crate.

use std::path::Path;
use std::sync::Arc;

use rhizome_crypto::keccak256;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, Bytes, U256};
use serde_json::{Value, json};

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

/// Every rule.
pub(crate) fn all_rules() -> RuleSet {
    Rule::ALL.iter().copied().collect()
}

/// A block of the development network under the given rules, with 10,000,000 gas.
pub(crate) fn context(rules: RuleSet) -> BlockContext {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bridge/regtest.json");
    let bridge: Value = serde_json::from_str(&std::fs::read_to_string(fixture).expect("a fixture")).expect("JSON");
    let height = |rule: Rule| if rules.active(rule) { 0 } else { -1 };
    let heights = Rule::ALL.iter().map(|rule| (rule.name().to_owned(), json!(height(*rule))));
    let labs = "0xdabadabadabadabadabadabadabadabadaba0001";
    let document = json!({
        "name": "regtest",
        "chainId": 33,
        "minimumSequentialGas": 6_800_000,
        "remasc": {"maturity": 10, "syntheticSpan": 5, "labsAddress": labs, "labsAddressRskip218": labs},
        "bridge": bridge,
        "activationHeights": heights.collect::<serde_json::Map<_, _>>(),
    });
    let spec = ChainSpec::from_json(&document.to_string()).expect("a chain specification");
    let block = BlockEnv { number: 5000, gas_limit: 10_000_000, ..BlockEnv::default() };
    BlockContext::new(Arc::new(spec), block, Arc::new(NoAncestry))
}
