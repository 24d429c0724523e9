//! A stored node read in place (consensus.md §6.1).

use rhizome_primitives::{B256, Bytes};
use thiserror::Error;

use crate::bits::Bits;
use crate::value::{MAX_INLINE_VALUE_BYTES, Value};
use crate::varint;

/// Longest serialisation that a parent embeds; longer nodes are linked by hash.
pub const MAX_EMBEDDED_BYTES: usize = 44;

pub(crate) mod flags {
    pub(crate) const VERSION: u8 = 0x40;
    pub(crate) const VERSION_MASK: u8 = 0xc0;
    pub(crate) const LONG_VALUE: u8 = 0x20;
    pub(crate) const PATH: u8 = 0x10;
    pub(crate) const LEFT: u8 = 0x08;
    pub(crate) const RIGHT: u8 = 0x04;
    pub(crate) const LEFT_EMBEDDED: u8 = 0x02;
    pub(crate) const RIGHT_EMBEDDED: u8 = 0x01;
}

/// Reason why bytes are not a node.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NodeError {
    /// The first byte is of no known format.
    #[error("unknown node format {0:#04x}")]
    Format(u8),
    /// The bytes end inside the node.
    #[error("the node is cut off")]
    Truncated,
    /// Bytes follow the node.
    #[error("bytes follow the node")]
    Trailing,
    /// A path that no key can have.
    #[error("the shared path is too long")]
    PathLength,
    /// A value of more than 32 bytes without the long flag, or the other way round.
    #[error("the value is in the wrong form for its length")]
    ValueForm,
    /// An embedded node with children.
    #[error("an embedded node has children")]
    EmbeddedChildren,
    /// The sum of the children's sizes does not match the children.
    #[error("the children size is wrong")]
    ChildrenSize,
}

/// A child in its parent's serialisation.
#[derive(Clone, Copy, Debug)]
pub enum ChildView<'a> {
    /// No child.
    Empty,
    /// A node that is stored separately.
    Hash(B256),
    /// Serialisation of a small terminal node.
    Embedded(&'a [u8]),
}

/// The value in a serialisation.
#[derive(Clone, Copy, Debug)]
pub enum ValueView<'a> {
    /// No value.
    None,
    /// The value.
    Short(&'a [u8]),
    /// Hash and length of a value that is stored outside the node.
    Long(B256, u32),
}

impl ValueView<'_> {
    /// As an owned value that shares the bytes of `message`, from which this was read.
    pub(crate) fn to_value(self, message: &Bytes) -> Value {
        match self {
            Self::None => Value::None,
            Self::Short(bytes) => Value::Short(Bytes(message.0.slice_ref(bytes))),
            Self::Long(hash, length) => Value::Long { hash, length, bytes: None },
        }
    }
}

/// A node's fields, borrowed from its serialisation.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// Shared path.
    pub path: Bits<'a>,
    /// Child for bit 0.
    pub left: ChildView<'a>,
    /// Child for bit 1.
    pub right: ChildView<'a>,
    /// Bytes below this node, zero for a terminal node.
    pub children_size: u64,
    /// Value.
    pub value: ValueView<'a>,
}

/// Takes `count` bytes from the front.
fn take<'a>(input: &mut &'a [u8], count: usize) -> Result<&'a [u8], NodeError> {
    let (bytes, rest) = input.split_at_checked(count).ok_or(NodeError::Truncated)?;
    *input = rest;
    Ok(bytes)
}

fn take_hash(input: &mut &[u8]) -> Result<B256, NodeError> {
    take(input, 32).map(B256::from_slice)
}

fn take_child<'a>(input: &mut &'a [u8], present: bool, embedded: bool) -> Result<ChildView<'a>, NodeError> {
    if !present {
        return Ok(ChildView::Empty);
    }
    if !embedded {
        return take_hash(input).map(ChildView::Hash);
    }
    let length = usize::from(take(input, 1)?[0]);
    let bytes = take(input, length)?;
    match bytes.first() {
        Some(first) if first & (flags::LEFT | flags::RIGHT) == 0 => Ok(ChildView::Embedded(bytes)),
        Some(_) => Err(NodeError::EmbeddedChildren),
        None => Err(NodeError::Truncated),
    }
}

fn take_path<'a>(input: &mut &'a [u8]) -> Result<Bits<'a>, NodeError> {
    let length = match take(input, 1)?[0] {
        first @ 0..=31 => usize::from(first) + 1,
        first @ 32..=254 => usize::from(first) + 128,
        255 => varint::read(input)
            .ok_or(NodeError::Truncated)
            .and_then(|length| u32::try_from(length).map_err(|_| NodeError::PathLength))? as usize,
    };
    Bits::leading(take(input, length.div_ceil(8))?, length).ok_or(NodeError::Truncated)
}

impl<'a> NodeView<'a> {
    /// Reads a node in the current format. The orchid format is read by [`crate::orchid::OrchidNode`].
    pub fn parse(message: &'a [u8]) -> Result<Self, NodeError> {
        let input = &mut &message[..];
        let flags = take(input, 1)?[0];
        if flags & flags::VERSION_MASK != flags::VERSION {
            return Err(NodeError::Format(flags));
        }
        let has = |flag: u8| flags & flag != 0;
        let path = if has(flags::PATH) { take_path(input)? } else { Bits::of_key(&[]) };
        let left = take_child(input, has(flags::LEFT), has(flags::LEFT_EMBEDDED))?;
        let right = take_child(input, has(flags::RIGHT), has(flags::RIGHT_EMBEDDED))?;
        let children_size =
            if has(flags::LEFT | flags::RIGHT) { varint::read(input).ok_or(NodeError::Truncated)? } else { 0 };
        let value = if has(flags::LONG_VALUE) {
            let hash = take_hash(input)?;
            let length = take(input, 3)?;
            if !input.is_empty() {
                return Err(NodeError::Trailing);
            }
            ValueView::Long(hash, u32::from_be_bytes([0, length[0], length[1], length[2]]))
        } else if input.is_empty() {
            ValueView::None
        } else {
            ValueView::Short(input)
        };
        match value {
            ValueView::Short(bytes) if bytes.len() > MAX_INLINE_VALUE_BYTES => Err(NodeError::ValueForm),
            ValueView::Long(_, length) if length as usize <= MAX_INLINE_VALUE_BYTES => Err(NodeError::ValueForm),
            _ => Ok(Self { path, left, right, children_size, value }),
        }
    }

    /// The child for a key bit.
    pub fn child(&self, bit: bool) -> ChildView<'a> {
        if bit { self.right } else { self.left }
    }
}
