//! States of blocks from before the line, down from one that the line has: what the trie alone had when the line began.
//! Conversion (`head_convert`) adds block after block downwards, so that the newest of them can be read first.
//!
//! | table | key → value |
//! |---|---|
//! | `older` | length of the key ∥ key of an item ∥ number of a block as five bytes → value of the item before the block |
//! | `older_states` | root of the state after a block → number of the block as eight bytes |
//!
//! An item has in the state after a block what the first entry above that block says, or where there is none what the
//! line has at the state where both meet. So a read is one seek more than one of the line. Items are those of the trie
//! (account, code, marker, cell): what a destruction removed has entries of its own, and nothing has an incarnation.

use heed::{RoTxn, RwTxn};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes};
use rhizome_trie::keys::Item;
use smallvec::SmallVec;

use crate::head_changes::ItemValue;
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_reads::step_of;
use crate::head_rows::{
    ACCOUNTS, CELLS, CELLS_OF_NO_ADDRESS, CELLS_OF_REMASC_SENDER, code_of, decode_cell, encode_cell, push_slot,
};
use crate::lmdb::{Lmdb, Table, position};
use crate::lmdb_head::damaged;

/// Key of the mark in the table of metadata.
const MARK: &[u8] = b"older";

/// First byte of the marks of this version. What has another one is converted anew.
const VERSION: u8 = 1;

/// Other items of an account than its value have kinds of their own here.
const CODES: u8 = 0x05;
const MARKERS: u8 = 0x06;

/// Stands before the value of an account, which may be empty.
const IS_THERE: u8 = 1;

/// Bytes of a range in a mark.
const RANGE_BYTES: usize = 32 + 2 * (8 + 32);

/// The tables.
#[derive(Clone, Copy)]
pub(crate) struct OlderTables {
    pub(crate) entries: Table,
    pub(crate) states: Table,
}

/// A block by number and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockName {
    pub(crate) number: u64,
    pub(crate) hash: B256,
}

/// Blocks whose states are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OlderRange {
    /// Root of the state after the highest one, which the line has, or a range above.
    pub(crate) root: B256,
    pub(crate) top: BlockName,
    /// The lowest block after which the state can be read.
    pub(crate) low: BlockName,
}

/// How far conversion is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OlderMark {
    /// Grows when everything is forgotten, so that no reader takes numbers from before.
    pub(crate) generation: u32,
    /// The first one is being extended; those below are of an earlier line, until it meets them.
    pub(crate) ranges: Vec<OlderRange>,
    /// Key of the trie up to which the lowest block of the first range is converted.
    pub(crate) after: Vec<u8>,
}

impl OlderMark {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend_from_slice(&self.generation.to_be_bytes());
        out.push(self.ranges.len() as u8);
        for range in &self.ranges {
            out.extend_from_slice(range.root.as_slice());
            for name in [range.top, range.low] {
                out.extend_from_slice(&name.number.to_be_bytes());
                out.extend_from_slice(name.hash.as_slice());
            }
        }
        out.extend_from_slice(&self.after);
        out
    }

    /// The mark of no states. What there was is cleared before any are added.
    pub(crate) fn forgotten(&self) -> Self {
        Self { generation: self.generation + 1, ..Self::default() }
    }

    /// None for a mark that this version does not know.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (generation, count, mut rest) = header(bytes)?;
        let mut ranges = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let (range, after) = rest.split_at_checked(RANGE_BYTES)?;
            ranges.push(decode_range(range)?);
            rest = after;
        }
        Some(Self { generation, ranges, after: rest.to_vec() })
    }
}

/// Generation and number of ranges of a mark, and what follows.
fn header(bytes: &[u8]) -> Option<(u32, u8, &[u8])> {
    let rest = bytes.strip_prefix(&[VERSION])?;
    let (generation, rest) = rest.split_at_checked(4)?;
    let (&count, rest) = rest.split_first()?;
    Some((u32::from_be_bytes(generation.try_into().ok()?), count, rest))
}

