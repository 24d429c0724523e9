//! Giving up earlier states of the line: the records of what each step changed, their part of the table of history, marks
//! of deleted rows and cells of accounts that were destroyed, in bounded commits by the thread that moves the table. The
//! begin of the line moves in the same commit, so that what it says is there is there. States from before the line go as a
//! whole once it does not have the one any more at which both meet.

use std::sync::Arc;

use heed::{RoTxn, RwTxn};
use rhizome_primitives::B256;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;

use crate::head_history::{is_indexed_after, shard_key};
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_reads::{record_at, record_of, step_of};
use crate::head_rows::{AccountRow, account_key, account_of_row, cells_prefix, split_row};
use crate::lmdb::{LineTables, Lmdb, Table};
use crate::lmdb_head::{damaged, first_step_key};
use crate::state_store::StateStore;
use crate::table_sizes::table_bytes;

/// Steps that one commit gives up, and with how many changes it ends before: some tenths of a second for which commits of
/// blocks wait.
const MAX_STEPS: u64 = 512;
const MAX_CHANGES: usize = 20_000;

/// Steps that wait until a thread gives them up: a commit for each would cost each block one more.
const STEPS_TO_PRUNE: u64 = if cfg!(test) { 4 } else { 256 };

/// Rows of dead cells that one commit removes, and values from before the line.
const MAX_DEAD_ROWS: usize = if cfg!(test) { 7 } else { 20_000 };

/// Beginning of the keys of the table of metadata under which prefixes of dead cells wait for their removal.
const DEAD: &[u8] = b"dead cells ";

/// The part of the line that is to be given up, as this process has been asked to.
#[derive(Default)]
pub(crate) struct GivingUp {
    /// The step with which the line is to begin; zero for an archive.
    to: u64,
    /// True when no rows were found that wait for their removal.
    has_no_dead: bool,
    /// Why the last attempt failed.
    pub(crate) fault: Option<String>,
}

/// Sizes of the line, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryStats {
    /// Steps that can be read below the newest one.
    pub steps: u64,
    /// Bytes of their tables, with those of states from before the line.
    pub bytes: u64,
}

/// The first step from which on states above this one, which was reached by it, may be needed. None when the line does not
/// have it.
fn first_step_of(line: LineTables, transaction: &RoTxn<'_>, root: &B256, end: &LineEnd) -> heed::Result<Option<u64>> {
    let last = step_of(line, transaction, root)?.filter(|step| (end.base..=end.step).contains(step));
    let Some(last) = last else { return Ok(None) };
    let first = line.steps.get(transaction, &first_step_key(root))?;
    let first = first.map(|step| step.try_into().map(u64::from_be_bytes).map_err(|_| damaged())).transpose()?;
    Ok(Some(first.unwrap_or(last).max(end.base)))
}

/// True when no state from a step on has these cells of an account.
fn are_dead(
    (head, line): (Table, LineTables),
    transaction: &RoTxn<'_>,
    account: &AccountRef,
    incarnation: u32,
    base: u64,
) -> heed::Result<bool> {
    let key = account_key(account);
    let mut row = head.get(transaction, &key)?.unwrap_or_default();
    loop {
        let (stamp, value) = split_row(row).ok_or_else(damaged)?;
        if AccountRow::decode(value).ok_or_else(damaged)?.incarnation == incarnation {
            return Ok(false);
        }
        if stamp.step <= base {
            return Ok(true);
        }
        row = record_of(line, transaction, stamp.step)?.find(&key).ok_or_else(damaged)?;
    }
}

fn has_rows(head: Table, transaction: &RoTxn<'_>, prefix: &[u8]) -> heed::Result<bool> {
    let first = head.get_greater_than_or_equal_to(transaction, prefix)?;
    Ok(first.is_some_and(|(key, _)| key.starts_with(prefix)))
}

