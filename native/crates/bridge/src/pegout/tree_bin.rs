//! The shape of a full bucket of a Java hash table (bridge.md §4.1): a red-black tree by hash codes.
//!
//! It determines the order of iteration: a new entry goes behind its parent, the root to the front.

/// Index of a node in the tree.
type NodeIndex = usize;

/// A node of the tree. Its entry can change; the colour belongs to the node.
#[derive(Clone, Debug)]
struct Node {
    /// The bucket's number of the entry.
    id: usize,
    hash: i32,
    red: bool,
    parent: Option<NodeIndex>,
    /// Left and right.
    children: [Option<NodeIndex>; 2],
}

const LEFT: usize = 0;
const RIGHT: usize = 1;

/// A tree of at least one entry.
#[derive(Clone, Debug)]
pub(super) struct TreeBin {
    nodes: Vec<Node>,
    root: NodeIndex,
}

impl TreeBin {
    /// A tree of a single entry.
    pub(super) fn new(id: usize, hash: i32) -> Self {
        Self { nodes: vec![Node { id, hash, red: false, parent: None, children: [None; 2] }], root: 0 }
    }

    /// The entry at the root.
    pub(super) fn root(&self) -> usize {
        self.nodes[self.root].id
    }

    /// True when the reference converts it to a list at the next removal.
    pub(super) fn is_small(&self) -> bool {
        let [left, right] = self.nodes[self.root].children;
        right.is_none() || left.is_none_or(|left| self.nodes[left].children[LEFT].is_none())
    }

    /// Adds an entry and returns its parent's. For equal hash codes the reference compares memory addresses, so its own
    /// nodes differ from one another; here the entry goes to the left.
    pub(super) fn insert(&mut self, id: usize, hash: i32) -> usize {
        let mut parent = self.root;
        let side = loop {
            let side = if self.nodes[parent].hash < hash { RIGHT } else { LEFT };
            match self.nodes[parent].children[side] {
                Some(child) => parent = child,
                None => break side,
            }
        };
        let node = self.nodes.len();
        self.nodes.push(Node { id, hash, red: true, parent: Some(parent), children: [None; 2] });
        self.nodes[parent].children[side] = Some(node);
        let parent = self.nodes[parent].id;
        self.balance_inserted(node);
        parent
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, id: usize) {
        let Some(mut node) = self.nodes.iter().position(|node| node.id == id) else { return };
        if let [Some(_), Some(right)] = self.nodes[node].children {
            // The next entry in order moves into this node, and its own node is removed.
            let mut next = right;
            while let Some(left) = self.nodes[next].children[LEFT] {
                next = left;
            }
            (self.nodes[node].id, self.nodes[node].hash) = (self.nodes[next].id, self.nodes[next].hash);
            node = next;
        }
        let [left, right] = self.nodes[node].children;
        match left.or(right) {
            Some(child) => {
                self.replace(node, Some(child));
                if !self.nodes[node].red {
                    self.balance_removed(child);
                }
            }
            None => {
                if !self.nodes[node].red {
                    self.balance_removed(node);
                }
                self.replace(node, None);
            }
        }
        // No other node refers to this one any more.
        self.nodes[node].id = usize::MAX;
    }

    fn red(&self, node: Option<NodeIndex>) -> bool {
        node.is_some_and(|node| self.nodes[node].red)
    }

    /// The side of its parent on which it is.
    fn side(&self, node: NodeIndex, parent: NodeIndex) -> usize {
        usize::from(self.nodes[parent].children[RIGHT] == Some(node))
    }

    /// Replaces a node with another below its parent.
    fn replace(&mut self, node: NodeIndex, by: Option<NodeIndex>) {
        let parent = self.nodes[node].parent;
        match (parent, by) {
            (Some(parent), _) => {
                let side = self.side(node, parent);
                self.nodes[parent].children[side] = by;
            }
            (None, Some(by)) => self.root = by,
            (None, None) => {}
        }
        if let Some(by) = by {
            self.nodes[by].parent = parent;
        }
    }

    /// Rotates a node down to this side; its child on the other side moves up.
    fn rotate(&mut self, node: NodeIndex, side: usize) {
        let Some(up) = self.nodes[node].children[1 - side] else { return };
        let inner = self.nodes[up].children[side];
        self.replace(node, Some(up));
        self.nodes[node].children[1 - side] = inner;
        if let Some(inner) = inner {
            self.nodes[inner].parent = Some(node);
        }
        self.nodes[up].children[side] = Some(node);
        self.nodes[node].parent = Some(up);
    }

    fn balance_inserted(&mut self, mut node: NodeIndex) {
        while let Some(mut parent) = self.nodes[node].parent.filter(|parent| self.nodes[*parent].red) {
            let Some(grandparent) = self.nodes[parent].parent else { break };
            let side = self.side(parent, grandparent);
            let uncle = self.nodes[grandparent].children[1 - side];
            if let Some(uncle) = uncle.filter(|uncle| self.nodes[*uncle].red) {
                self.nodes[uncle].red = false;
                self.nodes[parent].red = false;
                self.nodes[grandparent].red = true;
                node = grandparent;
                continue;
            }
            if self.side(node, parent) != side {
                self.rotate(parent, side);
                (node, parent) = (parent, node);
            }
            self.nodes[parent].red = false;
            self.nodes[grandparent].red = true;
            self.rotate(grandparent, 1 - side);
        }
        let root = self.root;
        self.nodes[root].red = false;
    }

    /// Restores the balance where one black node is missing below.
    fn balance_removed(&mut self, mut node: NodeIndex) {
        while !self.nodes[node].red {
            let Some(parent) = self.nodes[node].parent else { break };
            let side = self.side(node, parent);
            let Some(mut sibling) = self.nodes[parent].children[1 - side] else { break };
            if self.nodes[sibling].red {
                self.nodes[sibling].red = false;
                self.nodes[parent].red = true;
                self.rotate(parent, side);
                let Some(next) = self.nodes[parent].children[1 - side] else { break };
                sibling = next;
            }
            let [near, far] = [side, 1 - side].map(|side| self.nodes[sibling].children[side]);
            if !self.red(near) && !self.red(far) {
                self.nodes[sibling].red = true;
                node = parent;
                continue;
            }
            if let (false, Some(near)) = (self.red(far), near) {
                self.nodes[near].red = false;
                self.nodes[sibling].red = true;
                self.rotate(sibling, 1 - side);
                sibling = near;
            }
            self.nodes[sibling].red = self.nodes[parent].red;
            self.nodes[parent].red = false;
            if let Some(far) = self.nodes[sibling].children[1 - side] {
                self.nodes[far].red = false;
            }
            self.rotate(parent, side);
            return;
        }
        self.nodes[node].red = false;
    }
}
