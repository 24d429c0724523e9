//! A Java hash table (bridge.md §4.1): iteration goes through the buckets, and within each in the order of insertion,
//! or in the order of the tree that a full bucket becomes.

use super::tree_bin::TreeBin;

/// Number of entries from which on the reference reorganises a bucket.
const FULL_BUCKET: usize = 8;
/// Size of the table from which on a full bucket becomes a tree instead of making the table grow.
const SMALL_TABLE: usize = 64;
/// Maximum number of entries with which half of a tree becomes a list when the table grows.
const SMALL_TREE: usize = 6;

/// An entry of a table.
pub(super) trait Hashed {
    /// Java's hash of the hash code, before its low bits are taken.
    fn hash(&self) -> u32;
    /// True when the two are equal.
    fn is_same(&self, other: &Self) -> bool;
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    /// Their number is a power of two.
    buckets: Vec<Bucket<T>>,
    size: usize,
}

impl<T: Hashed + Clone> Default for Table<T> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl<T: Hashed + Clone> Table<T> {
    /// A table with the size that the reference chooses for this many entries.
    pub(super) fn with_capacity(entries: usize) -> Self {
        let wanted = ((entries as f32 / 0.75) as usize + 1).max(16);
        Self { buckets: vec![Bucket::default(); wanted.next_power_of_two()], size: 0 }
    }

    /// The same entries in a table whose size fits their number, inserted in the order of iteration.
    pub(super) fn copied(self) -> Self {
        let mut copy = Self::with_capacity(self.size);
        for bucket in self.buckets {
            for (_, entry) in bucket.entries {
                copy.insert(entry);
            }
        }
        copy
    }

    /// Number of entries.
    pub(super) const fn len(&self) -> usize {
        self.size
    }

    /// All entries in the order of iteration.
    pub(super) fn entries(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flat_map(|bucket| bucket.entries.iter().map(|(_, entry)| entry))
    }

    fn bucket(&mut self, hash: u32) -> &mut Bucket<T> {
        let mask = self.buckets.len() - 1;
        &mut self.buckets[hash as usize & mask]
    }

    /// Adds an entry; false when there is an equal one.
    pub(super) fn insert(&mut self, entry: T) -> bool {
        let small = self.buckets.len() < SMALL_TABLE;
        let bucket = self.bucket(entry.hash());
        if bucket.position(&entry).is_some() {
            return false;
        }
        let full = bucket.tree.is_none() && bucket.entries.len() >= FULL_BUCKET;
        bucket.insert(entry);
        match (full, small) {
            (true, true) => self.grow(),
            (true, false) => bucket.plant(),
            (false, _) => {}
        }
        self.size += 1;
        if self.size > self.buckets.len() / 4 * 3 {
            self.grow();
        }
        true
    }

    /// Removes an entry; false when there is no equal one.
    pub(super) fn remove(&mut self, entry: &T) -> bool {
        let removed = self.bucket(entry.hash()).remove(entry);
        self.size -= usize::from(removed);
        removed
    }

    fn grow(&mut self) {
        let added = self.buckets.len() as u32;
        let mut upper = Vec::with_capacity(self.buckets.len());
        for bucket in &mut self.buckets {
            upper.push(bucket.split(added));
        }
        self.buckets.append(&mut upper);
    }
}

/// Entries in the order of iteration, each with a number of its own, and their tree.
#[derive(Clone, Debug)]
struct Bucket<T> {
    entries: Vec<(usize, T)>,
    tree: Option<TreeBin>,
    next: usize,
}

impl<T> Default for Bucket<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), tree: None, next: 0 }
    }
}

impl<T: Hashed> Bucket<T> {
    fn of(entries: Vec<(usize, T)>) -> Self {
        let next = entries.iter().map(|(id, _)| id + 1).max().unwrap_or_default();
        Self { entries, tree: None, next }
    }

    fn position(&self, entry: &T) -> Option<usize> {
        self.entries.iter().position(|(_, other)| other.is_same(entry))
    }

    fn insert(&mut self, entry: T) {
        let id = self.next;
        self.next += 1;
        let Some(tree) = &mut self.tree else { return self.entries.push((id, entry)) };
        let parent = tree.insert(id, entry.hash() as i32);
        let behind = self.entries.iter().position(|(other, _)| *other == parent).map_or(0, |at| at + 1);
        self.entries.insert(behind, (id, entry));
        self.root_to_front();
    }

    fn remove(&mut self, entry: &T) -> bool {
        let Some(at) = self.position(entry) else { return false };
        let (id, _) = self.entries.remove(at);
        if self.tree.as_ref().is_some_and(TreeBin::is_small) {
            self.tree = None;
        }
        if let Some(tree) = &mut self.tree {
            tree.remove(id);
            self.root_to_front();
        }
        true
    }

    /// Converts the list to a tree.
    fn plant(&mut self) {
        let mut entries = self.entries.iter().map(|(id, entry)| (*id, entry.hash() as i32));
        let Some((id, hash)) = entries.next() else { return };
        let mut tree = TreeBin::new(id, hash);
        for (id, hash) in entries {
            tree.insert(id, hash);
        }
        self.tree = Some(tree);
        self.root_to_front();
    }

    fn root_to_front(&mut self) {
        let root = self.tree.as_ref().map(TreeBin::root);
        if let Some(at) = self.entries.iter().position(|(id, _)| Some(*id) == root) {
            self.entries[..=at].rotate_right(1);
        }
    }

    /// Keeps the entries without this bit in their hash, and returns the others.
    fn split(&mut self, bit: u32) -> Self {
        let entries = std::mem::take(&mut self.entries);
        let (kept, given): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(_, entry)| entry.hash() & bit == 0);
        let tree = self.tree.take();
        let [mut lower, mut upper] = [kept, given].map(Self::of);
        if tree.is_some() {
            let divided = !lower.entries.is_empty() && !upper.entries.is_empty();
            for half in [&mut lower, &mut upper] {
                if half.entries.len() > SMALL_TREE {
                    if divided { half.plant() } else { half.tree.clone_from(&tree) }
                }
            }
        }
        *self = lower;
        upper
    }
}
