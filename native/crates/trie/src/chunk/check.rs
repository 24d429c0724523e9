//! Checks chunks that peers send.

use rhizome_primitives::B256;
use rhizome_primitives::rlp::Item;

use super::error::ChunkError;
use super::node::ChunkNode;
use crate::keccak256;

/// Maximum number of nodes above and behind a range; no key has as many bits.
const MAX_ANCESTORS: usize = 1024;

/// A chunk that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedChunk {
    /// The nodes of the range in key order.
    pub nodes: Vec<ChunkNode>,
    /// True when the chunk contains the last node of the trie.
    pub complete: bool,
}

/// A node and what the chunk says about its children.
struct Entry {
    node: ChunkNode,
    given: [Option<B256>; 2],
    /// Size of the right child, when the chunk contains it.
    right_total: Option<u64>,
}

/// Checks that a chunk has exactly the nodes from `from` up to before `to` of the trie under a root. Memory use is a
/// small multiple of the chunk's bytes.
///
/// # Errors
/// Fails when it has not; the fault is with the peer that made the chunk.
pub fn check_chunk(body: &[u8], root: &B256, from: u64, to: u64) -> Result<CheckedChunk, ChunkError> {
    let mut parts = Elements::of(Item::read_only(body)?)?;
    let mut entries = Vec::new();
    let mut above = Elements::of(parts.required()?)?;
    while let Some(pair) = above.next()? {
        entries.push(read_pair(pair, false)?);
        limit(entries.len(), MAX_ANCESTORS)?;
    }
    let first = entries.len();
    let mut nodes = Elements::of(parts.required()?)?;
    let mut span = 0u64;
    while let Some(bytes) = nodes.next()? {
        let node = ChunkNode::parse(bytes.bytes()?)?;
        // Every node takes a part of the range, which bounds their number. Only the first may begin long before it.
        if entries.len() > first {
            span = span.saturating_add(node.span());
            if span >= to.saturating_sub(from) {
                return Err(ChunkError::TooMany);
            }
        }
        entries.push(Entry { node, given: [None; 2], right_total: None });
    }
    let behind = entries.len();
    let first_left = hash_of(parts.required()?)?;
    read_last(parts.required()?, &mut entries[first..])?;
    let mut below = Elements::of(parts.required()?)?;
    while let Some(pair) = below.next()? {
        entries.push(read_pair(pair, true)?);
        limit(entries.len() - behind, MAX_ANCESTORS)?;
    }
    if parts.next()?.is_some() {
        return Err(ChunkError::Parts);
    }
    if let (Some(entry), true) = (entries.get_mut(first), first_left.is_some()) {
        entry.given[0] = first_left;
    }
    let found = compute_root(&mut entries)?;
    if found != *root {
        return Err(ChunkError::Root(found));
    }
    check_range(&entries, first, behind, from, to)?;
    let complete = behind == entries.len();
    let nodes = entries.into_iter().take(behind).skip(first).map(|entry| entry.node).collect();
    Ok(CheckedChunk { nodes, complete })
}

fn limit(count: usize, most: usize) -> Result<(), ChunkError> {
    if count > most { Err(ChunkError::TooMany) } else { Ok(()) }
}

/// Elements of a list, read one at a time, so that a long list which is refused costs no memory.
struct Elements<'a>(&'a [u8]);

impl<'a> Elements<'a> {
    fn of(item: Item<'a>) -> Result<Self, ChunkError> {
        match item {
            Item::List(payload) => Ok(Self(payload)),
            Item::Bytes(_) => Err(ChunkError::Parts),
        }
    }

    fn next(&mut self) -> Result<Option<Item<'a>>, ChunkError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let (item, rest) = Item::read(self.0)?;
        self.0 = rest;
        Ok(Some(item))
    }

    fn required(&mut self) -> Result<Item<'a>, ChunkError> {
        self.next()?.ok_or(ChunkError::Parts)
    }
}

fn hash_of(item: Item<'_>) -> Result<Option<B256>, ChunkError> {
    match item.bytes()? {
        [] => Ok(None),
        bytes => B256::try_from(bytes).map(Some).map_err(|_| ChunkError::Parts),
    }
}

