//! The keys that count for collisions between parallel sublists (RSKIP144, evm.md §5.3).

use rhizome_primitives::U256;
use rhizome_primitives::account::AccountRef;

use crate::maps::HashSet;

/// A key of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateKey {
    /// Account node.
    Account(AccountRef),
    /// Code.
    Code(AccountRef),
    /// Contract marker.
    Marker(AccountRef),
    /// Storage cell.
    Cell(AccountRef, U256),
}

/// Keys read and written, undone frames included.
#[derive(Clone, Debug, Default)]
pub struct KeySets {
    /// Keys read.
    pub read: HashSet<StateKey>,
    /// Keys written.
    pub written: HashSet<StateKey>,
}

impl KeySets {
    /// True when one of the two wrote a key that the other read or wrote.
    pub fn collides(&self, other: &Self) -> bool {
        let touched = |keys: &Self, key: &StateKey| keys.written.contains(key) || keys.read.contains(key);
        self.written.iter().any(|key| touched(other, key)) || other.written.iter().any(|key| touched(self, key))
    }
}
