//! Elections among authorisers (bridge.md §4.7): who may vote, and when a call is executed.

mod federation;
mod fee;

pub(crate) use federation::{FederationChange, vote_federation_change};
pub(crate) use fee::vote_fee_per_kb;

/// Result for a voter without the right to vote, for a second vote for the same call, and for arguments that cannot be
/// read (bridge.md §1.5).
pub(crate) const GENERIC_ERROR: i64 = -10;

/// Result of a vote that counts.
pub(crate) const SUCCESS: i64 = 1;