fn decode_range(bytes: &[u8]) -> Option<OlderRange> {
    let (root, rest) = bytes.split_at_checked(32)?;
    let (top, low) = rest.split_at_checked(40)?;
    let name = |bytes: &[u8]| {
        let (number, hash) = bytes.split_at_checked(8)?;
        Some(BlockName { number: position(number)?, hash: B256::try_from(hash).ok()? })
    };
    Some(OlderRange { root: B256::from_slice(root), top: name(top)?, low: name(low)? })
}

/// Where an older state is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OlderPosition {
    generation: u32,
    /// The block after which it is.
    pub(crate) number: u64,
    /// The step of the state where line and older blocks meet.
    pub(crate) meeting: u64,
}

/// The begin of the keys of an item's entries.
pub(crate) fn item_prefix(account: &AccountRef, item: Item) -> SmallVec<[u8; 72]> {
    let mut key = SmallVec::from_slice(&[0]);
    match item {
        Item::Account => key.push(ACCOUNTS),
        Item::Code => key.push(CODES),
        Item::Marker => key.push(MARKERS),
        Item::Cell(_) => key.push(match account {
            AccountRef::Address(_) => CELLS,
            AccountRef::RemascSender => CELLS_OF_REMASC_SENDER,
            AccountRef::NoAddress => CELLS_OF_NO_ADDRESS,
        }),
    }
    match item {
        Item::Cell(slot) => {
            if let AccountRef::Address(address) = account {
                key.extend_from_slice(address.as_slice());
            }
            push_slot(&mut key, &slot);
        }
        _ => key.extend_from_slice(account.as_bytes()),
    }
    key[0] = (key.len() - 1) as u8;
    key
}

/// The key of an entry.
pub(crate) fn entry_key(prefix: &[u8], number: u64) -> SmallVec<[u8; 72]> {
    let mut key = SmallVec::from_slice(prefix);
    key.extend_from_slice(&number.to_be_bytes()[3..]);
    key
}

/// Prefix and number of an entry's key.
pub(crate) fn split_entry(key: &[u8]) -> Option<(&[u8], u64)> {
    let length = usize::from(*key.first()?) + 1;
    let (prefix, number) = key.split_at_checked(length)?;
    (number.len() == 5).then(|| (prefix, number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))))
}

/// Bytes of a value; none for an item that is not there.
pub(crate) fn encode_value(value: &ItemValue) -> SmallVec<[u8; 64]> {
    let mut out = SmallVec::new();
    match value {
        ItemValue::Bytes(Some(bytes)) => {
            out.push(IS_THERE);
            out.extend_from_slice(bytes);
        }
        ItemValue::Code(Some((hash, length))) => {
            out.extend_from_slice(hash.as_slice());
            out.extend_from_slice(&length.to_be_bytes());
        }
        ItemValue::Marker(true) => out.push(IS_THERE),
        ItemValue::Cell(Some(value)) => out.extend_from_slice(&encode_cell(value)),
        _ => {}
    }
    out
}

/// The value of an item. None for bytes that are no value of it.
pub(crate) fn decode_value(item: Item, bytes: &[u8]) -> Option<ItemValue> {
    let is_there = !bytes.is_empty();
    Some(match item {
        Item::Account if !is_there => ItemValue::Bytes(None),
        Item::Account => ItemValue::Bytes(Some(Bytes::copy_from_slice(bytes.strip_prefix(&[IS_THERE])?))),
        Item::Code => ItemValue::Code(if is_there { Some(code_of(bytes)?) } else { None }),
        Item::Marker => ItemValue::Marker(is_there),
        Item::Cell(_) => ItemValue::Cell(if is_there { Some(decode_cell(bytes)?) } else { None }),
    })
}

