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
    /// What is known of the nodes of the parent state.
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
        let root = trie.root();
        Ok(Self { parent, root, trie, extent })
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
