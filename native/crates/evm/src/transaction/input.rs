//! A transaction as it is executed, and where.

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::SignedHash;
use rhizome_primitives::{Address, B256, Bytes, U256};

/// A decoded transaction. Fields out of range were refused before (evm.md §3.1).
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Hash.
    pub hash: B256,
    /// Signer.
    pub sender: AccountRef,
    /// Nonce.
    pub nonce: U256,
    /// Wei per gas.
    pub gas_price: U256,
    /// Gas limit, below 2^63.
    pub gas_limit: u64,
    /// Receiver; None creates a contract.
    pub to: Option<Address>,
    /// Wei, below 2^255.
    pub value: U256,
    /// Call data or initcode; empty data count as the reference's null.
    pub data: Bytes,
    /// True when signature components and chain id are accepted (consensus.md §5.2).
    pub signature_accepted: bool,
    /// The signature where a contract may need the signer's key; None counts as unsigned.
    pub signature: Option<SignedHash>,
    /// True when this is the REMASC transaction of its block (consensus.md §5.3).
    pub remasc: bool,
}

/// The position of a transaction in its block or sublist.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Index in the block.
    pub index: u32,
    /// Gas used before it in the block, or in the sublist under RSKIP144.
    pub gas_used: u64,
    /// Gas limit of the block, or of the sublist.
    pub gas_limit: u64,
}

/// Time at which fees reach REMASC (evm.md §3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeePayment {
    /// At the end of the transaction.
    AtOnce,
    /// The caller pays them later.
    Postponed,
}