/// Forgets the state of a step below the begin of the line. Its record goes with the last step of its group, of which all
/// are below the begin then.
fn forget_step(line: LineTables, transaction: &mut RwTxn<'_>, step: u64) -> heed::Result<()> {
    let Some(record) = record_at(line, transaction, step)? else { return Ok(()) };
    let root = record.root();
    let first = first_step_key(&root);
    if step_of(line, transaction, &root)? == Some(step) {
        line.steps.delete(transaction, root.as_slice())?;
        line.steps.delete(transaction, &first)?;
    } else if line.steps.get(transaction, &first)? == Some(&step.to_be_bytes()) {
        // It occurs again, where is not known.
        line.steps.put(transaction, &first, &(step + 1).to_be_bytes())?;
    }
    line.changes.delete(transaction, &step.to_be_bytes()).map(|_| ())
}

impl Lmdb {
    /// One commit that has the line begin with a step, or on the way there. None when there is nothing to do, otherwise the
    /// end of the line, and whether rows were found that nobody needs now.
    fn prune_line(&self, to: u64) -> Result<Option<(LineEnd, bool)>, StateError> {
        let Some((head, line)) = self.head.zip(self.line) else { return Ok(None) };
        self.change(|transaction| {
            let Some(HeadMark::At(mut end)) = self.mark_in(transaction)? else { return Ok(None) };
            let (from, to) = (end.base, to.min(end.step));
            let (mut accounts, mut changes) = (Vec::new(), 0);
            while end.base < to && end.base - from < MAX_STEPS && changes < MAX_CHANGES {
                forget_step(line, transaction, end.base)?;
                end.base += 1;
                changes += leave_step((head, line), transaction, end.base, &mut accounts)?;
            }
            if end.base == from {
                return Ok(None);
            }
            let mut has_dead = self.leave_older(transaction, &end)?;
            for (account, incarnation) in accounts {
                let prefix = cells_prefix(&account, incarnation);
                if has_rows(head, transaction, &prefix)?
                    && are_dead((head, line), transaction, &account, incarnation, end.base)?
                {
                    let value = [account_key(&account).to_vec(), incarnation.to_be_bytes().to_vec()].concat();
                    self.meta.put(transaction, &[DEAD, &prefix].concat(), &value)?;
                    has_dead = true;
                }
            }
            self.put_mark(transaction, &HeadMark::At(end))?;
            Ok(Some((end, has_dead)))
        })
    }

    /// One commit that removes cells that no state has any more. True when there may be more.
    fn clear_dead(&self) -> Result<bool, StateError> {
        let Some((head, line)) = self.head.zip(self.line) else { return Ok(false) };
        self.change(|transaction| {
            let Some(HeadMark::At(end)) = self.mark_in(transaction)? else { return Ok(false) };
            let found = self.meta.get_greater_than_or_equal_to(transaction, DEAD)?;
            let Some((name, value)) = found.filter(|(name, _)| name.starts_with(DEAD)) else { return Ok(false) };
            let (name, value) = (name.to_vec(), value.to_vec());
            let (key, incarnation) = value.split_last_chunk().ok_or_else(damaged)?;
            let account = account_of_row(key).ok_or_else(damaged)?;
            let prefix = &name[DEAD.len()..];
            // A table that was made anew since then counts incarnations from the beginning.
            let incarnation = u32::from_be_bytes(*incarnation);
            if are_dead((head, line), transaction, &account, incarnation, end.base)? {
                let mut keys = Vec::new();
                for entry in head.prefix_iter(transaction, prefix)?.take(MAX_DEAD_ROWS) {
                    keys.push(entry?.0.to_vec());
                }
                for key in &keys {
                    head.delete(transaction, key)?;
                }
                if keys.len() == MAX_DEAD_ROWS {
                    return Ok(true);
                }
            }
            self.meta.delete(transaction, &name)?;
            Ok(true)
        })
    }
}

