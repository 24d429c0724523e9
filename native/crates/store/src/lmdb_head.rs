//! Writing the table of the head in the LMDB environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use heed::{RoTxn, RwTxn};
use rhizome_primitives::B256;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_trie::EMPTY_ROOT;
use smallvec::SmallVec;

use crate::head_changes::{AccountChange, HeadChanges};
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_record::{Before, Group, NO_STATE};
use crate::head_rows::{AccountRow, RowKey, account_key, cell_key, cells_prefix, encode_cell, split_row};
use crate::head_view::Layer;
use crate::head_write::{HeadStep, HeadWrite};
use crate::lmdb::{LineTables, Lmdb, Table};

/// Key of the mark in the table of metadata.
pub(crate) const MARK: &[u8] = b"head";

/// The error for a row that cannot be read.
pub(crate) fn damaged() -> heed::Error {
    heed::Error::Decoding("a row of the table of the head is damaged".into())
}

impl Lmdb {
    /// The mark of the table; None where there is none that this version knows.
    pub(crate) fn head_mark(&self) -> Result<Option<HeadMark>, StateError> {
        self.transact(|transaction| self.mark_in(transaction))
    }

    pub(crate) fn mark_in(&self, transaction: &RoTxn<'_>) -> heed::Result<Option<HeadMark>> {
        Ok(self.meta.get(transaction, MARK)?.and_then(HeadMark::decode))
    }

    pub(crate) fn put_mark(&self, transaction: &mut RwTxn<'_>, mark: &HeadMark) -> heed::Result<()> {
        self.meta.put(transaction, MARK, &mark.encode())
    }

    /// Changes the table within a commit. False when its mark is not what the change goes from.
    pub(crate) fn write_head(&self, transaction: &mut RwTxn<'_>, write: &HeadWrite<'_>) -> heed::Result<bool> {
        let Some((head, line)) = self.head.zip(self.line) else { return Ok(false) };
        if self.mark_in(transaction)?.as_ref() != write.from {
            return Ok(false);
        }
        match write.step {
            HeadStep::Layers(layers) => write_layers(head, line, transaction, write.from, layers)?,
            HeadStep::Part(changes) => {
                let mut rows = Rows::new(head, HeadMark::next_step(write.from));
                rows.change(transaction, changes)?;
                match &write.mark {
                    HeadMark::At(end) => rows.end_step(line, transaction, &end.root)?,
                    _ => rows.end_part(line, transaction)?,
                }
                rows.write(line, transaction)?;
            }
        }
        if let HeadMark::At(end) = &write.mark {
            begin_line(line, transaction, end)?;
        }
        self.put_mark(transaction, &write.mark).map(|()| true)
    }

    /// Forgets all earlier states.
    pub(crate) fn clear_line(&self, transaction: &mut RwTxn<'_>, line: LineTables) -> heed::Result<()> {
        line.changes.clear(transaction)?;
        line.steps.clear(transaction)?;
        line.history.clear(transaction)?;
        self.put_indexed(transaction, 0)
    }
}

/// Has a new line know its first state.
pub(crate) fn begin_line(line: LineTables, transaction: &mut RwTxn<'_>, end: &LineEnd) -> heed::Result<()> {
    if end.step == end.base { put_step(line, transaction, &end.root, end.step) } else { Ok(()) }
}

/// Key of the first step that led to a state to which several did.
pub(crate) fn first_step_key(root: &B256) -> Vec<u8> {
    [root.as_slice(), &[0]].concat()
}

/// The last step that leads to a state counts, so that it stays when earlier ones are given up. The first one says from
/// where on states above it may be needed.
fn put_step(line: LineTables, transaction: &mut RwTxn<'_>, root: &B256, step: u64) -> heed::Result<()> {
    let before = line.steps.get(transaction, root.as_slice())?.map(<[u8]>::to_vec);
    if let Some(before) = before.filter(|before| before[..] != step.to_be_bytes()) {
        line.steps.get_or_put(transaction, &first_step_key(root), &before)?;
    }
    line.steps.put(transaction, root.as_slice(), &step.to_be_bytes())
}

/// Writes the rows of layers, and a record for each.
fn write_layers(
    head: Table,
    line: LineTables,
    transaction: &mut RwTxn<'_>,
    from: Option<&HeadMark>,
    layers: &[Arc<Layer>],
) -> heed::Result<()> {
    let mut rows = Rows::new(head, HeadMark::next_step(from) - 1);
    if from.is_none() && !layers.is_empty() {
        // The line of a new store begins with the empty state.
        rows.step = 0;
        put_step(line, transaction, &EMPTY_ROOT, 0)?;
    }
    for layer in layers {
        rows.step += 1;
        rows.change(transaction, &layer.changes)?;
        rows.end_step(line, transaction, &layer.root)?;
    }
    rows.write(line, transaction)
}

