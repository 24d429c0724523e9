//! The store: nodes, roots, ancestors, and the life cycle of a block's changes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::{StateError, StateReader, WriteSet};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::chunk::{CHUNK_SPAN, StateChunk, read_chunk, trie_size};
use rhizome_trie::node::Link;
use rhizome_trie::{EMPTY_ROOT, Location, StoredNode, Trie};

use crate::ancestry::Window;
use crate::applied::AppliedState;
use crate::backend::Backend;
use crate::batch::Batch;
use crate::deep_blocks::DeepBlocks;
use crate::fork::{Fork, ForkReader};
use crate::format::StoreFormat;
use crate::head_cache::HeadCache;
use crate::head_move::Flush;
use crate::head_view::HeadTable;
use crate::node_cache::NodeCache;
use crate::node_log::{START, Segment, find_record};
use crate::node_reads::UncachedNodes;
use crate::options::StoreOptions;
use crate::pending::Pending;
use crate::reader::RootReader;
use crate::registry;
use crate::state_record::{Extent, StateRecord};

/// Longest node that is cached when it is committed: only odd tries have longer ones.
const MAX_CACHED_NODE_BYTES: usize = 512;

/// Bytes of cached locations of root nodes: some ten thousand states.
const STATE_CACHE_BYTES: usize = 1 << 20;

/// States, code and ancestor metadata. Shared by all threads as an `Arc`; closed when the last one is dropped.
pub struct StateStore {
    pub(crate) backend: Backend,
    pub(crate) pending: Pending,
    pub(crate) head: HeadCache,
    pub(crate) codes: NodeCache<B256, Bytes>,
    pub(crate) window: RwLock<Window>,
    /// True once a thread was started that fills the window ([`Self::fill_window`]).
    pub(crate) is_filled: AtomicBool,
    pub(crate) nodes: NodeCache<Location, StoredNode>,
    pub(crate) states: NodeCache<B256, Location>,
    pub(crate) table: HeadTable,
    /// Roots of states that users edited, by the hash of the block before the edit.
    edited: RwLock<HashMap<B256, B256>>,
    /// Set once, before anything is read, where the chain is a fork.
    fork: OnceLock<Arc<Fork>>,
    keeping: Mutex<Keeping>,
    /// Blocks below those in memory, by number.
    pub(crate) deep: DeepBlocks,
    /// See [`StoreOptions::parsed_log_bytes`].
    parsed_log_bytes: u64,
    /// One commit at a time.
    pub(crate) committing: Mutex<()>,
}

/// State of [`StateStore::keep`], which runs one call at a time.
struct Keeping {
    /// Position behind the log.
    end: u64,
    /// The state that was kept last.
    last: Option<LastState>,
}

/// A state with the nodes that are still parsed.
struct LastState {
    root: B256,
    link: Link,
    extent: Extent,
}

impl LastState {
    fn to_parts(&self) -> (Link, Extent) {
        (self.link.clone(), self.extent.clone())
    }
}

/// Sizes for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
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
    /// Reads of the table of the head in which threads that must not wait for the disk waited for it.
    pub head_waits: u64,
    /// Reads of that table that such threads left to others after that.
    pub head_reads_left: u64,
}

impl StateStore {
    /// Opens the store in a folder, creating it if it is missing. A store that is already open in this process is
    /// shared and keeps its options. Fails for a store of another format version.
    pub fn open(path: &Path, options: &StoreOptions) -> Result<Arc<Self>, StateError> {
        registry::open(path, options)
    }

    /// A store in memory, which ends with its last reference. It has the same interface; `commit` makes nothing durable.
    pub fn in_memory(options: &StoreOptions) -> Arc<Self> {
        Arc::new(Self::with_backend(Backend::Memory(RwLock::new(Batch::default())), START, options))
    }

    /// Closes the files, for every holder in this process, once no read and no write is under way. Uncommitted changes
    /// are lost; every later access to the files is an error. The folder may be opened again then.
    pub fn close(&self) {
        self.backend.close();
    }

    /// The format of the store in a folder and the program that wrote it; None where there is no store, or a new one.
    /// Nothing is written, and no format is refused.
    pub fn format(path: &Path) -> Result<Option<StoreFormat>, StateError> {
        registry::format(path)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.backend.is_closed()
    }

    /// `end` is the position behind the log that the backend has.
    pub(crate) fn with_backend(backend: Backend, end: u64, options: &StoreOptions) -> Self {
        Self {
            backend,
            pending: Pending::default(),
            head: HeadCache::new(options.head_cache_bytes),
            codes: NodeCache::new(options.code_cache_bytes),
            window: RwLock::new(Window::default()),
            is_filled: AtomicBool::default(),
            nodes: NodeCache::new(options.node_cache_bytes),
            states: NodeCache::new(STATE_CACHE_BYTES),
            table: HeadTable::new(!options.read_only),
            edited: RwLock::default(),
            fork: OnceLock::new(),
            keeping: Mutex::new(Keeping { end, last: None }),
            deep: DeepBlocks::default(),
            parsed_log_bytes: options.parsed_log_bytes,
            committing: Mutex::new(()),
        }
    }