/// Removes what only states below a step read: its shards of the table of history, and marks of rows that it deleted.
/// Incarnations of accounts that it ended are added. The number of its changes.
fn leave_step(
    (head, line): (Table, LineTables),
    transaction: &mut RwTxn<'_>,
    step: u64,
    accounts: &mut Vec<(AccountRef, u32)>,
) -> heed::Result<usize> {
    let mut indexed = Vec::new();
    let mut deleted = Vec::new();
    let record = record_of(line, transaction, step)?;
    let mut changes = 0;
    for entry in record.entries() {
        let (key, before) = entry.ok_or_else(damaged)?;
        changes += 1;
        let (stamp, value) = split_row(before).ok_or_else(damaged)?;
        if is_indexed_after(stamp) {
            indexed.push(shard_key(&key, step));
        }
        let (newest, present) = split_row(head.get(transaction, &key)?.unwrap_or_default()).ok_or_else(damaged)?;
        if present.is_empty() && newest.step == step {
            deleted.push(key.clone());
        }
        if let Some(account) = account_of_row(&key) {
            let ended = AccountRow::decode(value).ok_or_else(damaged)?.incarnation;
            if AccountRow::decode(present).ok_or_else(damaged)?.incarnation != ended {
                accounts.push((account, ended));
            }
        }
    }
    for shard in indexed {
        line.history.delete(transaction, &shard)?;
    }
    for key in deleted {
        head.delete(transaction, &key)?;
    }
    Ok(changes)
}

