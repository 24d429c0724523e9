//! Reads one value of a stored trie. This is the hot path: nodes are parsed in place, and nothing is allocated.

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::bits::Bits;
use crate::node::corrupt;
use crate::node_view::{ChildView, NodeError, NodeView, ValueView};
use crate::source::{Location, NodeSource, StoredNode};
use crate::value::Value;
use crate::{EMPTY_ROOT, keccak256};

/// Step that one stored node, together with the nodes embedded in it, leads towards a key.
pub(crate) enum Step<'n, 'k> {
    /// The key is decided: the value, and the serialisation of the node that sits exactly there.
    Decided(ValueView<'n>, Option<&'n [u8]>),
    /// The child for this bit is stored separately and must be read next, with the rest of the key.
    Child(B256, bool, Bits<'k>),
}

/// Follows a key through one serialisation.
pub(crate) fn step<'n, 'k>(message: &'n [u8], key: Bits<'k>) -> Result<Step<'n, 'k>, NodeError> {
    let mut serialised = message;
    let mut rest = key;
    loop {
        let node = NodeView::parse(serialised)?;
        let common = node.path.common_prefix(rest);
        if common < node.path.len() {
            return Ok(Step::Decided(ValueView::None, None));
        }
        if common == rest.len() {
            return Ok(Step::Decided(node.value, Some(serialised)));
        }
        let bit = rest.bit(common);
        let child = node.child(bit);
        rest = rest.skip(common + 1);
        match child {
            ChildView::Empty => return Ok(Step::Decided(ValueView::None, None)),
            ChildView::Embedded(bytes) => serialised = bytes,
            ChildView::Hash(hash) => return Ok(Step::Child(hash, bit, rest)),
        }
    }
}

/// The value at `key` below the stored node `root`; long values are given by hash and length.
pub fn find(source: &dyn NodeSource, root: &B256, at: Location, key: Bits<'_>) -> Result<Value, StateError> {
    let value = walk(source, root, at, key, |_| (), |node, _, value, _| value.to_value(&node.message))?;
    Ok(value.unwrap_or(Value::None))
}

/// Hash of the node that sits exactly at `key` below the stored node `root`, if there is one.
pub fn find_node(source: &dyn NodeSource, root: &B256, key: Bits<'_>) -> Result<Option<B256>, StateError> {
    let hash = walk(
        source,
        root,
        Location::UNKNOWN,
        key,
        |_| (),
        |node, hash, _, exact| {
            // An embedded node is a part of the one that is stored.
            exact.map(|exact| if exact.len() == node.message.len() { *hash } else { keccak256(exact) })
        },
    )?;
    Ok(hash.flatten())
}

/// Visits the stored nodes from `root` towards `key`. Returns what `finish` makes of the node that decides the key; its
/// arguments are the node, its hash, the value, and the serialisation of the node that sits exactly at the key. None
/// for the empty trie.
#[inline]
pub(crate) fn walk<T>(
    source: &dyn NodeSource,
    root: &B256,
    at: Location,
    key: Bits<'_>,
    mut visit: impl FnMut(&StoredNode),
    finish: impl FnOnce(&StoredNode, &B256, ValueView<'_>, Option<&[u8]>) -> T,
) -> Result<Option<T>, StateError> {
    if *root == EMPTY_ROOT {
        return Ok(None);
    }
    let mut hash = *root;
    let mut at = at;
    let mut rest = key;
    loop {
        let node = source.node(&hash, at)?;
        visit(&node);
        match step(&node.message, rest).map_err(|error| corrupt(&hash, &error))? {
            Step::Child(child, bit, remaining) => {
                (hash, at, rest) = (child, node.children[usize::from(bit)], remaining)
            }
            Step::Decided(value, exact) => return Ok(Some(finish(&node, &hash, value, exact))),
        }
    }
}
