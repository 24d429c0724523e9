//! A state that was computed but is not kept.

use rhizome_primitives::state::{StateError, WriteSet};
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::account::encode_account;
use rhizome_trie::{Trie, keys};

use crate::state_record::Extent;

/// The outcome of applying a write set.
#[derive(Clone)]
pub struct AppliedState {
    parent: B256,
    root: B256,
    trie: Trie,
    /// Extent of the nodes of the parent state.
    pub(crate) extent: Extent,
}

impl AppliedState {
    /// Recursive deletions first, then the writes (consensus.md §6.6).
    pub(crate) fn compute(
        mut trie: Trie,
        parent: B256,
        extent: Extent,
        changes: &WriteSet,
    ) -> Result<Self, StateError> {
        apply(&mut trie, changes)?;
        let root = trie.root();
        Ok(Self { parent, root, trie, extent })
    }

    /// The same on a fork: what is removed gets a mask, because the upstream may have it.
    pub(crate) fn compute_fork(
        mut trie: Trie,
        parent: B256,
        extent: Extent,
        changes: &WriteSet,
    ) -> Result<Self, StateError> {
        let mask = |trie: &mut Trie, key: keys::Key| trie.put(&keys::mask_key(key), Bytes::from_static(&keys::MARKER));
        for account in &changes.deleted {
            let key = keys::account_key(account);
            mask(&mut trie, key.clone())?;
            // Only what exists is deleted with what is below it, and an account that was not changed is not here.
            trie.put(&key, Bytes::from_static(&keys::MARKER))?;
        }
        for (account, _) in changes.code.iter().filter(|(_, code)| code.is_empty()) {
            mask(&mut trie, keys::code_key(account))?;
        }
        for (account, slot, value) in &changes.storage {
            if value.as_ref().is_none_or(|bytes| bytes.is_empty()) {
                mask(&mut trie, keys::storage_key(account, slot))?;
            }
        }
        Self::compute(trie, parent, extent, changes)
    }

    /// Root of the state that the changes were applied to.
    pub fn parent(&self) -> B256 {
        self.parent
    }

    /// Root of the new state.
    pub fn root(&self) -> B256 {
        self.root
    }

    /// Number of new nodes and long values.
    pub fn count_new(&self) -> usize {
        self.trie.count_new()
    }

    pub(crate) fn into_trie(self) -> Trie {
        self.trie
    }
}

fn apply(trie: &mut Trie, changes: &WriteSet) -> Result<(), StateError> {
    for account in &changes.deleted {
        trie.delete_recursive(&keys::account_key(account))?;
    }
    for (account, state) in &changes.accounts {
        trie.put(&keys::account_key(account), encode_account(state).into())?;
    }
    for (account, code) in &changes.code {
        trie.put(&keys::code_key(account), code.clone())?;
    }
    for account in &changes.markers {
        trie.put(&keys::storage_prefix_key(account), Bytes::from_static(&keys::MARKER))?;
    }
    for (account, slot, value) in &changes.storage {
        trie.put(&keys::storage_key(account, slot), value.clone().unwrap_or_default())?;
    }
    Ok(())
}
