//! The smallest peg-in.

use rhizome_primitives::rules::Rule;

use crate::storage::Frame;

/// Smallest amount that may be sent to a federation, satoshi (RSKIP219).
pub(crate) fn minimum(frame: &Frame<'_>) -> i64 {
    let minimum = &frame.bridge().minimum_pegin;
    (if frame.active(Rule::Rskip219) { minimum.rskip219 } else { minimum.legacy }) as i64
}
