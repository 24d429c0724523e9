//! Reading the table of the head in one transaction: its own state, or an earlier one of the line.

use std::cell::Cell;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use heed::RoTxn;
use parking_lot::Mutex;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::keys::Item;

use crate::head_changes::{CellValue, ItemValue};
use crate::head_history::{changes_often, first_after};
use crate::head_mark::{LineEnd, line_end};
use crate::head_older::{OlderPosition, older_value};
use crate::head_record::Record;
use crate::head_rows::{AccountRow, account_key, cell_key, decode_cell, split_row};
use crate::lmdb::{LineTables, Lmdb, Table, position};
use crate::lmdb_head::{MARK, damaged};

/// Changes that are followed where history does not reach yet. More of them take longer than a walk down the trie.
const MAX_CHANGES: u32 = 24;

/// Position of a state on the line, as far as it is known.
pub(crate) struct LinePosition {
    root: B256,
    /// Its step and one; zero while it is unknown.
    step: AtomicU64,
    /// The end of the line, and one, at which it was not there.
    absent_at: AtomicU64,
    /// Where it is among the states from before the line.
    older: Mutex<Option<OlderPosition>>,
    /// Changes of a row that are followed.
    max_changes: u32,
}

impl LinePosition {
    pub(crate) fn new(root: B256) -> Self {
        Self {
            root,
            step: AtomicU64::new(0),
            absent_at: AtomicU64::new(0),
            older: Mutex::new(None),
            max_changes: MAX_CHANGES,
        }
    }

    /// A state whose trie is gone, so that nothing is quicker than the line.
    pub(crate) fn of_line_alone(root: B256) -> Self {
        Self { max_changes: u32::MAX, ..Self::new(root) }
    }

    /// Its step. None when the line does not have it.
    fn step(&self, line: LineTables, transaction: &RoTxn<'_>, end: &LineEnd) -> heed::Result<Option<u64>> {
        if let Some(step) = self.step.load(Ordering::Relaxed).checked_sub(1)
            && step >= end.base
        {
            return Ok(Some(step));
        }
        if self.absent_at.load(Ordering::Relaxed) == end.step + 1 {
            return Ok(None);
        }
        let found = step_of(line, transaction, &self.root)?.filter(|step| (end.base..=end.step).contains(step));
        match found {
            Some(step) => self.step.store(step + 1, Ordering::Relaxed),
            None => self.absent_at.store(end.step + 1, Ordering::Relaxed),
        }
        Ok(found)
    }

    /// Where it is read when the line does not have it. None where it is not there, either.
    fn older(&self, lmdb: &Lmdb, transaction: &RoTxn<'_>, end: &LineEnd) -> heed::Result<Option<OlderPosition>> {
        let known = *self.older.lock();
        let found = lmdb.older_position(transaction, end, &self.root, known)?;
        if found != known {
            *self.older.lock() = found;
        }
        Ok(found)
    }
}

/// The last step that led to a state.
pub(crate) fn step_of(line: LineTables, transaction: &RoTxn<'_>, root: &B256) -> heed::Result<Option<u64>> {
    let step = line.steps.get(transaction, root.as_slice())?;
    step.map(|step| step.try_into().map(u64::from_be_bytes).map_err(|_| damaged())).transpose()
}

/// The record of a step.
pub(crate) fn record_of<'t>(line: LineTables, transaction: &'t RoTxn<'_>, step: u64) -> heed::Result<Record<'t>> {
    let group = line.changes.get_greater_than_or_equal_to(transaction, &step.to_be_bytes())?;
    group.and_then(|(last, group)| Record::in_group(group, position(last)?, step)).ok_or_else(damaged)
}

