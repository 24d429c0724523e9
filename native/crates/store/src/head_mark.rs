//! The mark of the table of the head: for which state it stands.
//!
//! Each state for which it stands gets a *step*, a number that only grows, also where the chain goes back: the line of
//! states. What a step changed is recorded (`head_record`), so that earlier states of the line can be read.

use rhizome_primitives::B256;

use crate::head_rows::number;

/// The newest state of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineEnd {
    pub(crate) root: B256,
    /// Its step.
    pub(crate) step: u64,
    /// The lowest step whose state can be read: changes are recorded from the next one on.
    pub(crate) base: u64,
}

/// For which state the table stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadMark {
    /// For that at the end of the line.
    At(LineEnd),
    /// It is being moved from one state to another: up to and including this key of the trie it stands for the latter.
    /// What was changed so far are steps up to this one, which lead to no state of a name.
    Moving { from: B256, to: B256, step: u64, base: u64, after: Vec<u8> },
    /// It is being made for a state, whose rows up to this key of the trie are sorted in so many runs. The line begins
    /// anew with the step.
    Sorting { to: B256, runs: u32, step: u64, after: Vec<u8> },
    /// So many runs have all rows of the state, and are being appended to the table.
    Merging { to: B256, runs: u32, step: u64 },
}

/// First bytes of the marks of this version of keys and rows. A table with a mark of another one is made anew.
const AT: u8 = 0x03;
const MOVING: u8 = 0x95;
const SORTING: u8 = 0x96;
const MERGING: u8 = 0x97;

impl HeadMark {
    /// The first step that no state has had.
    pub(crate) fn next_step(mark: Option<&Self>) -> u64 {
        1 + match mark {
            None => 0,
            Some(Self::At(LineEnd { step, .. })) => *step,
            Some(Self::Moving { step, .. } | Self::Sorting { step, .. } | Self::Merging { step, .. }) => *step,
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::At(LineEnd { root, step, base }) => {
                [&[AT], root.as_slice(), &step.to_be_bytes(), &base.to_be_bytes()].concat()
            }
            Self::Moving { from, to, step, base, after } => {
                [&[MOVING], to.as_slice(), &step.to_be_bytes(), from.as_slice(), &base.to_be_bytes(), after].concat()
            }
            Self::Sorting { to, runs, step, after } => {
                [&[SORTING], to.as_slice(), &step.to_be_bytes(), &runs.to_be_bytes(), after].concat()
            }
            Self::Merging { to, runs, step } => {
                [&[MERGING], to.as_slice(), &step.to_be_bytes(), &runs.to_be_bytes()].concat()
            }
        }
    }

    /// None for a mark that this version does not know.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (&kind, rest) = bytes.split_first()?;
        let (to, rest) = rest.split_at_checked(32)?;
        let (step, mut rest) = rest.split_at_checked(8)?;
        let (to, step) = (B256::from_slice(to), u64::from_be_bytes(step.try_into().ok()?));
        Some(match kind {
            AT => Self::At(LineEnd { root: to, step, base: u64::from_be_bytes(rest.try_into().ok()?) }),
            MOVING => {
                let (from, rest) = rest.split_at_checked(32)?;
                let (base, after) = rest.split_at_checked(8)?;
                let base = u64::from_be_bytes(base.try_into().ok()?);
                Self::Moving { from: B256::from_slice(from), to, step, base, after: after.to_vec() }
            }
            SORTING => Self::Sorting { to, runs: number(&mut rest)?, step, after: rest.to_vec() },
            MERGING => Self::Merging { to, runs: number(&mut rest)?, step },
            _ => return None,
        })
    }
}

/// The end of the line for which the table stands; None while it stands for no state.
pub(crate) fn line_end(mark: &[u8]) -> Option<LineEnd> {
    if mark.first() != Some(&AT) {
        return None;
    }
    match HeadMark::decode(mark)? {
        HeadMark::At(end) => Some(end),
        _ => None,
    }
}
