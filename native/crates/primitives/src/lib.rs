//! Types shared by the core crates: activation rules, chain specification, block metadata, and the interfaces between
//! the EVM, the state and the precompiled contracts. The core crates know nothing of Node.js.

pub mod abi;
pub mod account;
pub mod block;
pub mod bridge_spec;
pub mod contract;
pub mod interrupt;
pub mod rlp;
pub mod rules;
pub mod spec;
pub mod state;

pub use alloy_primitives::{Address, B256, Bytes, U256, address, b256, hex};
