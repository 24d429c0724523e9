//! A chain whose first blocks are from before the line of the table, and access to the tables of its store.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part")]

use std::path::Path;
use std::sync::Arc;

use rhizome_primitives::account::Account;
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{B256, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;

use crate::model::{Model, account};

pub(crate) const SMALL: StoreOptions = StoreOptions {
    node_cache_bytes: 1 << 20,
    code_cache_bytes: 1 << 20,
    head_cache_bytes: 64 * 300,
    parsed_log_bytes: 0,
    map_bytes: 1 << 30,
    read_only: false,
};

pub(crate) fn open(path: &Path) -> Arc<StateStore> {
    StateStore::open(path, &SMALL).unwrap()
}

/// A block with the state after it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) hash: B256,
    pub(crate) number: u64,
    pub(crate) root: B256,
    pub(crate) model: Model,
}

pub(crate) struct Chain {
    pub(crate) blocks: Vec<Entry>,
    /// Blocks that were ever made: each has a name, and a state of its own unless it is empty.
    pub(crate) made: u64,
}

impl Chain {
    /// A chain of the first block alone.
    pub(crate) fn new(store: &Arc<StateStore>) -> Self {
        let first = Entry { hash: name(0), number: 0, root: EMPTY_ROOT, model: Model::default() };
        store.put_ancestor(ancestor(&first, B256::ZERO));
        Self { blocks: vec![first], made: 0 }
    }

    pub(crate) fn head(&self) -> &Entry {
        self.blocks.last().unwrap()
    }

    /// Adds a block; the head of the store follows where it is to.
    pub(crate) fn extend(&mut self, store: &Arc<StateStore>, mut changes: WriteSet, follows: bool) {
        self.made += 1;
        let is_empty = changes.accounts.is_empty() && changes.storage.is_empty() && changes.deleted.is_empty();
        if !is_empty {
            changes.accounts.retain(|(owner, _)| *owner != account(1));
            changes.accounts.push((account(1), Account { nonce: U256::from(self.made), ..Account::default() }));
        }
        let parent = self.head().clone();
        // As for the execution of the block.
        store.ancestry(parent.hash);
        let applied = store.apply(parent.root, &changes).unwrap();
        let root = applied.root();
        store.keep(applied);
        let mut model = parent.model.clone();
        model.apply(&changes);
        let entry = Entry { hash: name(self.made), number: parent.number + 1, root, model };
        store.put_ancestor(ancestor(&entry, parent.hash));
        if follows {
            store.set_head(root, Some((&parent.root, &changes)));
        }
        self.blocks.push(entry);
    }
}

pub(crate) fn name(number: u64) -> B256 {
    B256::from(U256::from(number) | U256::from(1) << 200)
}

pub(crate) fn ancestor(entry: &Entry, parent_hash: B256) -> AncestorBlock {
    AncestorBlock { state_root: Some(entry.root), ..rhizome_testing::ancestor(entry.hash, parent_hash, entry.number) }
}

#[allow(unsafe_code, reason = "opens a memory map as the store does")]
pub(crate) fn change(
    path: &Path,
    change: impl FnOnce(&mut heed::RwTxn<'_>, &dyn Fn(&mut heed::RwTxn<'_>, &str) -> Table),
) {
    let mut options = heed::EnvOpenOptions::new().read_txn_with_tls();
    options.map_size(1 << 30).max_dbs(16);
    if let Some(closing) = heed::env_closing_event(path) {
        closing.wait();
    }
    // SAFETY: nothing else has the store open.
    let env: heed::Env<heed::WithTls> = unsafe { options.open(path.canonicalize().unwrap()) }.unwrap();
    let mut transaction = env.write_txn().unwrap();
    change(&mut transaction, &|transaction, name| env.open_database(transaction, Some(name)).unwrap().unwrap());
    transaction.commit().unwrap();
    env.prepare_for_closing().wait();
}

pub(crate) type Table = heed::Database<heed::types::Bytes, heed::types::Bytes>;

pub(crate) fn lose_table(path: &Path) {
    change(path, |transaction, table| assert!(table(transaction, "meta").delete(transaction, b"head").unwrap()));
}
