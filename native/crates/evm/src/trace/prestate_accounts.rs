//! Accounts as `prestateTracer` has them.

use std::collections::BTreeMap;

use rhizome_primitives::{Address, Bytes, U256};

/// An account before the transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountState {
    /// True when it existed.
    pub(crate) exists: bool,
    pub(crate) balance: U256,
    pub(crate) nonce: U256,
    pub(crate) code: Bytes,
    pub(crate) storage: BTreeMap<U256, U256>,
}

/// Accounts by address.
pub(crate) type Accounts = BTreeMap<Address, AccountState>;

/// The changed fields of an account after the transaction. Storage words of zero are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountChange {
    pub(crate) balance: Option<U256>,
    pub(crate) nonce: Option<U256>,
    pub(crate) code: Option<Bytes>,
    pub(crate) storage: BTreeMap<U256, U256>,
}
