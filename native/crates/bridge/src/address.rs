//! The account of the Bridge.

use rhizome_primitives::{Address, address};

/// Address of the Bridge.
pub const ADDRESS: Address = address!("0000000000000000000000000000000001000006");