impl StateStore {
    /// Has earlier states of the line given up, all before this one, which is the oldest of those that are kept; a thread of
    /// the store does it, some hundred at a time. Nothing happens when the line does not have it. Not to be
    /// called for a block below one of before, whose state may be on the line again by another branch. Returns the step
    /// with which the line begins at present, a number that grows as states are given up.
    pub fn drop_history_before(self: &Arc<Self>, root: &B256) -> Result<u64, StateError> {
        let Some((lmdb, line)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.line?))) else { return Ok(0) };
        let found = lmdb.transact(|transaction| match lmdb.mark_in(transaction)? {
            Some(HeadMark::At(end)) => Ok(Some((end.base, first_step_of(line, transaction, root, &end)?))),
            _ => Ok(None),
        })?;
        let Some((base, first)) = found else { return Ok(0) };
        if let Some(first) = first {
            self.table.giving_up.lock().to = first;
        }
        self.start_moving();
        Ok(base)
    }

    /// Has nothing given up any more when it returns.
    pub fn keep_history(&self) {
        let _stepping = self.table.stepping.lock();
        self.table.giving_up.lock().to = 0;
    }

    /// True when a thread is to give up states of the line.
    pub(crate) fn has_to_prune_line(&self) -> bool {
        let (to, has_no_dead) = {
            let giving_up = self.table.giving_up.lock();
            (giving_up.to, giving_up.has_no_dead)
        };
        if to == 0 || !self.table.is_writable || self.is_closed() {
            return false;
        }
        match self.table.state.read().mark {
            Some(HeadMark::At(end)) => !has_no_dead || to.min(end.step) >= end.base + STEPS_TO_PRUNE,
            _ => false,
        }
    }

    /// Gives up all that is to be given up, on the calling thread. For tests and tools: a thread of the store does it
    /// otherwise.
    pub fn settle_history(&self) -> Result<(), StateError> {
        while self.prune_line_step()? {}
        Ok(())
    }

    /// One commit of that. False when there is nothing left to do.
    pub(crate) fn prune_line_step(&self) -> Result<bool, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(false) };
        let _stepping = self.table.stepping.lock();
        let to = self.table.giving_up.lock().to;
        if to == 0 || !self.table.is_writable || self.is_closed() {
            return Ok(false);
        }
        let step = self.prune_line_step_of(lmdb, to);
        let mut giving_up = self.table.giving_up.lock();
        match &step {
            Ok(_) => giving_up.fault = None,
            Err(error) => giving_up.fault = Some(error.to_string()),
        }
        step
    }

    fn prune_line_step_of(&self, lmdb: &Lmdb, to: u64) -> Result<bool, StateError> {
        // Commits of blocks compare the mark with what they know of it.
        let _committing = self.committing.lock();
        if let Some((end, has_dead)) = lmdb.prune_line(to)? {
            if has_dead {
                self.table.giving_up.lock().has_no_dead = false;
            }
            let _moving = self.table.moving.lock();
            self.table.state.write().mark = Some(HeadMark::At(end));
            return Ok(true);
        }
        if self.table.giving_up.lock().has_no_dead {
            return Ok(false);
        }
        let goes_on = lmdb.clear_older(MAX_DEAD_ROWS)? || lmdb.clear_dead()?;
        self.table.giving_up.lock().has_no_dead = !goes_on;
        Ok(goes_on)
    }

    /// Sizes of the line.
    pub fn history_stats(&self) -> Result<HistoryStats, StateError> {
        let Some((lmdb, line)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.line?))) else {
            return Ok(HistoryStats::default());
        };
        lmdb.transact(|transaction| {
            let Some(HeadMark::At(end)) = lmdb.mark_in(transaction)? else { return Ok(HistoryStats::default()) };
            let mut bytes = 0;
            let older = lmdb.older.map(|tables| [tables.entries, tables.states]);
            for table in [line.changes, line.steps, line.history].into_iter().chain(older.into_iter().flatten()) {
                bytes += table_bytes(table, transaction)?;
            }
            Ok(HistoryStats { steps: end.step - end.base, bytes })
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::account::Account;
    use rhizome_primitives::state::{StateReader as _, WriteSet};
    use rhizome_primitives::{Address, Bytes, U256};
    use rhizome_trie::EMPTY_ROOT;

    use super::*;
    use crate::check::CheckProgress;
    use crate::options::StoreOptions;

    const CELLS: u64 = 50;

    fn contract() -> AccountRef {
        AccountRef::Address(Address::repeat_byte(0x33))
    }

    fn cells(value: u8) -> WriteSet {
        let storage = (0..CELLS).map(|slot| (contract(), U256::from(slot), Some(Bytes::from(vec![value])))).collect();
        WriteSet { accounts: vec![(contract(), Account::default())], storage, ..WriteSet::default() }
    }

    fn nonce(number: u64) -> WriteSet {
        let other = AccountRef::Address(Address::repeat_byte(0x44));
        let account = Account { nonce: U256::from(number), ..Account::default() };
        WriteSet { accounts: vec![(other, account)], ..WriteSet::default() }
    }

    fn extend(store: &Arc<StateStore>, roots: &mut Vec<B256>, changes: &WriteSet) {
        let parent = *roots.last().unwrap();
        let applied = store.apply(parent, changes).unwrap();
        let root = applied.root();
        store.keep(applied);
        store.set_head(root, Some((&parent, changes)));
        store.settle_head().unwrap();
        roots.push(root);
    }

    fn dead_cells(store: &Arc<StateStore>) -> u64 {
        store.check_line(&CheckProgress::default()).unwrap().unwrap();
        store.check_head(&CheckProgress::default()).unwrap().unwrap().dead_cells
    }

    fn first_cell(store: &Arc<StateStore>, root: B256) -> Option<Bytes> {
        store.table_reader(root).storage(&contract(), &U256::ZERO).unwrap()
    }

    #[test]
    fn dead_cells_go_with_the_last_state_that_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        let destroyed = WriteSet { deleted: vec![contract()], ..WriteSet::default() };
        for changes in [cells(1), nonce(1), destroyed, cells(2), nonce(2), nonce(3)] {
            extend(&store, &mut roots, &changes);
        }
        assert_eq!(dead_cells(&store), CELLS);
        // The destruction is taken back for a while, so that later states have the first cells again.
        let newest = roots[6];
        store.set_head(roots[2], None);
        store.settle_head().unwrap();
        store.set_head(newest, None);
        store.settle_head().unwrap();
        store.drop_history_before(&roots[4]).unwrap();
        store.settle_history().unwrap();
        assert!(!store.has_on_line(&roots[3]).unwrap() && store.has_on_line(&roots[2]).unwrap());
        assert_eq!(first_cell(&store, roots[2]), Some(vec![1].into()));
        assert_eq!(dead_cells(&store), CELLS);
        for number in 4..8 {
            extend(&store, &mut roots, &nonce(number));
        }
        store.drop_history_before(&roots[8]).unwrap();
        store.settle_history().unwrap();
        assert!(!store.has_on_line(&roots[2]).unwrap());
        assert_eq!((dead_cells(&store), first_cell(&store, roots[8])), (0, Some(vec![2].into())));
    }

    #[test]
    fn a_line_may_begin_on_the_way_to_a_state() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        for number in 1..3 {
            extend(&store, &mut roots, &nonce(number));
        }
        // More than one commit of a move takes: some steps, of which the last one leads to a state.
        let storage = (0..210_000_u64).map(|slot| (contract(), U256::from(slot), Some(vec![3].into()))).collect();
        let many = WriteSet { accounts: vec![(contract(), Account::default())], storage, ..WriteSet::default() };
        let applied = store.apply(roots[2], &many).unwrap();
        roots.push(applied.root());
        store.keep(applied);
        store.commit().unwrap();
        store.set_head(roots[3], None);
        store.settle_head().unwrap();
        extend(&store, &mut roots, &nonce(4));
        // The thread of the store is not asked, which would give up some of them meanwhile.
        store.table.giving_up.lock().to = 5;
        let mut begins = Vec::new();
        while store.prune_line_step().unwrap() {
            let steps = store.check_line(&CheckProgress::default()).unwrap().unwrap().steps;
            assert_eq!(store.history_stats().unwrap().steps, steps);
            begins.push(steps);
        }
        begins.dedup();
        // Each of the large steps is a commit of its own.
        assert_eq!(begins, [3, 2, 1]);
        let found: Vec<_> = roots.iter().map(|root| store.has_on_line(root).unwrap()).collect();
        assert_eq!(found, [false, false, false, true, true]);
        assert_eq!(first_cell(&store, roots[3]), Some(vec![3].into()));
    }

    #[test]
    fn a_group_of_records_goes_with_its_last_step() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        for number in 1..=30 {
            let parent = *roots.last().unwrap();
            let applied = store.apply(parent, &nonce(number)).unwrap();
            roots.push(applied.root());
            store.keep(applied);
            store.set_head(*roots.last().unwrap(), Some((&parent, &nonce(number))));
            if number % 10 == 0 {
                store.settle_head().unwrap();
            }
        }
        let (lmdb, line) = store.backend.lmdb().map(|lmdb| (lmdb, lmdb.line.unwrap())).unwrap();
        for first in 1..=30_u64 {
            store.drop_history_before(&roots[first as usize]).unwrap();
            store.settle_history().unwrap();
            let groups = lmdb.transact(|transaction| line.changes.len(transaction)).unwrap();
            let states = lmdb.transact(|transaction| line.steps.len(transaction)).unwrap();
            // The record of the step with which the line begins stays for its root. The empty state stays in the other
            // table, because no record has it.
            assert_eq!((groups, states), (3 - (first - 1) / 10, 32 - first), "{first}");
            assert_eq!(store.history_stats().unwrap().steps, 30 - first);
            assert_eq!(store.check_line(&CheckProgress::default()).unwrap().unwrap().steps, 30 - first);
            for (number, root) in roots.iter().enumerate() {
                assert_eq!(store.has_on_line(root).unwrap(), number as u64 >= first);
            }
        }
    }

    #[test]
    fn a_state_that_occurs_again_stays_until_its_last_step_goes() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut roots = vec![EMPTY_ROOT];
        for number in [1, 2, 3, 1, 4, 5, 6] {
            extend(&store, &mut roots, &nonce(number));
        }
        assert_eq!(roots[1], roots[4]);
        // It may be the first of the two blocks that is meant.
        assert_eq!(store.drop_history_before(&roots[4]).unwrap(), 0);
        store.settle_history().unwrap();
        assert!(store.has_on_line(&roots[2]).unwrap() && !store.has_on_line(&EMPTY_ROOT).unwrap());
        store.drop_history_before(&roots[3]).unwrap();
        store.settle_history().unwrap();
        let found: Vec<_> = roots.iter().map(|root| store.has_on_line(root).unwrap()).collect();
        assert_eq!(found, [false, true, false, true, true, true, true, true]);
        // What stands before it is not known any more, so that all of it stays; a later state says more.
        store.drop_history_before(&roots[4]).unwrap();
        store.settle_history().unwrap();
        assert!(store.has_on_line(&roots[3]).unwrap());
        store.drop_history_before(&roots[5]).unwrap();
        store.settle_history().unwrap();
        let found: Vec<_> = roots.iter().map(|root| store.has_on_line(root).unwrap()).collect();
        assert_eq!(found, [false, false, false, false, false, true, true, true]);
        assert_eq!(store.history_stats().unwrap().steps, 2);
        store.check_line(&CheckProgress::default()).unwrap().unwrap();
        // A new store on the same files has nothing to give up until it is told so.
        store.close();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        store.settle_history().unwrap();
        assert_eq!(store.history_stats().unwrap().steps, 2);
    }
}
