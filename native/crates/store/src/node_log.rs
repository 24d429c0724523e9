//! The log of nodes: every stored node has a position in one endless sequence of bytes, its [`Location`]. A node names
//! the positions of its children, so that no index of nodes is needed: writes are sequential, and a read goes straight
//! to its position. The log is stored in segments.

use std::collections::BTreeMap;

use rhizome_primitives::{B256, Bytes};
use rhizome_trie::{Location, NodeSink, StoredNode};

/// Position of the first node; lower positions are invalid ([`Location::UNKNOWN`]).
pub(crate) const START: u64 = 1;

/// Bytes of a position in a record: 2^48 bytes are more than any disk has.
const POSITION_BYTES: usize = 6;
/// First position that a record cannot encode.
pub(crate) const LIMIT: u64 = 1 << (8 * POSITION_BYTES);
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
/// Bytes before the positions: a byte that flags which children are stored separately, and the length of the
/// serialisation (little-endian).
const PREFIX_BYTES: usize = 1 + 4;

/// Segments of the log by the position of their first byte.
pub(crate) type Segments = BTreeMap<u64, Bytes>;

/// The record at a position, if one of the segments holds it.
pub(crate) fn find_record(segments: &Segments, at: Location) -> Option<StoredNode> {
    let (start, segment) = segments.range(..=at.0).next_back()?;
    read_record(segment, usize::try_from(at.0 - start).ok()?)
}

/// The node whose record starts at an offset of a segment; None when the record is incomplete.
pub(crate) fn read_record(segment: &[u8], offset: usize) -> Option<StoredNode> {
    let record = segment.get(offset..)?;
    let (prefix, mut rest) = record.split_at_checked(PREFIX_BYTES)?;
    let mut children = [Location::UNKNOWN; 2];
    for (location, flag) in children.iter_mut().zip([LEFT, RIGHT]) {
        if prefix[0] & flag != 0 {
            let (position, after) = rest.split_at_checked(POSITION_BYTES)?;
            let mut bytes = [0; 8];
            bytes[..POSITION_BYTES].copy_from_slice(position);
            *location = Location(u64::from_le_bytes(bytes));
            rest = after;
        }
    }
    let length = u32::from_le_bytes(prefix[1..].try_into().ok()?) as usize;
    Some(StoredNode { message: Bytes::copy_from_slice(rest.get(..length)?), children })
}

/// Bytes of the record that begins here; None when there are too few bytes to say so.
pub(crate) fn record_span(record: &[u8]) -> Option<usize> {
    let (prefix, _) = record.split_at_checked(PREFIX_BYTES)?;
    let children = (prefix[0] & (LEFT | RIGHT)).count_ones() as usize;
    let length = u32::from_le_bytes(prefix[1..].try_into().ok()?) as usize;
    Some(PREFIX_BYTES + children * POSITION_BYTES + length)
}

/// True when the flags in the first byte of the record at an offset are exactly those of this node's children.
pub(crate) fn has_flags_of(segment: &[u8], offset: usize, node: &StoredNode) -> bool {
    segment.get(offset) == Some(&flags_of(node.children))
}

/// Bytes of a node's record.
pub(crate) fn record_length(node: &StoredNode) -> usize {
    let children = node.children.iter().filter(|child| **child != Location::UNKNOWN).count();
    PREFIX_BYTES + children * POSITION_BYTES + node.message.len()
}

/// Appends a node's record.
pub(crate) fn write_record(out: &mut Vec<u8>, message: &[u8], children: [Location; 2]) {
    out.push(flags_of(children));
    out.extend_from_slice(&(message.len() as u32).to_le_bytes());
    for child in children.into_iter().filter(|child| *child != Location::UNKNOWN) {
        out.extend_from_slice(&child.0.to_le_bytes()[..POSITION_BYTES]);
    }
    out.extend_from_slice(message);
}

fn flags_of(children: [Location; 2]) -> u8 {
    let flag = |child: Location, flag: u8| if child == Location::UNKNOWN { 0 } else { flag };
    flag(children[0], LEFT) | flag(children[1], RIGHT)
}

/// A segment that is being built, and its long values.
pub(crate) struct Segment {
    start: u64,
    pub(crate) bytes: Vec<u8>,
    /// Number of nodes.
    pub(crate) nodes: usize,
    pub(crate) values: Vec<(B256, Bytes)>,
}

impl Segment {
    pub(crate) fn at(start: u64) -> Self {
        Self { start, bytes: Vec::new(), nodes: 0, values: Vec::new() }
    }

    /// Position behind it.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl NodeSink for Segment {
    fn node(&mut self, _hash: B256, message: &Bytes, children: [Location; 2]) -> Location {
        let at = Location(self.end());
        write_record(&mut self.bytes, message, children);
        self.nodes += 1;
        at
    }

    fn value(&mut self, hash: B256, bytes: &Bytes) {
        self.values.push((hash, bytes.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_position() {
        let mut segments = Segments::new();
        let mut end = START;
        let mut written = Vec::new();
        for length in 0..40usize {
            let mut segment = Segment::at(end);
            for children in [[0, 0], [0, 7], [9, 0], [u64::from(u32::MAX) << 8, 1]] {
                let node =
                    StoredNode { message: vec![length as u8; length * 7].into(), children: children.map(Location) };
                written.push((segment.node(B256::ZERO, &node.message, node.children), node));
            }
            let start = end;
            end = segment.end();
            segments.insert(start, segment.bytes.into());
        }
        for (at, node) in written {
            assert_eq!(find_record(&segments, at), Some(node));
        }
        assert_eq!(find_record(&segments, Location(end)), None);
        assert_eq!(find_record(&segments, Location(0)), None);
    }
}