    /// True when the state under this root is stored or kept. The empty state always is.
    pub fn has_root(&self, root: &B256) -> Result<bool, StateError> {
        Ok(*root == EMPTY_ROOT || self.state(root)?.is_some())
    }

    /// Read access to the state under a root. [`StateError::MissingNode`] when there is none. The reader keeps reading
    /// that state when the head changes. Of a state whose trie was given up it reads the values that the line has.
    pub fn reader(self: &Arc<Self>, root: B256) -> Result<Arc<dyn StateReader>, StateError> {
        let local = match self.state(&root)? {
            Some(at) => RootReader::new(self.clone(), root, at),
            None if root == EMPTY_ROOT => RootReader::new(self.clone(), root, Location::UNKNOWN),
            None if self.has_values(&root)? => RootReader::of_line(self.clone(), root),
            None => return Err(StateError::MissingNode(root)),
        };
        Ok(match self.fork() {
            None => Arc::new(local),
            Some(fork) => Arc::new(ForkReader::new(local, fork.clone())),
        })
    }

    /// Has everything that the states of this store do not hold read from an upstream. To be called before anything is
    /// read; false when it was called before.
    pub fn attach_fork(&self, fork: Arc<Fork>) -> bool {
        self.fork.set(fork).is_ok()
    }

    /// The upstream; None where the chain is no fork.
    pub fn fork(&self) -> Option<&Arc<Fork>> {
        self.fork.get()
    }

    /// Read access to the part of the state under a root that is in memory: everything else, the root included, gives
    /// [`StateError::MissingNode`], and so do lists of cells. The table of the head counts as memory, unless a read of it
    /// had to wait for the disk shortly before. For threads that must not wait for the disk.
    pub fn memory_reader(self: &Arc<Self>, root: B256) -> impl StateReader + use<> {
        // What a fork has not changed is in no node: no root has this name, so that nothing is found.
        let root = if self.fork().is_some() { B256::repeat_byte(0xff) } else { root };
        RootReader::of_memory(self.clone(), root)
    }

    /// The same for a thread that may wait for the disk where it reads the table of the head: it never walks down the
    /// trie there. For tests and measurements.
    pub fn table_reader(self: &Arc<Self>, root: B256) -> impl StateReader + use<> {
        RootReader::of_table(self.clone(), root)
    }

    /// The trie under a root. A missing root is reported by the first access.
    pub fn trie(self: &Arc<Self>, root: B256) -> Trie {
        Trie::at(self.clone(), root)
    }

    /// Applies changes to the state under `root`. Nothing is kept yet: dropping the result discards it.
    pub fn apply(self: &Arc<Self>, root: B256, changes: &WriteSet) -> Result<AppliedState, StateError> {
        // Taken out, so that its nodes are changed in place.
        let parsed = self.keeping.lock().last.take_if(|last| last.root == root).map(|last| (last.link, last.extent));
        let (trie, extent) = self.changing(root, parsed)?;
        self.computed(trie, extent, root, changes)
    }

    /// Like [`Self::apply`], for a state that most likely is not kept.
    pub fn apply_aside(self: &Arc<Self>, root: B256, changes: &WriteSet) -> Result<AppliedState, StateError> {
        let parsed = self.keeping.lock().last.as_ref().filter(|last| last.root == root).map(LastState::to_parts);
        let (trie, extent) = self.changing(root, parsed)?;
        self.computed(trie, extent, root, changes)
    }

    fn computed(&self, trie: Trie, extent: Extent, root: B256, changes: &WriteSet) -> Result<AppliedState, StateError> {
        match self.fork() {
            None => AppliedState::compute(trie, root, extent, changes),
            Some(_) => AppliedState::compute_fork(trie, root, extent, changes),
        }
    }

    /// The trie to which changes are applied, with the nodes that are parsed already, and what is known of where its
    /// nodes lie.
    fn changing(self: &Arc<Self>, root: B256, parsed: Option<(Link, Extent)>) -> Result<(Trie, Extent), StateError> {
        let source = Arc::new(UncachedNodes::new(self.clone()));
        match parsed {
            Some((link, extent)) => Ok((Trie::from_root(source, link), extent)),
            // Read before the trie: the nodes that are found later lie no further back.
            None => self.extent(&root).map(|extent| (Trie::at(source, root), extent)),
        }
    }

