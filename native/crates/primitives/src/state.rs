//! The state as execution reads it, and the set of changes it writes.

use thiserror::Error;

use crate::account::{Account, AccountRef};
use crate::{B256, Bytes, U256};

/// Reason why the state could not be read.
#[derive(Clone, Debug, Error)]
pub enum StateError {
    /// A node or value that the root names is not in the store.
    #[error("state is missing node {0}")]
    MissingNode(B256),
    /// A stored node or value does not parse.
    #[error("state node {hash} is corrupt: {reason}")]
    Corrupt {
        /// Key of the value in the store.
        hash: B256,
        /// Reason why it is wrong.
        reason: String,
    },
    /// The store failed.
    #[error("state store: {0}")]
    Store(String),
    /// The store has a format that this program does not read; the message says which one, and what to do.
    #[error("{0}")]
    Format(String),
    /// The network that the chain is a fork of did not give what is needed; the message says why.
    #[error("{0}")]
    Upstream(String),
    /// That network does not give what is needed, now or later; the message says why.
    #[error("{0}")]
    NeverGiven(String),
    /// The same is being asked for, and this thread must not wait for it: it may try again later.
    #[error("the network that this chain is a fork of is being asked")]
    NotFetched,
    /// The cells of the account cannot be listed: those of another network are known one by one.
    #[error("a fork knows cells of the network that it is a fork of one by one: they cannot be listed")]
    Unlisted,
}

/// Read access to the state under one root. Cheap to clone and to share between threads.
pub trait StateReader: Send + Sync {
    /// The account, or None when there is none.
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError>;
    /// Hash and length of the code without loading it; None when no code is stored.
    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError>;
    /// The code; empty when none is stored.
    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError>;
    /// True when the contract marker (key ∥ `00`) is set.
    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError>;
    /// Bytes of a storage cell as stored; None when absent. Cells written as words have no leading
    /// zeros and are never empty.
    fn storage(&self, account: &AccountRef, key: &U256) -> Result<Option<Bytes>, StateError>;
    /// At most `limit` cells of the account in trie order, those after the slot `after` when given.
    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError>;
}

/// Changes to the state, in the order of application: recursive deletions, then the writes
/// (consensus.md §6.6). Each key appears at most once.
#[derive(Clone, Debug, Default)]
pub struct WriteSet {
    /// Accounts deleted with code, marker and cells.
    pub deleted: Vec<AccountRef>,
    /// Account nodes.
    pub accounts: Vec<(AccountRef, Account)>,
    /// Code; an empty code removes the node.
    pub code: Vec<(AccountRef, Bytes)>,
    /// Contract markers to set.
    pub markers: Vec<AccountRef>,
    /// Cells; None removes the cell.
    pub storage: Vec<(AccountRef, U256, Option<Bytes>)>,
}
