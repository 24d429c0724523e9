//! Walking nodes and values in key order.

use std::ops::ControlFlow;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::bits::{Bits, Path};
use crate::node::{Link, Node};
use crate::trie::Trie;

/// Receives a node with its full path. `Break` ends the walk.
pub type Visit<'a> = dyn FnMut(&Path, &Node) -> Result<ControlFlow<()>, StateError> + 'a;

/// An entry of the node listing (consensus vectors, `nodes`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEntry {
    /// Full path from the root, implicit bits included.
    pub key: Path,
    /// Serialisation.
    pub message: rhizome_primitives::Bytes,
    /// Keccak-256 of the serialisation.
    pub hash: B256,
    /// True when its parent embeds the node.
    pub embeddable: bool,
    /// Hash and length of the value, when it is stored outside the node.
    pub long_value: Option<(B256, u32)>,
    /// Bytes below the node.
    pub children_size: u64,
}

impl Trie {
    /// Visits every node in pre-order (parent, left, right): ascending keys.
    pub fn walk(&self, visit: &mut Visit<'_>) -> Result<(), StateError> {
        self.walk_below(&[], None, visit)
    }

    /// Visits the nodes whose path starts with `prefix` and, with `after`, sorts after that path.
    pub fn walk_below(&self, prefix: &[u8], after: Option<&[u8]>, visit: &mut Visit<'_>) -> Result<(), StateError> {
        let prefix = Bits::of_key(prefix);
        let mut path = Path::default();
        walk(self, &self.root, None, &mut path, prefix, after.map(Bits::of_key), visit).map(|_| ())
    }

    /// Every node, in pre-order.
    pub fn nodes(&self) -> Result<Vec<NodeEntry>, StateError> {
        let mut entries = Vec::new();
        self.walk(&mut |key, node| {
            let value = node.value();
            entries.push(NodeEntry {
                key: key.clone(),
                message: node.message().clone(),
                hash: node.hash(),
                embeddable: node.is_embeddable(),
                long_value: (value.stored_apart() > 0)
                    .then(|| value.hash())
                    .flatten()
                    .map(|hash| (hash, value.length())),
                children_size: node.children_size(),
            });
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(entries)
    }
}

/// `path` is the parent's full path; it is unchanged on return.
fn walk(
    trie: &Trie,
    link: &Link,
    bit: Option<bool>,
    path: &mut Path,
    prefix: Bits<'_>,
    after: Option<Bits<'_>>,
    visit: &mut Visit<'_>,
) -> Result<ControlFlow<()>, StateError> {
    // Whether anything below a path can still start with the prefix.
    let reaches = |path: &Path| {
        let common = path.bits().common_prefix(prefix);
        common == path.len() || common == prefix.len()
    };
    let parent = path.len();
    if let Some(bit) = bit {
        path.push_child(bit, Bits::of_key(&[]));
    }
    let flow = if reaches(path) && !passed(path, after) {
        match link.resolve(&*trie.source)? {
            None => ControlFlow::Continue(()),
            Some(node) => {
                path.push(node.path.bits());
                if reaches(path) {
                    walk_node(trie, &node, path, prefix, after, visit)?
                } else {
                    ControlFlow::Continue(())
                }
            }
        }
    } else {
        ControlFlow::Continue(())
    };
    path.truncate(parent);
    Ok(flow)
}

fn walk_node(
    trie: &Trie,
    node: &Node,
    path: &mut Path,
    prefix: Bits<'_>,
    after: Option<Bits<'_>>,
    visit: &mut Visit<'_>,
) -> Result<ControlFlow<()>, StateError> {
    if passed(path, after) {
        return Ok(ControlFlow::Continue(()));
    }
    let before = after.is_some_and(|after| path.bits().common_prefix(after) == path.len());
    if path.len() >= prefix.len() && !before && visit(path, node)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    for bit in [false, true] {
        if !node.child(bit).is_empty() && walk(trie, node.child(bit), Some(bit), path, prefix, after, visit)?.is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// True when the path and everything below it sort before or at `after`.
fn passed(path: &Path, after: Option<Bits<'_>>) -> bool {
    after.is_some_and(|after| {
        let common = path.bits().common_prefix(after);
        common < path.len() && common < after.len() && !path.bits().bit(common)
    })
}
