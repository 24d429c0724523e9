//! Nodes in the form that chunks use: without the hashes of children, and with long values inline.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use super::error::ChunkError;
use crate::node_view::{ChildView, MAX_EMBEDDED_BYTES, NodeView, ValueView, flags};
use crate::source::NodeSource;
use crate::value::{MAX_INLINE_VALUE_BYTES, MAX_VALUE_BYTES};
use crate::{keccak256, varint};

/// Bytes of the length of an embedded child in a chunk.
const LENGTH_BYTES: usize = 3;
const HASH_BYTES: usize = 32;

/// Writes a stored node in the form that chunks use.
///
/// # Errors
/// Fails when a long value is missing, or a node inside does not parse.
pub(super) fn encode(message: &[u8], source: &dyn NodeSource) -> Result<Vec<u8>, StateError> {
    let corrupt =
        |reason: &dyn std::fmt::Display| StateError::Corrupt { hash: keccak256(message), reason: reason.to_string() };
    let view = NodeView::parse(message).map_err(|error| corrupt(&error))?;
    let mut out = Vec::with_capacity(message.len() + 16);
    out.extend_from_slice(&message[..1 + path_length(message)]);
    for child in [view.left, view.right] {
        let ChildView::Embedded(bytes) = child else { continue };
        let encoded = encode(bytes, source)?;
        out.extend_from_slice(&(encoded.len() as u32).to_be_bytes()[4 - LENGTH_BYTES..]);
        out.extend_from_slice(&encoded);
    }
    if !matches!((view.left, view.right), (ChildView::Empty, ChildView::Empty)) {
        write_size(&mut out, view.children_size);
    }
    match view.value {
        ValueView::None => {}
        ValueView::Short(bytes) => out.extend_from_slice(bytes),
        ValueView::Long(hash, length) => {
            let value = source.value(&hash)?;
            if value.len() != length as usize {
                return Err(corrupt(&"its long value has another length"));
            }
            out.extend_from_slice(&value);
        }
    }
    Ok(out)
}

/// Length in bytes of the shared path that follows the flags of a valid node.
fn path_length(message: &[u8]) -> usize {
    if message[0] & flags::PATH == 0 {
        return 0;
    }
    let mut rest = &message[1..];
    skip_path(&mut rest).map_or(0, |()| message.len() - 1 - rest.len())
}

/// Skips a shared path; None when it is truncated or longer than any key.
fn skip_path(input: &mut &[u8]) -> Option<()> {
    let (&first, rest) = input.split_first()?;
    *input = rest;
    let bits = match first {
        0..=31 => u64::from(first) + 1,
        32..=254 => u64::from(first) + 128,
        255 => varint::read(input).filter(|bits| *bits <= u64::from(u32::MAX))?,
    };
    let (_, rest) = input.split_at_checked(usize::try_from(bits.div_ceil(8)).ok()?)?;
    *input = rest;
    Some(())
}

fn write_size(out: &mut Vec<u8>, size: u64) {
    let mut bytes = smallvec::SmallVec::<[u8; 9]>::new();
    varint::write(&mut bytes, size);
    out.extend_from_slice(&bytes);
}

/// A child as the chunk describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Child {
    Absent,
    /// A node that is not embedded; its hash follows from the nodes around it.
    Apart,
    /// Serialisation.
    Embedded(Vec<u8>),
}

/// A node of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkNode {
    /// The node as the chunk has it.
    encoded: Vec<u8>,
    /// Flags and shared path.
    front: Vec<u8>,
    children: [Child; 2],
    /// Bytes below it, as it states.
    children_size: u64,
    /// Bytes of embedded children and their long values.
    embedded_size: u64,
    /// Size and value as the serialisation has them.
    tail: Vec<u8>,
    /// Bytes of its own long value.
    long_bytes: u64,
    /// Long values of the node and its embedded children.
    values: Vec<(B256, Bytes)>,
}

