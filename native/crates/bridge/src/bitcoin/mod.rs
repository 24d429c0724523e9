//! The Bitcoin side: scripts, addresses, headers, merkle branches (bridge.md §3).

pub(crate) mod address;
pub(crate) mod header;
pub(crate) mod merkle;
pub(crate) mod script;
pub(crate) mod size;
