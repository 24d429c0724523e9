//! Peg-outs: RBTC that becomes Bitcoin (bridge.md §4.1, §4.3, §4.5).

pub(crate) mod confirmations;
pub(crate) mod confirmed;
pub(crate) mod estimate;
mod hash_table;
pub(crate) mod migration;
pub(crate) mod refund;
pub(crate) mod release;
pub(crate) mod requests;
pub(crate) mod settle;
pub(crate) mod signatures;
mod tree_bin;

pub(crate) use refund::{Refund, refund_flyover, refund_pegin};
pub(crate) use settle::{Funds, report_inputs, settle};