/// `[node, hash]` of a node above or behind the range.
fn read_pair(pair: Item<'_>, bit: bool) -> Result<Entry, ChunkError> {
    let mut elements = Elements::of(pair)?;
    let node = ChunkNode::parse(elements.required()?.bytes()?)?;
    let mut given = [None; 2];
    given[usize::from(bit)] = hash_of(elements.required()?)?;
    if elements.next()?.is_some() {
        return Err(ChunkError::Parts);
    }
    Ok(Entry { node, given, right_total: None })
}

/// The hashes below the last node, which are present exactly when there are nodes.
fn read_last(item: Item<'_>, nodes: &mut [Entry]) -> Result<(), ChunkError> {
    let mut hashes = Elements::of(item)?;
    if let Some(last) = nodes.last_mut() {
        last.given = [hash_of(hashes.required()?)?, hash_of(hashes.required()?)?];
    }
    if hashes.next()?.is_some() { Err(ChunkError::Parts) } else { Ok(()) }
}

/// A node whose children are known.
struct Finished {
    hash: B256,
    total: u64,
}

/// Root of the trie that the nodes form: the parent of a node is the nearest one with more bytes below it.
fn compute_root(entries: &mut [Entry]) -> Result<B256, ChunkError> {
    // Nodes whose right side is open, topmost first, each with its finished left child.
    let mut spine: Vec<(usize, Option<Finished>)> = Vec::new();
    for index in 0..entries.len() {
        let size = entries[index].node.children_size();
        let left = close(entries, &mut spine, |above| above < size)?;
        spine.push((index, left));
    }
    close(entries, &mut spine, |_| true)?.map(|root| root.hash).ok_or(ChunkError::Structure)
}

/// Finishes nodes from the end of the spine while they are below the next one; returns the topmost of them.
fn close(
    entries: &mut [Entry],
    spine: &mut Vec<(usize, Option<Finished>)>,
    below: impl Fn(u64) -> bool,
) -> Result<Option<Finished>, ChunkError> {
    let mut right: Option<Finished> = None;
    while let Some((index, left)) = spine.pop_if(|(index, _)| below(entries[*index].node.children_size())) {
        let entry = &mut entries[index];
        entry.right_total = right.as_ref().map(|right| right.total);
        let hashes = [pick(entry, false, left)?, pick(entry, true, right)?];
        let total = entry.node.total();
        right = Some(Finished { hash: keccak256(&entry.node.message(hashes)), total });
    }
    Ok(right)
}

/// Hash of a child: of the node in the chunk, or else as the chunk states it. There must be one exactly where the node
/// has a child.
fn pick(entry: &Entry, bit: bool, found: Option<Finished>) -> Result<Option<B256>, ChunkError> {
    let given = entry.given[usize::from(bit)];
    let found = found.map(|child| child.hash);
    let agree = found.is_none() || given.is_none() || found == given;
    let hash = found.or(given);
    if agree && hash.is_some() == entry.node.has_apart(bit) { Ok(hash) } else { Err(ChunkError::Structure) }
}

/// True when the nodes are those of the range: the first one holds the byte before `from`, all end before `to`, and the
/// one behind them does not.
fn check_range(entries: &[Entry], first: usize, behind: usize, from: u64, to: u64) -> Result<(), ChunkError> {
    let mut start = 0u64;
    for above in &entries[..first] {
        let right = above.right_total.ok_or(ChunkError::Structure)?;
        start = start.saturating_add(above.node.total().checked_sub(right).ok_or(ChunkError::Range)?);
    }
    let entry = entries.get(first).ok_or(ChunkError::Structure)?;
    if entry.given[0].is_some() {
        // The size of the left child is unknown where both children are known by their hashes only.
        if entry.node.has_apart(true) && entry.right_total.is_none() {
            return Err(ChunkError::Range);
        }
        let rest = entry.node.span().saturating_add(entry.right_total.unwrap_or(0));
        start = start.saturating_add(entry.node.total().checked_sub(rest).ok_or(ChunkError::Range)?);
    }
    let end_of_first = start.saturating_add(entry.node.span());
    if from > end_of_first || (start >= from && from > 0) || (from == 0 && start > 0) {
        return Err(ChunkError::Range);
    }
    let end = entries[first..behind].iter().fold(start, |end, entry| end.saturating_add(entry.node.span()));
    let fits = first == behind || end < to;
    let ends = entries.get(behind).is_none_or(|next| end.saturating_add(next.node.span()) >= to);
    if fits && ends { Ok(()) } else { Err(ChunkError::Range) }
}