/// Rows of the table as a commit changes them. Each is written once, whatever changed it.
pub(crate) struct Rows {
    head: Table,
    pub(crate) step: u64,
    changed: BTreeMap<RowKey, SmallVec<[u8; 128]>>,
    /// What the present step changed.
    before: Before,
    /// Records of the steps before.
    group: Group,
}

impl Rows {
    pub(crate) fn new(head: Table, step: u64) -> Self {
        Self { head, step, changed: BTreeMap::new(), before: Before::default(), group: Group::default() }
    }

    /// The row of a key; no bytes where there is none.
    fn row(&self, transaction: &RoTxn<'_>, key: &RowKey) -> heed::Result<SmallVec<[u8; 128]>> {
        match self.changed.get(key) {
            Some(row) => Ok(row.clone()),
            None => Ok(self.head.get(transaction, key)?.unwrap_or_default().into()),
        }
    }

    /// Gives a row another value; no bytes delete it. A step may do so once for a key.
    pub(crate) fn put(&mut self, transaction: &RoTxn<'_>, key: RowKey, value: &[u8]) -> heed::Result<()> {
        let row = self.row(transaction, &key)?;
        let (stamp, present) = split_row(&row).ok_or_else(damaged)?;
        if present == value {
            return Ok(());
        }
        // A row without a value is the mark of a deleted key.
        let mut next = SmallVec::from_slice(&stamp.next(self.step).encode());
        next.extend_from_slice(value);
        self.before.push(key.clone(), &row);
        self.changed.insert(key, next);
        Ok(())
    }

    fn change(&mut self, transaction: &RoTxn<'_>, changes: &HeadChanges) -> heed::Result<()> {
        for (account, change) in &changes.accounts {
            self.change_account(transaction, account, change)?;
        }
        Ok(())
    }

    fn change_account(
        &mut self,
        transaction: &RoTxn<'_>,
        account: &AccountRef,
        change: &AccountChange,
    ) -> heed::Result<()> {
        let key = account_key(account);
        let present = self.row(transaction, &key)?;
        let (_, value) = split_row(&present).ok_or_else(damaged)?;
        let mut row = AccountRow::decode(value).ok_or_else(damaged)?;
        if change.reset {
            row = AccountRow { incarnation: row.incarnation, ..AccountRow::default() };
            if self.has_cells(transaction, &cells_prefix(account, row.incarnation))? {
                // The cells stay: nobody reads them once the account has another incarnation.
                row.incarnation += 1;
            }
        }
        if let Some(value) = &change.account {
            row.account = value.as_ref().map(|bytes| &bytes[..]);
        }
        row.code = change.code.unwrap_or(row.code);
        row.marker = change.marker.unwrap_or(row.marker);
        let incarnation = row.incarnation;
        self.put(transaction, key, &row.encode())?;
        for (slot, value) in &change.cells {
            let value = value.as_ref().map(encode_cell).unwrap_or_default();
            self.put(transaction, cell_key(account, incarnation, slot), &value)?;
        }
        Ok(())
    }

    fn has_cells(&self, transaction: &RoTxn<'_>, prefix: &RowKey) -> heed::Result<bool> {
        let changed = self.changed.range(prefix.clone()..).next();
        if changed.is_some_and(|(key, _)| key.starts_with(prefix)) {
            return Ok(true);
        }
        let first = self.head.get_greater_than_or_equal_to(transaction, prefix)?;
        Ok(first.is_some_and(|(key, _)| key.starts_with(prefix)))
    }

    /// Ends a step, which led to the state under a root.
    pub(crate) fn end_step(&mut self, line: LineTables, transaction: &mut RwTxn<'_>, root: &B256) -> heed::Result<()> {
        self.put_record(line, transaction, root)?;
        put_step(line, transaction, root, self.step)
    }

    /// Ends a step on the way to a state.
    fn end_part(&mut self, line: LineTables, transaction: &mut RwTxn<'_>) -> heed::Result<()> {
        self.put_record(line, transaction, &NO_STATE)
    }

    fn put_record(&mut self, line: LineTables, transaction: &mut RwTxn<'_>, root: &B256) -> heed::Result<()> {
        self.group.push(root, &mut self.before);
        if self.group.is_full() { self.put_group(line, transaction) } else { Ok(()) }
    }

    /// Writes the records of the steps up to the present one that are not written yet.
    fn put_group(&mut self, line: LineTables, transaction: &mut RwTxn<'_>) -> heed::Result<()> {
        self.group.take().map_or(Ok(()), |group| line.changes.put(transaction, &self.step.to_be_bytes(), &group))
    }

    /// In key order, so that neighbours share the pages that are read and written.
    pub(crate) fn write(mut self, line: LineTables, transaction: &mut RwTxn<'_>) -> heed::Result<()> {
        self.put_group(line, transaction)?;
        for (key, row) in &self.changed {
            self.head.put(transaction, key, row)?;
        }
        Ok(())
    }
}