/// The same; None for the step with which the line began, because nothing is recorded of what led to it.
pub(crate) fn record_at<'t>(
    line: LineTables,
    transaction: &'t RoTxn<'_>,
    step: u64,
) -> heed::Result<Option<Record<'t>>> {
    let group = line.changes.get_greater_than_or_equal_to(transaction, &step.to_be_bytes())?;
    let Some((last, group)) = group else { return Ok(None) };
    let first = position(last).and_then(|last| Record::first_in_group(group, last)).ok_or_else(damaged)?;
    if step < first { Ok(None) } else { record_of(line, transaction, step).map(Some) }
}

/// All parts of the row of an account in one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountParts {
    /// The trie's value.
    pub(crate) account: Option<Bytes>,
    /// Hash and length of its code.
    pub(crate) code: Option<(B256, u32)>,
    pub(crate) marker: bool,
    /// Says which cells are its own.
    pub(crate) incarnation: u32,
}

/// One state of the line in one transaction.
pub(crate) struct HeadReads<'a> {
    head: Table,
    line: LineTables,
    transaction: &'a RoTxn<'a>,
    /// The step of the state; None for the end of the line.
    at: Option<u64>,
    /// Table of what blocks from before the line changed above a state, and the block after which that is. The line is
    /// read where they have nothing, at the state where both meet.
    older: Option<(Table, u64)>,
    max_changes: u32,
    gave_up: Cell<bool>,
}

impl<'a> HeadReads<'a> {
    pub(crate) fn new(head: Table, line: LineTables, transaction: &'a RoTxn<'a>, at: Option<u64>) -> Self {
        Self { head, line, transaction, at, older: None, max_changes: MAX_CHANGES, gave_up: Cell::new(false) }
    }

    /// The same, however long a read takes.
    pub(crate) fn without_limit(self) -> Self {
        Self { max_changes: u32::MAX, ..self }
    }

    /// True when a read took too long: what was read is of no use then.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// The trie's value of an account.
    pub(crate) fn account(&self, account: &AccountRef) -> heed::Result<Option<Bytes>> {
        match self.item(account, Item::Account)? {
            ItemValue::Bytes(value) => Ok(value),
            _ => Err(damaged()),
        }
    }

    /// Hash and length of the code of an account.
    pub(crate) fn code(&self, account: &AccountRef) -> heed::Result<Option<(B256, u32)>> {
        match self.item(account, Item::Code)? {
            ItemValue::Code(code) => Ok(code),
            _ => Err(damaged()),
        }
    }

    /// True when an account has the contract marker.
    pub(crate) fn marker(&self, account: &AccountRef) -> heed::Result<bool> {
        match self.item(account, Item::Marker)? {
            ItemValue::Marker(is_set) => Ok(is_set),
            _ => Err(damaged()),
        }
    }

    /// The value of a cell.
    pub(crate) fn cell(&self, account: &AccountRef, slot: &U256) -> heed::Result<Option<CellValue>> {
        match self.item(account, Item::Cell(*slot))? {
            ItemValue::Cell(value) => Ok(value),
            _ => Err(damaged()),
        }
    }

    /// Incarnation of an account in the state of the line, which says what cells are its own.
    pub(crate) fn incarnation(&self, account: &AccountRef) -> heed::Result<u32> {
        Ok(AccountRow::decode(self.value(&account_key(account))?).ok_or_else(damaged)?.incarnation)
    }

    /// True when rows have all that there is of the state.
    pub(crate) fn has_parts(&self) -> bool {
        self.older.is_none()
    }

    /// Everything that the row of an account has. None where parts of it are to be read elsewhere.
    pub(crate) fn parts(&self, account: &AccountRef) -> heed::Result<Option<AccountParts>> {
        if !self.has_parts() {
            return Ok(None);
        }
        let row = AccountRow::decode(self.value(&account_key(account))?).ok_or_else(damaged)?;
        Ok(Some(AccountParts {
            account: row.account.map(Bytes::copy_from_slice),
            code: row.code,
            marker: row.marker,
            incarnation: row.incarnation,
        }))
    }

