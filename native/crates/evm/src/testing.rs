//! States and blocks for the tests of this crate.

use std::sync::Arc;

use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::rules::RuleSet;
use rhizome_testing::regtest;
pub(crate) use rhizome_testing::{MemoryState, all_rules};

use crate::host::BlockContext;

/// A block of the development network under the given rules, with 10,000,000 gas.
pub(crate) fn context(rules: RuleSet) -> BlockContext {
    let block = BlockEnv { number: 5000, gas_limit: 10_000_000, ..BlockEnv::default() };
    BlockContext::new(Arc::new(regtest(|rule| rules.active(rule))), block, Arc::new(NoAncestry))
}
