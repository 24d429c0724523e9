//! A change of the table of the head for a commit.

use std::sync::Arc;

use crate::head_changes::HeadChanges;
use crate::head_mark::HeadMark;
use crate::head_view::Layer;

/// Step of a commit for the table.
pub(crate) enum HeadStep<'a> {
    /// Each layer is a step of the line.
    Layers(&'a [Arc<Layer>]),
    /// A part of a move to a state: a step of its own. The last one leads to the state.
    Part(&'a HeadChanges),
}

/// A change of the table for a commit.
pub(crate) struct HeadWrite<'a> {
    /// Mark that is expected; the table is not changed where it is another one.
    pub(crate) from: Option<&'a HeadMark>,
    pub(crate) step: HeadStep<'a>,
    pub(crate) mark: HeadMark,
}
