//! Accounts of precompiled contracts, which are created when their rule becomes active (consensus.md §1.5).

use std::sync::Arc;

use rhizome_contracts::Precompile;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::{StateError, StateReader, WriteSet};

use crate::host::BlockContext;
use crate::journal::Journal;

/// The accounts that block `number` creates before its first transaction; number 0 gives those of the genesis state.
pub fn precompile_accounts(spec: &ChainSpec, number: u64, state: Arc<dyn StateReader>) -> Result<WriteSet, StateError> {
    let mut journal = Journal::new(state);
    activate(&mut journal, spec, number)?;
    Ok(journal.write_set())
}

pub(super) fn activate_precompiles(journal: &mut Journal, context: &BlockContext) -> Result<(), StateError> {
    activate(journal, &context.spec, context.block.number)
}

/// The first ones keep an existing account; later ones overwrite it.
fn activate(journal: &mut Journal, spec: &ChainSpec, number: u64) -> Result<(), StateError> {
    if spec.activating(Rule::Rskip126, number) {
        for precompile in Precompile::always_active() {
            let account = precompile.address().into();
            if !journal.exists(account)? {
                journal.create_account(account, false)?;
            }
            journal.set_contract(account)?;
        }
    }
    for precompile in Precompile::activating(spec, number) {
        let account = precompile.address().into();
        journal.create_account(account, false)?;
        journal.set_contract(account)?;
    }
    Ok(())
}