impl ChunkNode {
    /// Reads a node in the form that chunks use.
    ///
    /// # Errors
    /// Fails when it is no node.
    pub fn parse(bytes: &[u8]) -> Result<Self, ChunkError> {
        Self::read(bytes).ok_or(ChunkError::Node)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (&first, mut rest) = bytes.split_first()?;
        if first & flags::VERSION_MASK != flags::VERSION {
            return None;
        }
        let has = |flag: u8| first & flag != 0;
        if has(flags::PATH) {
            skip_path(&mut rest)?;
        }
        let front = bytes[..bytes.len() - rest.len()].to_vec();
        let mut node = Self {
            encoded: bytes.to_vec(),
            front,
            children: [Child::Absent, Child::Absent],
            children_size: 0,
            embedded_size: 0,
            tail: Vec::new(),
            long_bytes: 0,
            values: Vec::new(),
        };
        let sides = [(flags::LEFT, flags::LEFT_EMBEDDED), (flags::RIGHT, flags::RIGHT_EMBEDDED)];
        for (side, (present, embedded)) in sides.into_iter().enumerate() {
            node.children[side] = match (has(present), has(embedded)) {
                (false, false) => continue,
                (false, true) => return None,
                (true, false) => Child::Apart,
                (true, true) => node.read_embedded(&mut rest)?,
            };
        }
        if has(flags::LEFT | flags::RIGHT) {
            node.children_size = varint::read(&mut rest)?;
            write_size(&mut node.tail, node.children_size);
        }
        if node.is_terminal() && node.children_size != node.embedded_size {
            return None;
        }
        if has(flags::LONG_VALUE) {
            if rest.len() <= MAX_INLINE_VALUE_BYTES || rest.len() > MAX_VALUE_BYTES {
                return None;
            }
            let hash = keccak256(rest);
            node.long_bytes = rest.len() as u64;
            node.tail.extend_from_slice(hash.as_slice());
            node.tail.extend_from_slice(&(rest.len() as u32).to_be_bytes()[1..]);
            node.values.push((hash, Bytes::copy_from_slice(rest)));
        } else if rest.len() > MAX_INLINE_VALUE_BYTES {
            return None;
        } else {
            node.tail.extend_from_slice(rest);
        }
        Some(node)
    }

    fn read_embedded(&mut self, rest: &mut &[u8]) -> Option<Child> {
        let (length, after) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let length = u32::from_be_bytes([0, length[0], length[1], length[2]]) as usize;
        let (bytes, after) = after.split_at_checked(length)?;
        *rest = after;
        // Embedded nodes are terminal, so this recursion is one level deep.
        if bytes.first()? & (flags::LEFT | flags::RIGHT) != 0 {
            return None;
        }
        let child = Self::read(bytes)?;
        let message = child.message([None, None]);
        if message.len() > MAX_EMBEDDED_BYTES {
            return None;
        }
        self.embedded_size += message.len() as u64 + child.long_bytes;
        self.values.extend(child.values);
        Some(Child::Embedded(message))
    }

    /// The node as the chunk has it.
    pub fn encoded(&self) -> &[u8] {
        &self.encoded
    }

    /// True when it has a child on this side that is not embedded.
    pub fn has_apart(&self, bit: bool) -> bool {
        self.children[usize::from(bit)] == Child::Apart
    }

    fn is_terminal(&self) -> bool {
        !self.has_apart(false) && !self.has_apart(true)
    }

    /// Bytes below it, as it states.
    pub fn children_size(&self) -> u64 {
        self.children_size
    }

    /// Bytes below it that belong to embedded children.
    pub fn embedded_size(&self) -> u64 {
        self.embedded_size
    }

    /// Bytes that it takes on the line of nodes.
    pub fn span(&self) -> u64 {
        self.own_bytes() + self.embedded_size
    }

    /// Bytes that it takes together with everything below it: what it adds to the size of its parent.
    pub fn total(&self) -> u64 {
        self.own_bytes().saturating_add(self.children_size)
    }

    fn own_bytes(&self) -> u64 {
        let child = |child: &Child| match child {
            Child::Absent => 0,
            Child::Apart => HASH_BYTES,
            Child::Embedded(bytes) => 1 + bytes.len(),
        };
        let message = self.front.len() + self.children.iter().map(child).sum::<usize>() + self.tail.len();
        message as u64 + self.long_bytes
    }

    /// Long values of the node and its embedded children, by hash.
    pub fn values(&self) -> &[(B256, Bytes)] {
        &self.values
    }

    /// The serialisation. Children that are not embedded need their hashes; the others must have none.
    pub fn message(&self, hashes: [Option<B256>; 2]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.front.len() + 2 * HASH_BYTES + self.tail.len());
        out.extend_from_slice(&self.front);
        for (child, hash) in self.children.iter().zip(hashes) {
            match child {
                Child::Absent => {}
                Child::Apart => out.extend_from_slice(hash.unwrap_or_default().as_slice()),
                Child::Embedded(bytes) => {
                    out.push(bytes.len() as u8);
                    out.extend_from_slice(bytes);
                }
            }
        }
        out.extend_from_slice(&self.tail);
        out
    }
}
