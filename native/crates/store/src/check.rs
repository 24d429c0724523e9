//! Checking a stored state node by node.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_trie::node::{Link, Node};
use rhizome_trie::{EMPTY_ROOT, Location, NodeSource as _, Value, keccak256};

use crate::state_store::StateStore;

/// Progress of a running check, which another thread can watch.
#[derive(Debug, Default)]
pub struct CheckProgress {
    /// Stored nodes checked so far.
    pub nodes: AtomicU64,
    /// Long values checked so far.
    pub long_values: AtomicU64,
    /// Bytes read so far.
    pub bytes: AtomicU64,
    /// Set to abort the check, which then fails.
    pub cancelled: AtomicBool,
}

/// Totals of a completed check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Stored nodes; embedded ones are part of their parents. A subtrie that occurs twice counts twice.
    pub nodes: u64,
    /// Long values.
    pub long_values: u64,
    /// Bytes of both.
    pub bytes: u64,
}

/// A node whose children are being checked.
struct Frame {
    hash: B256,
    /// Children's size as the node states it, and as it was found.
    says: u64,
    found: u64,
    /// Bytes that the node itself adds to its parent's children size.
    size: u64,
    children: Vec<(B256, Location)>,
}

impl StateStore {
    /// Reads every node and long value under a root, bypassing the caches. Checks that each is present, has the hash
    /// under which it is stored, parses, is in canonical form and states the size of its children. Memory does not grow
    /// with the state: one node per level is held.
    pub fn check_root(&self, root: &B256, progress: &CheckProgress) -> Result<CheckReport, StateError> {
        let mut stack = Vec::new();
        if *root != EMPTY_ROOT {
            let at = self.state(root)?.ok_or(StateError::MissingNode(*root))?;
            stack.push(self.check_node(*root, at, progress)?);
        }
        while let Some(frame) = stack.last_mut() {
            if progress.cancelled.load(Ordering::Relaxed) {
                return Err(StateError::Store("the check was cancelled".to_owned()));
            }
            if let Some((child, at)) = frame.children.pop() {
                stack.push(self.check_node(child, at, progress)?);
                continue;
            }
            if frame.found != frame.says {
                let reason = format!("children size is {} where the node says {}", frame.found, frame.says);
                return Err(StateError::Corrupt { hash: frame.hash, reason });
            }
            let size = frame.size;
            stack.pop();
            if let Some(parent) = stack.last_mut() {
                parent.found = parent.found.saturating_add(size);
            }
        }
        Ok(CheckReport {
            nodes: progress.nodes.load(Ordering::Relaxed),
            long_values: progress.long_values.load(Ordering::Relaxed),
            bytes: progress.bytes.load(Ordering::Relaxed),
        })
    }

    fn check_node(&self, hash: B256, at: Location, progress: &CheckProgress) -> Result<Frame, StateError> {
        let corrupt = |reason: String| StateError::Corrupt { hash, reason };
        let stored = self.node_uncached(&hash, at)?;
        if keccak256(&stored.message) != hash {
            return Err(corrupt("its bytes have another hash".to_owned()));
        }
        progress.nodes.fetch_add(1, Ordering::Relaxed);
        let length = stored.message.len() as u64;
        progress.bytes.fetch_add(length, Ordering::Relaxed);
        let node = Node::from_stored(stored).map_err(|error| corrupt(error.to_string()))?;
        self.check_value(node.value(), progress)?;
        let mut frame = Frame {
            hash,
            says: node.children_size(),
            found: 0,
            size: node.children_size().saturating_add(node.value().stored_apart()).saturating_add(length),
            children: Vec::with_capacity(2),
        };
        for bit in [true, false] {
            match node.child(bit) {
                Link::Empty => {}
                Link::Hash(child, at) => frame.children.push((*child, *at)),
                Link::Node(child) => {
                    if child.value().is_none() {
                        return Err(corrupt("an embedded node has no value".to_owned()));
                    }
                    self.check_value(child.value(), progress)?;
                    frame.found += child.message().len() as u64 + child.value().stored_apart();
                }
            }
        }
        if node.value().is_none() && (node.child(false).is_empty() || node.child(true).is_empty()) {
            return Err(corrupt("it has no value and fewer than two children".to_owned()));
        }
        Ok(frame)
    }

    fn check_value(&self, value: &Value, progress: &CheckProgress) -> Result<(), StateError> {
        let Value::Long { hash, length, .. } = value else { return Ok(()) };
        let bytes = self.value(hash)?;
        if bytes.len() != *length as usize || keccak256(&bytes) != *hash {
            let reason = format!("long value of {} bytes is not the one of {length} bytes named", bytes.len());
            return Err(StateError::Corrupt { hash: *hash, reason });
        }
        progress.long_values.fetch_add(1, Ordering::Relaxed);
        progress.bytes.fetch_add(u64::from(*length), Ordering::Relaxed);
        Ok(())
    }
}