/// Value of an item in the state after a block, where one of the blocks above changed it.
pub(crate) fn older_value(
    entries: Table,
    transaction: &RoTxn<'_>,
    account: &AccountRef,
    item: Item,
    number: u64,
) -> heed::Result<Option<ItemValue>> {
    let prefix = item_prefix(account, item);
    let found = entries.get_greater_than_or_equal_to(transaction, &entry_key(&prefix, number + 1))?;
    match found.filter(|(key, _)| key.len() == prefix.len() + 5 && key.starts_with(&prefix)) {
        None => Ok(None),
        Some((_, value)) => decode_value(item, value).map(Some).ok_or_else(damaged),
    }
}

impl Lmdb {
    pub(crate) fn older_mark(&self, transaction: &RoTxn<'_>) -> heed::Result<Option<OlderMark>> {
        Ok(self.meta.get(transaction, MARK)?.and_then(OlderMark::decode))
    }

    pub(crate) fn put_older_mark(&self, transaction: &mut RwTxn<'_>, mark: &OlderMark) -> heed::Result<()> {
        self.meta.put(transaction, MARK, &mark.encode())
    }

    /// Has nobody read states from before the line any more where it does not have the state at which both meet. True
    /// when it had it until now, so that there is something to clear.
    pub(crate) fn leave_older(&self, transaction: &mut RwTxn<'_>, end: &LineEnd) -> heed::Result<bool> {
        let Some(line) = self.line else { return Ok(false) };
        let Some(mark) = self.older_mark(transaction)? else { return Ok(false) };
        let Some(range) = mark.ranges.first() else { return Ok(false) };
        let meeting = step_of(line, transaction, &range.root)?;
        if meeting.is_some_and(|step| (end.base..=end.step).contains(&step)) {
            return Ok(false);
        }
        self.put_older_mark(transaction, &mark.forgotten())?;
        Ok(true)
    }

