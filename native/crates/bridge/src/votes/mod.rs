//! Elections among authorisers (bridge.md §4.7): who may vote, when a call is carried out.

mod federation;
mod fee;

pub(crate) use federation::{FederationChange, vote_federation_change};
pub(crate) use fee::vote_fee_per_kb;

/// Answer to a voter without the right to vote, to a second vote for the same call and to arguments that cannot be
/// read (bridge.md §1.5).
pub(crate) const GENERIC_ERROR: i64 = -10;

/// Answer to a vote that counts.
pub(crate) const SUCCESS: i64 = 1;
