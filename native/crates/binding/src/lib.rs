//! The Node.js addon. It converts between JavaScript values and the core crates and maps their errors; it computes
//! nothing itself.

#![cfg_attr(test, allow(dead_code, reason = "only JavaScript calls what is exported"))]
#![allow(unsafe_code, reason = "memory of JavaScript, and what napi generates")]
#![allow(unreachable_pub, reason = "napi exports what is public in private modules")]

mod answers;
mod basic_cost;
mod block;
mod boot_clock;
mod borrowed;
mod bridge;
mod build_info;
mod byte_array;
mod bytes;
mod call;
mod call_engine;
mod chunks;
mod crypto;
mod decompression;
mod direct_function;
mod directory_lock;
mod errors;
mod execution;
mod fast_path;
mod fast_path_types;
mod fork;
mod interrupt;
mod lmdb_message;
mod log_pages;
mod log_subscriptions;
mod lost_pages;
mod merged_mining;
mod nonce_search;
mod object_text;
mod orchid_state;
mod precompile;
mod simulate;
mod snapshot;
mod socket_bytes;
mod spec;
mod store;
mod store_older;
mod store_tables;
mod submission;
mod terminals;
mod trace;
mod transaction;
mod trie;
mod wire;
