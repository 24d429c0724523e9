//! Reading one value of a stored trie. The hot path: nodes are read in place, nothing is allocated.

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::EMPTY_ROOT;
use crate::bits::Bits;
use crate::node::corrupt;
use crate::node_view::{ChildView, NodeError, NodeView, ValueView};
use crate::source::{Location, NodeSource};
use crate::value::Value;

/// How far one stored node, with what is embedded in it, leads towards a key.
pub(crate) enum Step<'n, 'k> {
    /// It decides the key.
    Decided(ValueView<'n>),
    /// The child of its own for a bit must be read, with what remains of the key.
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
            return Ok(Step::Decided(ValueView::None));
        }
        if common == rest.len() {
            return Ok(Step::Decided(node.value));
        }
        let bit = rest.bit(common);
        let child = node.child(bit);
        rest = rest.skip(common + 1);
        match child {
            ChildView::Empty => return Ok(Step::Decided(ValueView::None)),
            ChildView::Embedded(bytes) => serialised = bytes,
            ChildView::Hash(hash) => return Ok(Step::Child(hash, bit, rest)),
        }
    }
}

/// The value at `key` below the stored node `root`, long ones by hash and length.
pub fn find(source: &dyn NodeSource, root: &B256, at: Location, key: Bits<'_>) -> Result<Value, StateError> {
    if *root == EMPTY_ROOT {
        return Ok(Value::None);
    }
    let mut hash = *root;
    let mut at = at;
    let mut rest = key;
    loop {
        let node = source.node(&hash, at)?;
        match step(&node.message, rest).map_err(|error| corrupt(&hash, &error))? {
            Step::Child(child, bit, remaining) => {
                (hash, at, rest) = (child, node.children[usize::from(bit)], remaining)
            }
            Step::Decided(value) => return Ok(value.to_value(&node.message)),
        }
    }
}
