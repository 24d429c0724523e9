//! The node format before RSKIP107 (consensus.md §6.2): transaction and receipt roots before
//! RSKIP126, and orchid state roots. No embedding, no children size, no value length.

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};

use crate::bits::{Bits, Path};
use crate::node::{Link, Node};
use crate::node_view::NodeError;
use crate::trie::Trie;
use crate::value::Value;
use crate::{EMPTY_ROOT, keccak256};

/// First byte of the format; it once was the number of children.
const FORMAT: u8 = 2;
const SECURE: u8 = 1;
const LONG_VALUE: u8 = 2;
const LEFT: u16 = 1;
const RIGHT: u16 = 2;

/// The value in an orchid node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrchidValue {
    /// No value.
    None,
    /// At most 32 bytes.
    Short(Bytes),
    /// Keccak-256 of a longer value.
    Long(B256),
}

impl OrchidValue {
    /// The form of a value in this format.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::None => Self::None,
            Value::Short(bytes) => Self::Short(bytes.clone()),
            Value::Long { hash, .. } => Self::Long(*hash),
        }
    }
}

/// A node in the orchid format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrchidNode {
    /// Set in state tries, whose keys are hashes.
    pub secure: bool,
    /// Shared path.
    pub path: Path,
    /// Orchid hashes of the children for bit 0 and bit 1.
    pub children: [Option<B256>; 2],
    /// Value.
    pub value: OrchidValue,
}

impl OrchidNode {
    /// Serialisation; its Keccak-256 is the node's orchid hash. The path length is written with 16 bits.
    pub fn message(&self) -> Vec<u8> {
        let long = if matches!(self.value, OrchidValue::Long(_)) { LONG_VALUE } else { 0 };
        let mut out = vec![FORMAT, if self.secure { SECURE } else { 0 } | long];
        let present = |child: usize, bit: u16| if self.children[child].is_some() { bit } else { 0 };
        out.extend_from_slice(&(present(0, LEFT) | present(1, RIGHT)).to_be_bytes());
        out.extend_from_slice(&(self.path.len() as u16).to_be_bytes());
        out.extend_from_slice(self.path.as_bytes());
        for hash in self.children.iter().flatten() {
            out.extend_from_slice(hash.as_slice());
        }
        match &self.value {
            OrchidValue::None => {}
            OrchidValue::Short(bytes) => out.extend_from_slice(bytes),
            OrchidValue::Long(hash) => out.extend_from_slice(hash.as_slice()),
        }
        out
    }

    /// Reads a serialisation.
    pub fn parse(message: &[u8]) -> Result<Self, NodeError> {
        let (header, mut rest) = message.split_at_checked(6).ok_or(NodeError::Truncated)?;
        if header[0] != FORMAT {
            return Err(NodeError::Format(header[0]));
        }
        let mut take = |count: usize| {
            let (bytes, tail) = rest.split_at_checked(count).ok_or(NodeError::Truncated)?;
            rest = tail;
            Ok(bytes)
        };
        let bits = u16::from_be_bytes([header[2], header[3]]);
        let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
        let path = Bits::leading(take(length.div_ceil(8))?, length).ok_or(NodeError::Truncated)?.to_path();
        let mut children = [None; 2];
        for (child, bit) in children.iter_mut().zip([LEFT, RIGHT]) {
            if bits & bit != 0 {
                *child = Some(B256::from_slice(take(32)?));
            }
        }
        let value = if header[1] & LONG_VALUE != 0 {
            OrchidValue::Long(B256::from_slice(take(32)?))
        } else if rest.is_empty() {
            OrchidValue::None
        } else {
            OrchidValue::Short(Bytes::copy_from_slice(std::mem::take(&mut rest)))
        };
        if !rest.is_empty() {
            return Err(NodeError::Trailing);
        }
        Ok(Self { secure: header[1] & SECURE != 0, path, children, value })
    }
}

impl Trie {
    /// Root hash in the format before RSKIP107. `secure` is 1 for states, 0 for transaction and
    /// receipt tries. Walks the whole trie.
    pub fn orchid_root(&self, secure: bool) -> Result<B256, StateError> {
        Ok(link_hash(self, &self.root, secure)?.unwrap_or(EMPTY_ROOT))
    }
}

fn link_hash(trie: &Trie, link: &Link, secure: bool) -> Result<Option<B256>, StateError> {
    link.resolve(&*trie.source)?.map(|node| node_hash(trie, &node, secure)).transpose()
}

fn node_hash(trie: &Trie, node: &Node, secure: bool) -> Result<B256, StateError> {
    let node = OrchidNode {
        secure,
        path: node.path.clone(),
        children: [link_hash(trie, &node.left, secure)?, link_hash(trie, &node.right, secure)?],
        value: OrchidValue::of(&node.value),
    };
    Ok(keccak256(&node.message()))
}