    /// The value of a cell of an account whose parts are known.
    pub(crate) fn cell_of(
        &self,
        account: &AccountRef,
        parts: &AccountParts,
        slot: &U256,
    ) -> heed::Result<Option<CellValue>> {
        let value = self.value(&cell_key(account, parts.incarnation, slot))?;
        if value.is_empty() { Ok(None) } else { decode_cell(value).map(Some).ok_or_else(damaged) }
    }

    /// Contents of an item.
    pub(crate) fn item(&self, account: &AccountRef, item: Item) -> heed::Result<ItemValue> {
        if let Some((entries, number)) = self.older
            && let Some(value) = older_value(entries, self.transaction, account, item, number)?
        {
            return Ok(value);
        }
        let row = AccountRow::decode(self.value(&account_key(account))?).ok_or_else(damaged)?;
        Ok(match item {
            Item::Account => ItemValue::Bytes(row.account.map(Bytes::copy_from_slice)),
            Item::Code => ItemValue::Code(row.code),
            Item::Marker => ItemValue::Marker(row.marker),
            Item::Cell(slot) => {
                let value = self.value(&cell_key(account, row.incarnation, &slot))?;
                ItemValue::Cell(if value.is_empty() { None } else { Some(decode_cell(value).ok_or_else(damaged)?) })
            }
        })
    }

    /// Value of a row at the state; no bytes where it has none.
    pub(crate) fn value(&self, key: &[u8]) -> heed::Result<&'a [u8]> {
        let row = self.head.get(self.transaction, key)?.unwrap_or_default();
        let (mut stamp, mut value) = split_row(row).ok_or_else(damaged)?;
        let Some(at) = self.at else { return Ok(value) };
        let is_in_history = changes_often(stamp);
        let mut followed = 0;
        while stamp.step > at {
            let mut step = stamp.step;
            if is_in_history
                && followed == 0
                && let Some(first) = first_after(self.line, self.transaction, key, at)?
            {
                step = first;
            } else if followed == self.max_changes {
                self.gave_up.set(true);
                return Ok(&[]);
            }
            let before = record_of(self.line, self.transaction, step)?.find(key).ok_or_else(damaged)?;
            let below = split_row(before).ok_or_else(damaged)?;
            if below.0.step >= step {
                return Err(damaged());
            }
            (stamp, value) = below;
            followed += 1;
        }
        Ok(value)
    }

    /// Every row behind a key, as it is at the end of the line.
    pub(crate) fn rows_after(
        &self,
        after: Option<&[u8]>,
    ) -> heed::Result<impl Iterator<Item = heed::Result<(&'a [u8], &'a [u8])>>> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.head.range(self.transaction, &(start, Bound::Unbounded))
    }
}

impl Lmdb {
    /// Reads the table in a transaction of its own: as it is when it stands for a state that `is_of` takes, else the
    /// state of a position on the line. None where it is neither.
    pub(crate) fn read_head<T>(
        &self,
        is_of: impl Fn(&B256) -> bool,
        position: Option<&LinePosition>,
        read: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
    ) -> Result<Option<T>, StateError> {
        let Some((head, line)) = self.head.zip(self.line) else { return Ok(None) };
        self.transact(|transaction| {
            let Some(end) = self.meta.get(transaction, MARK)?.and_then(line_end) else { return Ok(None) };
            let mut reads = HeadReads::new(head, line, transaction, None);
            if !is_of(&end.root) {
                let Some(position) = position else { return Ok(None) };
                reads.max_changes = position.max_changes;
                reads.at = position.step(line, transaction, &end)?;
                if reads.at.is_none() {
                    let Some(older) = position.older(self, transaction, &end)? else { return Ok(None) };
                    reads.at = Some(older.meeting);
                    reads.older = self.older.map(|tables| (tables.entries, older.number));
                }
            }
            let found = read(&reads)?;
            Ok((!reads.gave_up()).then_some(found))
        })
    }
}
