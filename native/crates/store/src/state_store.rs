//! The store: nodes, roots, ancestors, and the life of a block's changes.

use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, Ancestry};
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::{EMPTY_ROOT, NodeSource, Trie};

use crate::ancestor_codec::{decode_ancestor, encode_ancestor};
use crate::ancestry::{BranchBelow, Window};
use crate::applied::AppliedState;
use crate::backend::Backend;
use crate::batch::Batch;
use crate::head_cache::HeadCache;
use crate::node_cache::NodeCache;
use crate::options::StoreOptions;
use crate::pending::Pending;
use crate::reader::RootReader;
use crate::registry;

/// Longest bytes that go through the node cache: every node is shorter, long values are mostly not.
const LONGEST_CACHED_NODE: usize = 512;

/// States, code and ancestor facts. Shared by all threads as an `Arc`; closed when the last one goes.
pub struct StateStore {
    pub(crate) backend: Backend,
    pub(crate) pending: Pending,
    pub(crate) head: HeadCache,
    pub(crate) codes: NodeCache,
    pub(crate) window: RwLock<Window>,
    pub(crate) nodes: NodeCache,
    /// One commit at a time.
    committing: Mutex<()>,
}

/// Sizes for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreFigures {
    /// Nodes and long values that wait for a commit.
    pub pending_nodes: usize,
    /// Bytes in the node cache.
    pub node_cache_bytes: usize,
    /// Entries in the node cache.
    pub node_cache_entries: usize,
    /// Bytes in the code cache.
    pub code_cache_bytes: usize,
    /// Bytes in the cache of the head state.
    pub head_cache_bytes: usize,
    /// Entries in the cache of the head state.
    pub head_cache_entries: usize,
}

impl StateStore {
    /// Opens the store in a folder, creating it when missing. A store that is open in this process
    /// already is shared; its options then stay. Fails for a store of another format version.
    pub fn open(path: &Path, options: &StoreOptions) -> Result<Arc<Self>, StateError> {
        registry::open(path, options)
    }

    /// A store that is gone when the last reference is. Same interface; `commit` only tidies up.
    pub fn in_memory(options: &StoreOptions) -> Arc<Self> {
        Arc::new(Self::with_backend(Backend::Memory(RwLock::new(Batch::default())), options))
    }

    pub(crate) fn with_backend(backend: Backend, options: &StoreOptions) -> Self {
        Self {
            backend,
            pending: Pending::default(),
            head: HeadCache::new(options.head_cache_bytes),
            codes: NodeCache::new(options.code_cache_bytes),
            window: RwLock::new(Window::default()),
            nodes: NodeCache::new(options.node_cache_bytes),
            committing: Mutex::new(()),
        }
    }

