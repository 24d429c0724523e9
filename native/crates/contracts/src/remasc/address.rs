//! The account of REMASC.

use rhizome_primitives::{Address, address};

/// The contract and the account that holds the fees not yet paid out.
pub(crate) const REMASC_ADDRESS: Address = address!("0000000000000000000000000000000001000008");
