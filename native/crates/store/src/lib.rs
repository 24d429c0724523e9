//! The state store: trie nodes, code and ancestor facts in LMDB, with the caches that all threads share