    /// Whether the state under this root is stored or kept. The empty state always is.
    pub fn has_root(&self, root: &B256) -> Result<bool, StateError> {
        match self.get(root) {
            _ if *root == EMPTY_ROOT => Ok(true),
            Ok(_) => Ok(true),
            Err(StateError::MissingNode(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Read access to the state under a root. [`StateError::MissingNode`] when there is none. A
    /// reader keeps reading that state whatever happens to the head.
    pub fn reader(self: &Arc<Self>, root: B256) -> Result<Arc<dyn StateReader>, StateError> {
        if self.has_root(&root)? {
            Ok(Arc::new(RootReader::new(self.clone(), root)))
        } else {
            Err(StateError::MissingNode(root))
        }
    }

    /// Read access to as much of the state under a root as is in memory: what is not, the root
    /// included, gives [`StateError::MissingNode`]. For threads that must not wait for the disk.
    pub fn memory_reader(self: &Arc<Self>, root: B256) -> impl StateReader + use<> {
        RootReader::of_memory(self.clone(), root)
    }

    /// The trie under a root. A missing root shows with the first access.
    pub fn trie(self: &Arc<Self>, root: B256) -> Trie {
        Trie::at(self.clone(), root)
    }

    /// Applies changes to the state under `root`. Nothing is kept: dropping the result discards it.
    pub fn apply(self: &Arc<Self>, root: B256, changes: &WriteSet) -> Result<AppliedState, StateError> {
        AppliedState::compute(self.trie(root), root, changes)
    }

    /// Makes an applied state readable in this process. It becomes durable with the next [`Self::commit`].
    pub fn keep(&self, applied: AppliedState) {
        let nodes = applied.into_nodes();
        for (hash, bytes) in &nodes {
            if bytes.len() <= LONGEST_CACHED_NODE {
                self.nodes.insert(*hash, bytes.clone());
            }
        }
        self.pending.add(|batch| batch.nodes.extend(nodes));
    }

    /// Writes everything kept so far in one durable transaction. When it fails, all of it still
    /// waits and stays readable.
    pub fn commit(&self) -> Result<(), StateError> {
        let _committing = self.committing.lock();
        let batch = self.pending.start();
        let result = if batch.is_empty() { Ok(()) } else { self.backend.write(&batch) };
        self.pending.finish(result.is_ok());
        result
    }

    /// Names the head's root. With `change`, the root and changes that `root` came from, cached reads
    /// of the former head are carried over when that head was this parent; otherwise they are dropped.
    pub fn set_head(&self, root: B256, change: Option<(&B256, &WriteSet)>) {
        self.head.move_to(root, change);
    }

    /// Keeps which Unitrie root stands for a header's state root (blocks before RSKIP126, whose
    /// header carries an orchid root). Durable with the next commit.
    pub fn put_root(&self, header_root: B256, root: B256) {
        self.pending.add(|batch| {
            batch.roots.insert(header_root, root);
        });
    }

    /// The Unitrie root for a header's state root, if one was put.
    pub fn root_for(&self, header_root: &B256) -> Result<Option<B256>, StateError> {
        match self.pending.get(|batch| batch.roots.get(header_root).copied()) {
            Some(root) => Ok(Some(root)),
            None => self.backend.root(header_root),
        }
    }

    /// Keeps the facts of a connected block. Durable with the next commit.
    pub fn put_ancestor(&self, block: AncestorBlock) {
        let encoded = Bytes::from(encode_ancestor(&block));
        self.pending.add(|batch| {
            batch.ancestors.insert(block.hash, encoded);
        });
        self.window.write().extend(Arc::new(block));
    }

    /// The facts of a block that was put before.
    pub fn ancestor(&self, hash: &B256) -> Result<Option<Arc<AncestorBlock>>, StateError> {
        let encoded = match self.pending.get(|batch| batch.ancestors.get(hash).cloned()) {
            Some(encoded) => Some(encoded),
            None => self.backend.ancestor(hash)?,
        };
        encoded.map(|encoded| decode_ancestor(hash, &encoded).map(Arc::new)).transpose()
    }

    /// The branch that ends with the block `parent_hash`, for executing a block on top of it. Depths
    /// on the branch that was asked for last take constant time, also thousands of blocks down.
    pub fn ancestry(self: &Arc<Self>, parent_hash: B256) -> Arc<dyn Ancestry> {
        Arc::new(BranchBelow::new(self.clone(), parent_hash))
    }

    /// At most `limit` storage cells of an account in trie order, after the slot `after` when given
    /// (it need not exist): slot, and bytes as stored.
    pub fn storage_cells(
        self: &Arc<Self>,
        root: B256,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        self.trie(root).storage_cells(account, after, limit)
    }

    /// Sizes for metrics.
    pub fn figures(&self) -> StoreFigures {
        StoreFigures {
            pending_nodes: self.pending.nodes(),
            node_cache_bytes: self.nodes.bytes(),
            node_cache_entries: self.nodes.len(),
            code_cache_bytes: self.codes.bytes(),
            head_cache_bytes: self.head.bytes(),
            head_cache_entries: self.head.len(),
        }
    }

    /// Empties the node and code caches; reads then go to the store. For measurements.
    pub fn drop_caches(&self) {
        self.nodes.clear();
        self.codes.clear();
    }

    /// Bytes under a hash without the cache in between.
    pub(crate) fn get_uncached(&self, hash: &B256) -> Result<Bytes, StateError> {
        // Pending first: a commit moves entries from there to the backend, never back.
        if let Some(bytes) = self.pending.get(|batch| batch.nodes.get(hash).cloned()) {
            return Ok(bytes);
        }
        self.backend.node(hash)?.ok_or(StateError::MissingNode(*hash))
    }
}

impl NodeSource for StateStore {
    fn get(&self, hash: &B256) -> Result<Bytes, StateError> {
        if let Some(bytes) = self.nodes.get(hash) {
            return Ok(bytes);
        }
        let bytes = self.get_uncached(hash)?;
        if bytes.len() <= LONGEST_CACHED_NODE {
            self.nodes.insert(*hash, bytes.clone());
        }
        Ok(bytes)
    }
}
