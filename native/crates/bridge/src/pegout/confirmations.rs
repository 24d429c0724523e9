//! Peg-outs that wait for confirmations, in the order in which the reference iterates over them (bridge.md §4.1 step
//! 8): that of a Java `HashSet` before RSKIP559, sorted by transaction bytes afterwards.

use rhizome_primitives::B256;

use super::hash_table::{Hashed, Table};
use crate::storage::confirmations::WaitingPegout;

/// The set.
#[derive(Clone, Debug, Default)]
pub struct ConfirmationSet {
    table: Table<Entry>,
    /// True from RSKIP559 on.
    by_bytes: bool,
}

impl ConfirmationSet {
    /// The set that the reference builds from its two cells; `hashed` is None before RSKIP146.
    pub fn load(by_bytes: bool, plain: Vec<WaitingPegout>, hashed: Option<Vec<WaitingPegout>>) -> Self {
        let listed = |pegouts: Vec<WaitingPegout>| {
            let mut table = Table::with_capacity(0);
            for pegout in pegouts {
                table.insert(Entry::new(pegout));
            }
            let set = Self { table: table.copied(), by_bytes };
            set.ordered().into_iter().cloned().collect::<Vec<_>>()
        };
        let plain = listed(plain);
        let mut table = Table::with_capacity(plain.len());
        for entry in plain.into_iter().chain(listed(hashed.unwrap_or_default())) {
            table.insert(entry);
        }
        Self { table: table.copied(), by_bytes }
    }

    /// The next peg-out that has waited for `confirmations` blocks at `block`.
    pub fn next_confirmed(&self, block: i64, confirmations: i64) -> Option<&WaitingPegout> {
        self.iter().find(|pegout| block.wrapping_sub(pegout.created_at) >= confirmations)
    }

    /// Adds a peg-out, unless its transaction is in the set already.
    pub fn add(&mut self, pegout: WaitingPegout) -> bool {
        let entry = Entry::new(pegout);
        self.table.entries().all(|other| other.id != entry.id) && self.table.insert(entry)
    }

    /// Removes a peg-out.
    pub fn remove(&mut self, pegout: &WaitingPegout) -> bool {
        self.table.remove(&Entry::new(pegout.clone()))
    }

    /// All peg-outs in the order of the rules.
    pub fn iter(&self) -> impl Iterator<Item = &WaitingPegout> {
        self.ordered().into_iter().map(|entry| &entry.pegout)
    }

    /// All peg-outs sorted by the bytes of their transactions, as they are stored.
    pub fn sorted(&self) -> impl Iterator<Item = &WaitingPegout> {
        self.by_bytes().into_iter().map(|entry| &entry.pegout)
    }

    /// Number of peg-outs.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True when it is empty.
    pub fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    fn ordered(&self) -> Vec<&Entry> {
        if self.by_bytes { self.by_bytes() } else { self.table.entries().collect() }
    }

    fn by_bytes(&self) -> Vec<&Entry> {
        let mut entries: Vec<_> = self.table.entries().collect();
        entries.sort_by_cached_key(|entry| entry.pegout.transaction.serialize());
        entries
    }
}

/// A peg-out with the values that the table compares.
#[derive(Clone, Debug)]
struct Entry {
    id: B256,
    /// Java's hash of the hash code, before its low bits are taken.
    hash: u32,
    pegout: WaitingPegout,
}

impl Entry {
    fn new(pegout: WaitingPegout) -> Self {
        let id = pegout.transaction.txid();
        let id_code = i32::from_be_bytes([id[28], id[29], id[30], id[31]]);
        let height = pegout.created_at as u64;
        let height_code = (height ^ height >> 32) as i32;
        let code = 31i32.wrapping_add(id_code).wrapping_mul(31).wrapping_add(height_code) as u32;
        Self { id, hash: code ^ code >> 16, pegout }
    }
}

impl Hashed for Entry {
    fn hash(&self) -> u32 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
            && self.pegout.created_at == other.pegout.created_at
            && self.pegout.transaction_hash == other.pegout.transaction_hash
    }
}
