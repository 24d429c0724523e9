//! The values in which two tries differ, in key order. What both have in common is not read.

use std::ops::ControlFlow;
use std::sync::Arc;

use rhizome_primitives::state::StateError;

use crate::bits::{Bits, Path};
use crate::node::{Link, Node};
use crate::source::NodeSource;
use crate::trie::Trie;
use crate::value::Value;

/// Receives a key, its value in the first trie and its value in the second one, which differ. `Break` ends the walk.
pub type VisitDifference<'a> = dyn FnMut(&[u8], &Value, &Value) -> Result<ControlFlow<()>, StateError> + 'a;

/// A position in a trie: at the first bit of a node's path, or behind some bits of it.
#[derive(Clone)]
enum Side {
    Nothing,
    Link(Link),
    Within(Arc<Node>, usize),
}

impl Side {
    fn of(link: &Link) -> Self {
        if link.is_empty() { Self::Nothing } else { Self::Link(link.clone()) }
    }

    fn resolve(self, source: &dyn NodeSource) -> Result<Option<(Arc<Node>, usize)>, StateError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Link(link) => link.resolve(source)?.map(|node| (node, 0)),
            Self::Within(node, used) => Some((node, used)),
        })
    }
}

fn is_same(old: &Side, new: &Side) -> bool {
    match (old, new) {
        (Side::Nothing, Side::Nothing) => true,
        (Side::Link(Link::Hash(old, _)), Side::Link(Link::Hash(new, _))) => old == new,
        (Side::Link(Link::Node(old)), Side::Link(Link::Node(new))) => {
            Arc::ptr_eq(old, new) || old.message() == new.message()
        }
        (Side::Link(Link::Hash(hash, _)), Side::Link(Link::Node(node)))
        | (Side::Link(Link::Node(node)), Side::Link(Link::Hash(hash, _))) => node.hash() == *hash,
        _ => false,
    }
}

struct Walk<'a> {
    old: &'a Trie,
    new: &'a Trie,
    after: Option<Bits<'a>>,
    path: Path,
}

impl Trie {
    /// Visits every key whose value in `new` differs from the one here, in key order, those after the key `after` when
    /// it is given. The tries must have keys of whole bytes.
    pub fn differences(
        &self,
        new: &Self,
        after: Option<&[u8]>,
        visit: &mut VisitDifference<'_>,
    ) -> Result<(), StateError> {
        let mut walk = Walk { old: self, new, after: after.map(Bits::of_key), path: Path::default() };
        walk.compare(Side::of(&self.root), Side::of(&new.root), visit).map(|_| ())
    }
}

impl Walk<'_> {
    /// `path` is where both sides are; it is unchanged on return.
    fn compare(
        &mut self,
        old: Side,
        new: Side,
        visit: &mut VisitDifference<'_>,
    ) -> Result<ControlFlow<()>, StateError> {
        if is_same(&old, &new) || self.passed() {
            return Ok(ControlFlow::Continue(()));
        }
        let old = old.resolve(&*self.old.source)?;
        let new = new.resolve(&*self.new.source)?;
        let rest = |side: &Option<(Arc<Node>, usize)>| {
            side.as_ref().map(|(node, used)| node.path.bits().skip(*used).to_path())
        };
        let length = self.path.len();
        let (run, run_length) = match (rest(&old), rest(&new)) {
            (Some(old), Some(new)) => {
                let common = old.bits().common_prefix(new.bits());
                (old, common)
            }
            (Some(run), None) | (None, Some(run)) => {
                let whole = run.len();
                (run, whole)
            }
            (None, None) => return Ok(ControlFlow::Continue(())),
        };
        self.path.push(run.bits().take(run_length));
        let flow = self.compare_here(advance(old, run_length), advance(new, run_length), visit);
        self.path.truncate(length);
        flow
    }

    fn compare_here(
        &mut self,
        old: Option<(Arc<Node>, usize)>,
        new: Option<(Arc<Node>, usize)>,
        visit: &mut VisitDifference<'_>,
    ) -> Result<ControlFlow<()>, StateError> {
        if self.passed() {
            return Ok(ControlFlow::Continue(()));
        }
        let (old_value, new_value) = (value_at(&old), value_at(&new));
        if !old_value.same(&new_value) && !self.is_up_to_after() {
            if !self.path.len().is_multiple_of(8) {
                let owner = old.as_ref().or(new.as_ref()).map(|(node, _)| node.hash()).unwrap_or_default();
                return Err(StateError::Corrupt {
                    hash: owner,
                    reason: "a key is no whole number of bytes".to_owned(),
                });
            }
            if visit(self.path.as_bytes(), &old_value, &new_value)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        for bit in [false, true] {
            let (old, new) = (below(&old, bit), below(&new, bit));
            if is_same(&old, &new) {
                continue;
            }
            let length = self.path.len();
            self.path.push_child(bit, Bits::of_key(&[]));
            let flow = self.compare(old, new, visit);
            self.path.truncate(length);
            if flow?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// True when the path and everything below it sort before `after`.
    fn passed(&self) -> bool {
        self.after.is_some_and(|after| {
            let common = self.path.bits().common_prefix(after);
            common < self.path.len() && common < after.len() && !self.path.bits().bit(common)
        })
    }

    /// True when the path is `after` or leads to it.
    fn is_up_to_after(&self) -> bool {
        self.after.is_some_and(|after| self.path.bits().common_prefix(after) == self.path.len())
    }
}

fn advance(side: Option<(Arc<Node>, usize)>, bits: usize) -> Option<(Arc<Node>, usize)> {
    side.map(|(node, used)| (node, used + bits))
}

fn value_at(side: &Option<(Arc<Node>, usize)>) -> Value {
    match side {
        Some((node, used)) if *used == node.path.len() => node.value.clone(),
        _ => Value::None,
    }
}

fn below(side: &Option<(Arc<Node>, usize)>, bit: bool) -> Side {
    match side {
        None => Side::Nothing,
        Some((node, used)) if *used == node.path.len() => Side::of(node.child(bit)),
        Some((node, used)) if node.path.bits().bit(*used) == bit => Side::Within(node.clone(), used + 1),
        Some(_) => Side::Nothing,
    }
}