    /// One commit that removes at most so many rows that nobody reads any more. True when there were some.
    pub(crate) fn clear_older(&self, limit: usize) -> Result<bool, StateError> {
        let Some(OlderTables { entries, states }) = self.older else { return Ok(false) };
        self.change(|transaction| {
            if self.older_mark(transaction)?.is_some_and(|mark| !mark.ranges.is_empty()) {
                return Ok(false);
            }
            for table in [entries, states] {
                let mut keys = Vec::new();
                for entry in table.iter(transaction)?.take(limit) {
                    keys.push(entry?.0.to_vec());
                }
                for key in &keys {
                    table.delete(transaction, key)?;
                }
                if !keys.is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Where a state is read of those from before the line. None where they do not have it, or do not reach the line.
    pub(crate) fn older_position(
        &self,
        transaction: &RoTxn<'_>,
        end: &LineEnd,
        root: &B256,
        known: Option<OlderPosition>,
    ) -> heed::Result<Option<OlderPosition>> {
        let Some((older, line)) = self.older.zip(self.line) else { return Ok(None) };
        let Some((generation, 1.., rest)) = self.meta.get(transaction, MARK)?.and_then(header) else { return Ok(None) };
        if let Some(known) = known.filter(|known| known.generation == generation && known.meeting >= end.base) {
            return Ok(Some(known));
        }
        let range = rest.get(..RANGE_BYTES).and_then(decode_range).ok_or_else(damaged)?;
        let Some(number) = older.states.get(transaction, root.as_slice())? else { return Ok(None) };
        let number = position(number).ok_or_else(damaged)?;
        if !(range.low.number..range.top.number).contains(&number) {
            return Ok(None);
        }
        let meeting = step_of(line, transaction, &range.root)?.filter(|step| (end.base..=end.step).contains(step));
        Ok(meeting.map(|meeting| OlderPosition { generation, number, meeting }))
    }

    /// True when one of the blocks from before the line has the state.
    pub(crate) fn is_older(&self, root: &B256) -> Result<bool, StateError> {
        self.transact(|transaction| match self.mark_in(transaction)? {
            Some(HeadMark::At(end)) => Ok(self.older_position(transaction, &end, root, None)?.is_some()),
            _ => Ok(false),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::{Address, U256};

    use super::*;
    use crate::head_changes::CellValue;
    use crate::options::StoreOptions;
    use crate::state_store::StateStore;

    #[test]
    fn what_nobody_reads_is_cleared_in_bounded_commits() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let lmdb = store.backend.lmdb().unwrap();
        let OlderTables { entries, states } = lmdb.older.unwrap();
        let name = BlockName { number: 4, hash: B256::ZERO };
        let range = OlderRange { root: B256::ZERO, top: name, low: name };
        let mark = OlderMark { generation: 3, ranges: vec![range], after: Vec::new() };
        lmdb.change(|transaction| {
            for number in 0..20_u8 {
                entries.put(transaction, &[number], &[])?;
                states.put(transaction, &[number], &[])?;
            }
            lmdb.put_older_mark(transaction, &mark)
        })
        .unwrap();
        assert!(!lmdb.clear_older(7).unwrap());
        let end = LineEnd { root: B256::ZERO, step: 9, base: 5 };
        assert!(lmdb.change(|transaction| lmdb.leave_older(transaction, &end)).unwrap());
        assert!(!lmdb.change(|transaction| lmdb.leave_older(transaction, &end)).unwrap());
        let left = || lmdb.transact(|transaction| Ok((entries.len(transaction)?, states.len(transaction)?))).unwrap();
        let mut sizes = Vec::new();
        while lmdb.clear_older(7).unwrap() {
            sizes.push(left());
        }
        assert_eq!(sizes, [(13, 20), (6, 20), (0, 20), (0, 13), (0, 6), (0, 0)]);
        let found = lmdb.transact(|transaction| lmdb.older_mark(transaction)).unwrap();
        assert_eq!(found, Some(OlderMark { generation: 4, ..OlderMark::default() }));
    }

    #[test]
    fn marks_and_entries_are_what_was_written() {
        let name = |number: u64| BlockName { number, hash: B256::repeat_byte(number as u8) };
        let range = |top, low| OlderRange { root: B256::repeat_byte(9), top: name(top), low: name(low) };
        for ranges in [vec![], vec![range(90, 70)], vec![range(90, 70), range(40, 2)]] {
            let mark = OlderMark { generation: 7, ranges, after: vec![1, 2] };
            let bytes = mark.encode();
            assert_eq!(OlderMark::decode(&bytes), Some(mark));
            assert_eq!(OlderMark::decode(&bytes[..5]), None);
        }
        let owner = AccountRef::Address(Address::repeat_byte(3));
        let cell = |bytes| ItemValue::Cell(CellValue::of(bytes));
        let bytes = Bytes::from(vec![4; 200]);
        let values = [
            (Item::Account, ItemValue::Bytes(None)),
            (Item::Account, ItemValue::Bytes(Some(Bytes::new()))),
            (Item::Account, ItemValue::Bytes(Some(bytes.clone()))),
            (Item::Code, ItemValue::Code(None)),
            (Item::Code, ItemValue::Code(Some((B256::repeat_byte(1), 5)))),
            (Item::Marker, ItemValue::Marker(true)),
            (Item::Marker, ItemValue::Marker(false)),
            (Item::Cell(U256::ZERO), cell(None)),
            (Item::Cell(U256::ZERO), cell(Some(&bytes))),
            (Item::Cell(U256::MAX), cell(Some(&Bytes::from_static(&[1])))),
        ];
        for (item, value) in values {
            assert_eq!(decode_value(item, &encode_value(&value)), Some(value));
            let prefix = item_prefix(&owner, item);
            let key = entry_key(&prefix, 1 << 33);
            assert_eq!(split_entry(&key), Some((&prefix[..], 1 << 33)));
        }
    }
}