    /// Makes an applied state readable in this process. It becomes durable with the next [`Self::commit`].
    pub fn keep(&self, applied: AppliedState) {
        let root = applied.root();
        let extent = applied.extent.clone();
        let mut trie = applied.into_trie();
        let mut keeping = self.keeping.lock();
        let start = keeping.end;
        let mut segment = Segment::at(start);
        let mut extent = self.renew(&mut trie, extent);
        let at = trie.store_new(&mut segment);
        extent.floor = extent.floor.min(start);
        if segment.nodes > 0 {
            if self.has_newer(&root, &extent) {
                keeping.last = None;
                return;
            }
            keeping.end = segment.end();
            self.states.insert(root, at);
            self.pending.add(|batch| {
                batch.nodes += segment.nodes;
                batch.values.extend(segment.values);
                batch.segments.insert(start, segment.bytes.into());
                let is_repeated = batch.states.contains_key(&root);
                batch.states.insert(root, StateRecord { at, extent: extent.clone(), is_repeated });
            });
        }
        trie.forget_stored_before(Location(start), Location(start.saturating_sub(self.parsed_log_bytes)));
        keeping.last = Some(LastState { root, link: trie.into_root(), extent });
    }

    /// Appends checked nodes to the log, with long values and the locations of roots, in one durable transaction.
    pub(crate) fn append_log(
        self: &Arc<Self>,
        start: u64,
        nodes: &[u8],
        values: Vec<(B256, Bytes)>,
        roots: &[(B256, Location)],
    ) -> Result<(), StateError> {
        {
            let mut keeping = self.keeping.lock();
            if start < keeping.end {
                return Err(StateError::Store(format!("the log of nodes ends at {}, not before {start}", keeping.end)));
            }
            keeping.end = start + nodes.len() as u64;
            keeping.last = None;
            self.pending.add(|batch| {
                batch.values.extend(values);
                batch.states.extend(roots.iter().map(|(root, at)| (*root, StateRecord::at(*at))));
                if !nodes.is_empty() {
                    batch.segments.insert(start, Bytes::copy_from_slice(nodes));
                }
            });
        }
        self.commit()
    }

    /// Appends nodes that do not result from a change of state to the log. They are readable at once and durable with
    /// the next [`Self::commit`]. `write` returns the root of a state that is complete with them. Nothing is kept when
    /// it fails.
    pub(crate) fn append_nodes<E>(
        &self,
        write: impl FnOnce(&mut Segment) -> Result<Option<(B256, Location)>, E>,
    ) -> Result<(), E> {
        let mut keeping = self.keeping.lock();
        let start = keeping.end;
        let mut segment = Segment::at(start);
        let root = write(&mut segment)?;
        keeping.end = segment.end();
        self.pending.add(|batch| {
            batch.nodes += segment.nodes;
            batch.values.extend(segment.values);
            batch.states.extend(root.map(|(root, at)| (root, StateRecord::at(at))));
            if !segment.bytes.is_empty() {
                batch.segments.insert(start, segment.bytes.into());
            }
        });
        Ok(())
    }

    /// The chunk of a state from `from` on, as snapshot sync sends it (p2p.md §5 Snapshot sync). None behind its end,
    /// and when it would be longer than `limit`. The cache is read, but not filled.
    pub fn state_chunk(
        self: &Arc<Self>,
        root: B256,
        from: u64,
        limit: usize,
    ) -> Result<Option<StateChunk>, StateError> {
        let to = from.saturating_add(CHUNK_SPAN);
        read_chunk(&UncachedNodes::new(self.clone()), &root, from, to, limit)
    }

    /// Bytes of the state under a root, as snapshot sync counts them.
    pub fn state_size(self: &Arc<Self>, root: B256) -> Result<u64, StateError> {
        trie_size(&UncachedNodes::new(self.clone()), &root)
    }

    /// Writes everything that was kept so far in one durable transaction. When it fails, all of it stays readable and
    /// waits for the next commit.
    pub fn commit(self: &Arc<Self>) -> Result<(), StateError> {
        self.commit_with(false)
    }

    /// `moves_head` has the table of the head at the head then, if layers alone lie between.
    pub(crate) fn commit_with(self: &Arc<Self>, moves_head: bool) -> Result<(), StateError> {
        {
            let _committing = self.committing.lock();
            let batch = self.pending.start();
            let flush = self.head_flush(&batch, moves_head);
            let head = flush.as_ref().map(Flush::write);
            let result =
                if batch.is_empty() && head.is_none() { Ok(false) } else { self.backend.write(&batch, head.as_ref()) };
            self.cache_new_nodes(&batch);
            self.pending.finish(result.is_ok());
            if let Some(flush) = flush.filter(|_| matches!(result, Ok(true))) {
                self.head_flushed(&flush);
            }
            result?;
        }
        self.start_moving();
        self.start_epoch_work();
        Ok(())
    }

