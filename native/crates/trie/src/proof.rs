//! Node lists that prove a value (consensus.md §6.8).

use std::sync::Arc;

use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use thiserror::Error;

use crate::bits::Bits;
use crate::lookup::{Step, step, walk};
use crate::node::{Link, Node};
use crate::node_view::NodeError;
use crate::source::{Location, NodeSource, StoredNode};
use crate::trie::Trie;
use crate::value::Value;
use crate::{EMPTY_ROOT, keccak256};

/// Reason why a proof was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProofError {
    /// A node's hash is not the one that its parent, or the root, names.
    #[error("proof item {index} does not have the hash {expected}")]
    Hash {
        /// Position in the proof.
        index: usize,
        /// Value that the root or the parent expects.
        expected: B256,
    },
    /// A node of the proof does not parse.
    #[error("proof item {index}: {error}")]
    Node {
        /// Position in the proof.
        index: usize,
        /// The fault.
        error: NodeError,
    },
    /// The proof ends before it decides the key.
    #[error("the proof ends too early")]
    Incomplete,
    /// Nodes follow the one that decides the key.
    #[error("the proof has items that nothing refers to")]
    Surplus,
}

impl Trie {
    /// Visits the nodes from the root towards `key` as far as they lead. Returns whether the last one sits exactly at
    /// `key`.
    fn descend(&self, key: &[u8], visit: &mut dyn FnMut(&Arc<Node>, bool)) -> Result<bool, StateError> {
        let mut rest = Bits::of_key(key);
        let mut link = self.root.clone();
        let mut embedded = false;
        while let Some(node) = link.resolve(&*self.source)? {
            visit(&node, embedded);
            let common = node.path.bits().common_prefix(rest);
            if common < node.path.len() {
                return Ok(false);
            }
            if common == rest.len() {
                return Ok(true);
            }
            link = node.child(rest.bit(common)).clone();
            embedded = matches!(&link, Link::Node(child) if child.is_embeddable());
            rest = rest.skip(common + 1);
        }
        Ok(false)
    }

    /// The serialised nodes from the one at exactly `key` up to the root, which is the order that the reference uses
    /// for receipts; embedded nodes are separate items. None when no node sits at `key`.
    pub fn nodes_to_root(&self, key: &[u8]) -> Result<Option<Vec<Bytes>>, StateError> {
        let mut nodes = Vec::new();
        let found = self.descend(key, &mut |node, _| nodes.push(node.message().clone()))?;
        nodes.reverse();
        Ok(found.then_some(nodes))
    }

    /// The serialised nodes from the root to the last one that leads towards `key`; embedded nodes are inside their
    /// parents. They prove presence and absence alike, see [`verify_proof`].
    pub fn prove(&self, key: &[u8]) -> Result<Vec<Bytes>, StateError> {
        let mut nodes = Vec::new();
        self.descend(key, &mut |node, embedded| {
            if !embedded {
                nodes.push(node.message().clone());
            }
        })?;
        Ok(nodes)
    }
}

/// The value at `key` below the stored node `root`, and its proof as [`Trie::prove`] gives it. Nodes are read in place.
pub fn prove_stored(source: &dyn NodeSource, root: &B256, key: &[u8]) -> Result<(Value, Vec<Bytes>), StateError> {
    let mut nodes = Vec::new();
    let visit = |node: &StoredNode| nodes.push(node.message.clone());
    let value = walk(source, root, Location::UNKNOWN, Bits::of_key(key), visit, |node, _, value, _| {
        value.to_value(&node.message)
    })?;
    Ok((value.unwrap_or(Value::None), nodes))
}

/// Checks a proof of [`Trie::prove`]. Returns the value at `key` under `root`: [`Value::None`] when the proof shows
/// absence, and hash and length of a long value.
pub fn verify_proof(root: &B256, key: &[u8], proof: &[Bytes]) -> Result<Value, ProofError> {
    if *root == EMPTY_ROOT {
        return if proof.is_empty() { Ok(Value::None) } else { Err(ProofError::Surplus) };
    }
    let mut expected = *root;
    let mut rest = Bits::of_key(key);
    for (index, message) in proof.iter().enumerate() {
        if keccak256(message) != expected {
            return Err(ProofError::Hash { index, expected });
        }
        match step(message, rest).map_err(|error| ProofError::Node { index, error })? {
            Step::Child(child, _, remaining) => (expected, rest) = (child, remaining),
            Step::Decided(..) if index + 1 < proof.len() => return Err(ProofError::Surplus),
            Step::Decided(value, _) => return Ok(value.to_value(message)),
        }
    }
    Err(ProofError::Incomplete)
}
