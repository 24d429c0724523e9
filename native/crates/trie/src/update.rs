//! Put and delete (consensus.md §6.3). Nodes that only this trie holds are changed in place, shared ones are copied
//! first; nothing is hashed here.

use std::sync::Arc;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::bits::Bits;
use crate::node::{Link, Node, corrupt};
use crate::node_view::NodeError;
use crate::source::NodeSource;
use crate::value::Value;

/// Effect of a change on a link: None when nothing changed; otherwise the part of the parent's [`Node::stored_size`]
/// that is gone, because the link led to a stored node and no longer does.
type Change = Option<u64>;

/// Action of an update at its key.
#[derive(Clone, Copy)]
pub(crate) enum Update<'a> {
    /// Set this value, which is not [`Value::None`].
    Put(&'a Value),
    /// Remove the value.
    Delete,
    /// Remove the node and everything below it, if it has a value.
    DeleteRecursive,
}

/// Applies an update below a link. Fails without having changed anything visible: the caller
/// discards the trie it worked on.
pub(crate) fn update(
    source: &dyn NodeSource,
    link: &mut Link,
    key: Bits<'_>,
    what: Update<'_>,
) -> Result<Change, StateError> {
    match link {
        Link::Empty => {
            let Update::Put(value) = what else { return Ok(None) };
            *link = Link::Node(Arc::new(Node::leaf(key.to_path(), value.clone())));
            Ok(Some(0))
        }
        Link::Hash(hash, at) => {
            let mut node = Node::load(source, hash, *at)?;
            let size = node.reference_size();
            let Some(kept) = update_node(source, &mut node, key, what)? else { return Ok(None) };
            *link = if kept { settle(source, node, what)? } else { Link::Empty };
            Ok(Some(size))
        }
        Link::Node(shared) => {
            let Some(kept) = update_node(source, Arc::make_mut(shared), key, what)? else { return Ok(None) };
            if !kept {
                *link = Link::Empty;
            } else if !matches!(what, Update::Put(_)) {
                *link = settle(source, Arc::unwrap_or_clone(std::mem::take(shared)), what)?;
            }
            Ok(Some(0))
        }
    }
}

/// Some(true): the node was changed. Some(false): it must be removed with everything below it. None: unchanged.
fn update_node(
    source: &dyn NodeSource,
    node: &mut Node,
    key: Bits<'_>,
    what: Update<'_>,
) -> Result<Option<bool>, StateError> {
    let common = node.path.bits().common_prefix(key);
    if common < node.path.len() {
        let Update::Put(value) = what else { return Ok(None) };
        split(node, key, common, value);
        return Ok(Some(true));
    }
    if common < key.len() {
        let bit = key.bit(common);
        let owner = node_hash_for_error(node);
        let link = if bit { &mut node.right } else { &mut node.left };
        let Some(unstored) = update(source, link, key.skip(common + 1), what)? else { return Ok(None) };
        node.stored_size =
            node.stored_size.checked_sub(unstored).ok_or_else(|| corrupt(&owner, &NodeError::ChildrenSize))?;
        node.touch();
        return Ok(Some(true));
    }
    match what {
        Update::Put(value) if node.value.same(value) => return Ok(None),
        Update::Put(value) => node.value = value.clone(),
        Update::Delete | Update::DeleteRecursive if node.value.is_none() => return Ok(None),
        Update::Delete => node.value = Value::None,
        Update::DeleteRecursive => return Ok(Some(false)),
    }
    node.touch();
    Ok(Some(true))
}

fn node_hash_for_error(node: &Node) -> B256 {
    // Only stored nodes can carry a wrong size, and their hash is already known.
    node.known_hash().unwrap_or_default()
}

/// Turns `node` into a branch at bit `common`: its former self becomes a child, and `value` is put at `key`.
fn split(node: &mut Node, key: Bits<'_>, common: usize, value: &Value) {
    let bit = node.path.bits().bit(common);
    let prefix = key.take(common).to_path();
    let mut former = std::mem::take(node);
    former.path = former.path.bits().skip(common + 1).to_path();
    former.touch();
    node.path = prefix;
    let former = Link::Node(Arc::new(former));
    let added = if common == key.len() {
        node.value = value.clone();
        Link::Empty
    } else {
        Link::Node(Arc::new(Node::leaf(key.skip(common + 1).to_path(), value.clone())))
    };
    (node.left, node.right) = if bit { (added, former) } else { (former, added) };
}

/// Brings a node into canonical form after a deletion: without value and children it disappears,
/// without value and with one child it merges with it.
fn settle(source: &dyn NodeSource, mut node: Node, what: Update<'_>) -> Result<Link, StateError> {
    if matches!(what, Update::Put(_)) || !node.value.is_none() {
        return Ok(Link::Node(Arc::new(node)));
    }
    let (bit, child) = match (std::mem::take(&mut node.left), std::mem::take(&mut node.right)) {
        (Link::Empty, Link::Empty) => return Ok(Link::Empty),
        (child, Link::Empty) => (false, child),
        (Link::Empty, child) => (true, child),
        (left, right) => {
            (node.left, node.right) = (left, right);
            return Ok(Link::Node(Arc::new(node)));
        }
    };
    let mut merged = match child {
        Link::Empty => return Ok(Link::Empty),
        Link::Hash(hash, at) => Node::load(source, &hash, at)?,
        Link::Node(shared) => Arc::unwrap_or_clone(shared),
    };
    let mut path = std::mem::take(&mut node.path);
    path.push_child(bit, merged.path.bits());
    merged.path = path;
    merged.touch();
    Ok(Link::Node(Arc::new(merged)))
}
