//! Where the root node of a state is, and what is known of where its nodes lie.

use crate::node_log::START;
use rhizome_trie::Location;

/// Bytes of a position in a record.
const POSITION_BYTES: usize = 8;

/// Progress of the copying of a state's older nodes to the end of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copying {
    /// Nodes before this position are copied.
    pub(crate) below: u64,
    /// Nodes that were read so far.
    pub(crate) visited: u64,
    /// Key from which on nodes may still lie before it.
    pub(crate) from: Vec<u8>,
}

/// Extent of the nodes of a state. A state that is made of another one by changes begins with the extent of that one,
/// because its new nodes lie behind all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// No node of the state lies before this position.
    pub(crate) floor: u64,
    pub(crate) copying: Option<Copying>,
}

impl Extent {
    /// Record of any state.
    pub(crate) const UNKNOWN: Self = Self { floor: START, copying: None };
    /// The empty state has no nodes.
    pub(crate) const EMPTY: Self = Self { floor: u64::MAX, copying: None };
}

/// A state in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateRecord {
    /// Location of the root node.
    pub(crate) at: Location,
    pub(crate) extent: Extent,
    /// True when the state was stored more than once: states that were made of it may have older nodes than it has now.
    pub(crate) is_repeated: bool,
}

const REPEATED: u8 = 1;
const COPYING: u8 = 2;

impl StateRecord {
    /// A state of which no more is known.
    pub(crate) fn at(at: Location) -> Self {
        Self { at, extent: Extent::UNKNOWN, is_repeated: false }
    }

    /// The record as it is stored: the position alone where nothing more is known.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = self.at.0.to_be_bytes().to_vec();
        let Extent { floor, copying } = &self.extent;
        if *floor == START && copying.is_none() && !self.is_repeated {
            return out;
        }
        out.extend_from_slice(&floor.to_be_bytes());
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        out.push(flag(self.is_repeated, REPEATED) | flag(copying.is_some(), COPYING));
        if let Some(copying) = copying {
            out.extend_from_slice(&copying.below.to_be_bytes());
            out.extend_from_slice(&copying.visited.to_be_bytes());
            out.extend_from_slice(&copying.from);
        }
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let at = Location(take(&mut rest)?);
        if rest.is_empty() {
            return Some(Self::at(at));
        }
        let floor = take(&mut rest)?;
        let (flags, mut rest) = rest.split_first()?;
        let copying = if flags & COPYING != 0 {
            let (below, visited) = (take(&mut rest)?, take(&mut rest)?);
            Some(Copying { below, visited, from: rest.to_vec() })
        } else if rest.is_empty() {
            None
        } else {
            return None;
        };
        Some(Self { at, extent: Extent { floor, copying }, is_repeated: flags & REPEATED != 0 })
    }
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let (first, after) = rest.split_first_chunk::<POSITION_BYTES>()?;
    *rest = after;
    Some(u64::from_be_bytes(*first))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let copying = |from: &[u8]| Some(Copying { below: 9, visited: 3, from: from.to_vec() });
        for (extent, is_repeated, length) in [
            (Extent::UNKNOWN, false, 8),
            (Extent::UNKNOWN, true, 17),
            (Extent { floor: 7, copying: None }, false, 17),
            (Extent { floor: START, copying: copying(&[]) }, false, 33),
            (Extent { floor: 7, copying: copying(&[1, 2]) }, true, 35),
        ] {
            let record = StateRecord { at: Location(1 << 40), extent, is_repeated };
            let bytes = record.encode();
            assert_eq!(bytes.len(), length);
            assert_eq!(StateRecord::decode(&bytes), Some(record));
        }
        assert_eq!(StateRecord::decode(&[0; 7]), None);
        assert_eq!(StateRecord::decode(&[0; 16]), None);
        assert_eq!(StateRecord::decode(&[0; 18]), None);
    }
}