    /// Adds the nodes of a batch that the head has, and the state that was kept last, to the cache: readers that must not
    /// wait for the disk find them there from then on. Other nodes of the batch are of states that lasted for some blocks
    /// of an import.
    fn cache_new_nodes(&self, batch: &Batch) {
        let Some((first, _)) = batch.segments.first_key_value() else { return };
        let last = self.keeping.lock().last.as_ref().map(|last| last.root);
        let head = self.head.root();
        let roots = [last, head.filter(|_| head != last)];
        let mut rest: Vec<Location> =
            roots.iter().flatten().filter_map(|root| batch.states.get(root)).map(|record| record.at).collect();
        while let Some(at) = rest.pop() {
            let Some(node) = find_record(&batch.segments, at) else { continue };
            rest.extend(node.children.iter().filter(|child| child.0 >= *first));
            if node.message.len() <= MAX_CACHED_NODE_BYTES {
                self.nodes.insert(at, node);
            }
        }
    }

    /// Sets the root of the head. With `change`, the parent root and the changes that led to `root`, cached reads are
    /// carried over if the former head was this parent; otherwise they are dropped.
    pub fn set_head(self: &Arc<Self>, root: B256, change: Option<(&B256, &WriteSet)>) {
        self.move_head_table(root, change);
        self.head.move_to(root, change);
    }

    /// Records the Unitrie root after a block before RSKIP126, whose header carries an orchid root that is not
    /// verified. Durable with the next commit.
    pub fn put_root(&self, block_hash: B256, root: B256) {
        self.pending.add(|batch| {
            batch.roots.insert(block_hash, root);
        });
    }

    /// The Unitrie root that was recorded for a block.
    pub fn root_for(&self, block_hash: &B256) -> Result<Option<B256>, StateError> {
        match self.pending.get(|batch| batch.roots.get(block_hash).copied()) {
            Some(root) => Ok(Some(root)),
            None => self.backend.root(block_hash),
        }
    }

    /// Sets the root of the state after a block that a user edited; None restores the block's own root. It applies to
    /// this process alone and is never stored here: whoever stores edits sets them again when the store is opened.
    pub fn put_edited_root(&self, block_hash: B256, root: Option<B256>) {
        let mut edited = self.edited.write();
        match root {
            Some(root) => edited.insert(block_hash, root),
            None => edited.remove(&block_hash),
        };
    }

    /// Replaces all edited states by these, see [`Self::put_edited_root`].
    pub fn replace_edited_roots(&self, roots: HashMap<B256, B256>) {
        *self.edited.write() = roots;
    }

    /// The root that [`Self::put_edited_root`] set for the state after a block.
    pub fn edited_root(&self, block_hash: &B256) -> Option<B256> {
        self.edited.read().get(block_hash).copied()
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
        if self.fork().is_some() {
            return self.reader(root)?.storage_cells(account, after, limit);
        }
        self.own_cells(root, account, after, limit)
    }

    /// The same of what this store holds itself.
    pub(crate) fn own_cells(
        self: &Arc<Self>,
        root: B256,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        self.trie(root).storage_cells(account, after, limit)
    }

    /// State root in the format before RSKIP126 (consensus.md §6.9); None when it was interrupted. Reads the whole
    /// state without filling the node cache; [`Trie::orchid_state_root`] says what it holds in memory.
    pub fn orchid_state_root(self: &Arc<Self>, root: B256, interrupt: &Interrupt) -> Result<Option<B256>, StateError> {
        Trie::at(Arc::new(UncachedNodes::new(self.clone())), root).orchid_state_root(interrupt)
    }

    /// Sizes for metrics.
    pub fn stats(&self) -> StoreStats {
        let (head_waits, head_reads_left) = self.table.waits_and_left();
        StoreStats {
            pending_nodes: self.pending.nodes(),
            node_cache_bytes: self.nodes.bytes(),
            node_cache_entries: self.nodes.len(),
            code_cache_bytes: self.codes.bytes(),
            head_cache_bytes: self.head.bytes(),
            head_cache_entries: self.head.len(),
            head_waits,
            head_reads_left,
        }
    }

    /// Empties the node and code caches, so that reads go to the store. For measurements.
    pub fn drop_caches(&self) {
        self.nodes.clear();
        self.states.clear();
        self.codes.clear();
    }

    /// The location of a state's root node; None when the state is not there, and for the empty state.
    pub(crate) fn state(&self, root: &B256) -> Result<Option<Location>, StateError> {
        if let Some(at) = self.states.get(root) {
            return Ok(Some(at));
        }
        let found = match self.pending.get(|batch| batch.states.get(root).map(|record| record.at)) {
            Some(at) => Some(at),
            None => self.backend.state(root)?,
        };
        if let Some(at) = found {
            self.states.insert(*root, at);
        }
        Ok(found)
    }
}
