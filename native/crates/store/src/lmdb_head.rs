//! The table of the head in the LMDB environment.

use std::ops::Bound;

use heed::{RoTxn, RwTxn};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, U256};

use crate::head_changes::{AccountChange, CellValue};
use crate::head_rows::{
    AccountRow, DEAD, HeadMark, HeadWrite, account_key, cell_key, cells_prefix, decode_cell, encode_cell, root_in_mark,
};
use crate::lmdb::{Lmdb, Table};

/// Key of the mark in the table of metadata.
const MARK: &[u8] = b"head";

/// Dead cells that one commit removes.
const DEAD_CELLS_AT_ONCE: usize = 1_000;

/// The table in one transaction, in which it stands for one state.
pub(crate) struct HeadReads<'a> {
    head: Table,
    transaction: &'a RoTxn<'a>,
}

impl<'a> HeadReads<'a> {
    pub(crate) fn account_row(&self, account: &AccountRef) -> heed::Result<AccountRow<'a>> {
        account_row(self.head, self.transaction, account)
    }

    pub(crate) fn cell(&self, account: &AccountRef, slot: &U256) -> heed::Result<Option<CellValue>> {
        let AccountRow { incarnation, .. } = self.account_row(account)?;
        let key = cell_key(account, incarnation, slot);
        self.head.get(self.transaction, &key)?.map(|row| decode_cell(row).ok_or_else(damaged)).transpose()
    }

    /// Every row behind a key.
    pub(crate) fn rows_after(
        &self,
        after: Option<&[u8]>,
    ) -> heed::Result<impl Iterator<Item = heed::Result<(&'a [u8], &'a [u8])>>> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.head.range(self.transaction, &(start, Bound::Unbounded))
    }

    /// True when the cells of an earlier incarnation wait to be removed.
    pub(crate) fn is_dead(&self, account: &AccountRef, incarnation: u32) -> heed::Result<bool> {
        let key = [&[DEAD], &cells_prefix(account, incarnation)[..]].concat();
        Ok(self.head.get(self.transaction, &key)?.is_some())
    }
}

/// The error for a row that cannot be read.
pub(crate) fn damaged() -> heed::Error {
    heed::Error::Decoding("a row of the table of the head is damaged".into())
}

fn account_row<'t>(head: Table, transaction: &'t RoTxn<'_>, account: &AccountRef) -> heed::Result<AccountRow<'t>> {
    match head.get(transaction, &account_key(account))? {
        None => Ok(AccountRow::default()),
        Some(row) => AccountRow::decode(row).ok_or_else(damaged),
    }
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

    /// Reads the table in a transaction of its own. None when it stands for a state that `is_of` refuses, or for none.
    pub(crate) fn read_head<T>(
        &self,
        is_of: impl Fn(&B256) -> bool,
        read: impl Fn(&HeadReads<'_>) -> heed::Result<T>,
    ) -> Result<Option<T>, StateError> {
        let Some(head) = self.head else { return Ok(None) };
        self.transact(|transaction| {
            let root = self.meta.get(transaction, MARK)?.and_then(root_in_mark);
            match root {
                Some(root) if is_of(&root) => read(&HeadReads { head, transaction }).map(Some),
                _ => Ok(None),
            }
        })
    }

    /// Changes the table within a commit. False when its mark is not what the change goes from.
    pub(crate) fn write_head(&self, transaction: &mut RwTxn<'_>, write: &HeadWrite<'_>) -> heed::Result<bool> {
        let Some(head) = self.head else { return Ok(false) };
        if self.mark_in(transaction)?.as_ref() != write.from {
            return Ok(false);
        }
        let mut accounts: Vec<_> = write.changes.accounts.iter().map(|(account, change)| (*account, change)).collect();
        // In key order, so that neighbours share the pages that are read and written.
        accounts.sort_unstable_by_key(|(account, _)| account_key(account));
        for (account, change) in accounts {
            write_account(head, transaction, &account, change)?;
        }
        sweep(head, transaction)?;
        self.put_mark(transaction, &write.mark)?;
        Ok(true)
    }
}

fn write_account(
    head: Table,
    transaction: &mut RwTxn<'_>,
    account: &AccountRef,
    change: &AccountChange,
) -> heed::Result<()> {
    let key = account_key(account);
    let present = head.get(transaction, &key)?.map(<[u8]>::to_vec);
    let mut row = match &present {
        None => AccountRow::default(),
        Some(present) => AccountRow::decode(present).ok_or_else(damaged)?,
    };
    if change.reset {
        row = AccountRow { incarnation: row.incarnation, ..AccountRow::default() };
        let prefix = cells_prefix(account, row.incarnation);
        let first = head.get_greater_than_or_equal_to(transaction, &prefix)?;
        if first.is_some_and(|(key, _)| key.starts_with(&prefix)) {
            // The cells stay for now: nobody reads them once the account has another incarnation.
            head.put(transaction, &[&[DEAD], &prefix[..]].concat(), &[])?;
            row.incarnation += 1;
        }
    }
    if let Some(value) = &change.account {
        row.account = value.as_ref().map(|bytes| &bytes[..]);
    }
    row.code = change.code.unwrap_or(row.code);
    row.marker = change.marker.unwrap_or(row.marker);
    let incarnation = row.incarnation;
    if row.is_default() {
        if present.is_some() {
            head.delete(transaction, &key)?;
        }
    } else {
        let encoded = row.encode();
        if present.as_deref() != Some(&encoded[..]) {
            head.put(transaction, &key, &encoded)?;
        }
    }
    let mut cells: Vec<_> =
        change.cells.iter().map(|(slot, value)| (cell_key(account, incarnation, slot), value)).collect();
    cells.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    for (key, value) in cells {
        match value {
            Some(value) => head.put(transaction, &key, &encode_cell(value))?,
            None => {
                head.delete(transaction, &key)?;
            }
        }
    }
    Ok(())
}

/// Removes a bounded number of dead cells.
fn sweep(head: Table, transaction: &mut RwTxn<'_>) -> heed::Result<()> {
    let mut left = DEAD_CELLS_AT_ONCE;
    while left > 0 {
        let found = head.get_greater_than_or_equal_to(transaction, &[DEAD])?;
        let Some(queued) = found.map(|(key, _)| key.to_vec()).filter(|key| key[0] == DEAD) else { return Ok(()) };
        let prefix = &queued[1..];
        let dead: Vec<Vec<u8>> = head
            .prefix_iter(transaction, prefix)?
            .take(left)
            .map(|entry| entry.map(|(key, _)| key.to_vec()))
            .collect::<heed::Result<_>>()?;
        for key in &dead {
            head.delete(transaction, key)?;
        }
        if dead.len() < left {
            head.delete(transaction, &queued)?;
        }
        left -= dead.len().max(1);
    }
    Ok(())
}
