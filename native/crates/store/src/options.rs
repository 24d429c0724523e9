//! Sizes of a store.

const MIB: usize = 1 << 20;

/// Sizes of the caches and of the memory map. The store's file grows as needed up to the map's size.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Bytes of serialised trie nodes in the cache. Revise when historic reads show in profiles as LMDB lookups; the
    /// nodes above the accounts of a main-network state take about 100 MiB.
    pub node_cache_bytes: usize,
    /// Bytes of code in the cache.
    pub code_cache_bytes: usize,
    /// Bytes of decoded accounts and cells of the head state in the cache.
    pub head_cache_bytes: usize,
    /// Minimum length in bytes of the part of the log whose nodes stay parsed for the next change of the state; the
    /// maximum is twice that. A node takes about four times its bytes in memory.
    pub parsed_log_bytes: u64,
    /// Size of the memory map in bytes, rounded up to whole pages: the maximum size of the file. The map takes only
    /// address space, so it can be large.
    pub map_bytes: usize,
    /// Opens an existing store for reading only; another process may be writing it.
    pub read_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            node_cache_bytes: 256 * MIB,
            code_cache_bytes: 64 * MIB,
            head_cache_bytes: 128 * MIB,
            parsed_log_bytes: 8 << 20,
            map_bytes: 256 * 1024 * MIB,
            read_only: false,
        }
    }
}
