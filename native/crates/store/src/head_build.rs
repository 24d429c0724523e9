//! Making the table of a whole state. Rows come in the order of the trie, which is another one: they are sorted in runs,
//! each of which is a commit, and then the runs are merged and appended to the table in its own order, so that each page
//! of it is written once. The mark says how far it is, and the last row of the table where the merge goes on.

use std::ops::ControlFlow;
use std::sync::Arc;

use heed::{PutFlags, RwTxn};
use rhizome_primitives::B256;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_trie::keys::{Item, item_of};
use rhizome_trie::{EMPTY_ROOT, Trie, Value};

use crate::head_changes::CellValue;
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_move::cell_value;
use crate::head_rows::{ACCOUNTS, AccountRow, Stamp, account_key, cell_key, encode_cell};
use crate::lmdb::{Lmdb, Table};
use crate::lmdb_head::{begin_line, damaged};
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// Bytes of rows that are sorted in memory and written as one run. This size and the next two are small in unit tests, so
/// that they have several of each.
const RUN_BYTES: usize = if cfg!(test) { 40_000 } else { 64 << 20 };

/// Bytes of one entry of a run, about. A merge holds one of each run.
const CHUNK_BYTES: usize = if cfg!(test) { 4_000 } else { 1 << 20 };

/// Bytes of rows that one commit of a merge appends, about.
const MERGED_BYTES: usize = if cfg!(test) { 60_000 } else { 32 << 20 };

/// Bytes before key and row of a record: the length of the key in one byte and that of the row in two.
const RECORD_PREFIX: usize = 3;

/// Rows that wait to be sorted.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    /// Start of each record.
    starts: Vec<u32>,
}

impl Rows {
    fn push(&mut self, key: &[u8], row: &[u8]) {
        self.starts.push(self.bytes.len() as u32);
        self.bytes.push(key.len() as u8);
        self.bytes.extend_from_slice(&(row.len() as u16).to_be_bytes());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(row);
    }

    /// The entries of a run: records in key order.
    fn into_chunks(mut self) -> Vec<Vec<u8>> {
        let bytes = &self.bytes;
        self.starts.sort_unstable_by_key(|start| record_at(bytes, *start as usize).map(|(key, _, _)| key));
        let mut chunks = Vec::new();
        let mut chunk = Vec::new();
        for start in &self.starts {
            let start = *start as usize;
            let Some((_, _, end)) = record_at(bytes, start) else { continue };
            if chunk.len() + (end - start) > CHUNK_BYTES && !chunk.is_empty() {
                chunks.push(std::mem::take(&mut chunk));
            }
            chunk.extend_from_slice(&bytes[start..end]);
        }
        if !chunk.is_empty() {
            chunks.push(chunk);
        }
        chunks
    }
}

/// Key, row and end of a record; None behind the last one.
fn record_at(bytes: &[u8], start: usize) -> Option<(&[u8], &[u8], usize)> {
    let (prefix, rest) = bytes.get(start..)?.split_at_checked(RECORD_PREFIX)?;
    let (key, rest) = rest.split_at_checked(usize::from(prefix[0]))?;
    let row = rest.get(..usize::from(u16::from_be_bytes([prefix[1], prefix[2]])))?;
    Some((key, row, start + RECORD_PREFIX + key.len() + row.len()))
}

/// Position of a merge in one run.
struct RunReader {
    run: u32,
    chunk: u32,
    bytes: Vec<u8>,
    at: usize,
}

impl RunReader {
    fn open(runs: Table, transaction: &heed::RoTxn<'_>, run: u32) -> heed::Result<Self> {
        let mut reader = Self { run, chunk: 0, bytes: Vec::new(), at: 0 };
        reader.load(runs, transaction)?;
        Ok(reader)
    }

    fn load(&mut self, runs: Table, transaction: &heed::RoTxn<'_>) -> heed::Result<()> {
        let bytes = runs.get(transaction, &chunk_key(self.run, self.chunk))?;
        self.bytes = bytes.map(<[u8]>::to_vec).unwrap_or_default();
        self.at = 0;
        Ok(())
    }

    fn record(&self) -> Option<(&[u8], &[u8], usize)> {
        record_at(&self.bytes, self.at)
    }

    fn advance(&mut self, runs: Table, transaction: &heed::RoTxn<'_>) -> heed::Result<()> {
        let Some((_, _, end)) = self.record() else { return Ok(()) };
        self.at = end;
        if self.at == self.bytes.len() {
            self.chunk += 1;
            self.load(runs, transaction)?;
        }
        Ok(())
    }

    /// Leaves out the records up to a key.
    fn skip(&mut self, runs: Table, transaction: &heed::RoTxn<'_>, last: &[u8]) -> heed::Result<()> {
        loop {
            let next = runs.get(transaction, &chunk_key(self.run, self.chunk + 1))?;
            if next.and_then(|bytes| record_at(bytes, 0)).is_none_or(|(key, _, _)| key > last) {
                break;
            }
            self.chunk += 1;
            self.load(runs, transaction)?;
        }
        while self.record().is_some_and(|(key, _, _)| key <= last) {
            self.advance(runs, transaction)?;
        }
        Ok(())
    }
}

fn chunk_key(run: u32, chunk: u32) -> [u8; 8] {
    (u64::from(run) << 32 | u64::from(chunk)).to_be_bytes()
}

impl StateStore {
    /// The next commit of making the table. None when its mark is not the expected one, otherwise the next mark.
    pub(crate) fn build_step(self: &Arc<Self>, lmdb: &Lmdb, mark: &HeadMark) -> Result<Option<HeadMark>, StateError> {
        match mark {
            HeadMark::Sorting { to, runs, after, .. } => self.sort_run(lmdb, Some(mark), *to, *runs, Some(after)),
            HeadMark::Merging { to, runs, step } => {
                let _committing = self.committing.lock();
                lmdb.merge_runs(*to, *runs, *step)
            }
            HeadMark::At(_) | HeadMark::Moving { .. } => Ok(None),
        }
    }

    /// Sorts the rows behind a key into the run of a number. The first one empties the table.
    pub(crate) fn sort_run(
        self: &Arc<Self>,
        lmdb: &Lmdb,
        mark: Option<&HeadMark>,
        to: B256,
        run: u32,
        after: Option<&[u8]>,
    ) -> Result<Option<HeadMark>, StateError> {
        let source = Arc::new(UncachedNodes::new(self.clone()));
        let (empty, trie) = (Trie::at(source.clone(), EMPTY_ROOT), Trie::at(source, to));
        let mut rows = Rows::default();
        let mut last = None;
        empty.differences(&trie, after, &mut |key, _, value| {
            let (account, item) = item_of(key)
                .ok_or_else(|| StateError::Corrupt { hash: to, reason: "it has a key that no state has".to_owned() })?;
            push_item(&mut rows, &trie, &account, item, value)?;
            if rows.bytes.len() < RUN_BYTES {
                return Ok(ControlFlow::Continue(()));
            }
            last = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        let step = HeadMark::next_step(mark) - u64::from(run > 0);
        let next = match last {
            Some(after) => HeadMark::Sorting { to, runs: run + 1, step, after },
            None => HeadMark::Merging { to, runs: run + 1, step },
        };
        let chunks = rows.into_chunks();
        let _committing = self.committing.lock();
        lmdb.write_run(mark, run, &chunks, &next).map(|is_written| is_written.then_some(next))
    }
}

/// Adds the part of a row that an item gives.
fn push_item(rows: &mut Rows, trie: &Trie, account: &AccountRef, item: Item, value: &Value) -> Result<(), StateError> {
    let bytes;
    let row = match item {
        Item::Account => {
            bytes = value.load(&**trie.source())?;
            AccountRow { account: bytes.as_ref().map(|bytes| &bytes[..]), ..AccountRow::default() }
        }
        Item::Code => AccountRow { code: value.hash().map(|hash| (hash, value.length())), ..AccountRow::default() },
        Item::Marker => AccountRow { marker: true, ..AccountRow::default() },
        Item::Cell(slot) => {
            if let Some(value @ (CellValue::Here(_) | CellValue::Apart(..))) = cell_value(trie, value)? {
                rows.push(&cell_key(account, 0, &slot), &encode_cell(&value));
            }
            return Ok(());
        }
    };
    rows.push(&account_key(account), &row.encode());
    Ok(())
}

impl Lmdb {
    /// Adds a run. The first one empties table, runs and the line. False when the mark is not the expected one.
    fn write_run(
        &self,
        mark: Option<&HeadMark>,
        run: u32,
        chunks: &[Vec<u8>],
        next: &HeadMark,
    ) -> Result<bool, StateError> {
        let Some(((head, runs), line)) = self.head.zip(self.runs).zip(self.line) else { return Ok(false) };
        self.change(|transaction| {
            if self.mark_in(transaction)?.as_ref() != mark {
                return Ok(false);
            }
            if run == 0 {
                head.clear(transaction)?;
                runs.clear(transaction)?;
                self.clear_line(transaction, line)?;
            }
            for (number, chunk) in chunks.iter().enumerate() {
                runs.put(transaction, &chunk_key(run, number as u32), chunk)?;
            }
            self.put_mark(transaction, next)?;
            Ok(true)
        })
    }

    /// Appends rows until enough are added or none are left; then the table stands for the state. None when the mark is
    /// not the expected one.
    fn merge_runs(&self, to: B256, count: u32, step: u64) -> Result<Option<HeadMark>, StateError> {
        let Some(((head, runs), line)) = self.head.zip(self.runs).zip(self.line) else { return Ok(None) };
        let merging = HeadMark::Merging { to, runs: count, step };
        self.change(|transaction| {
            if self.mark_in(transaction)?.as_ref() != Some(&merging) {
                return Ok(None);
            }
            let last = head.last(transaction)?.map(|(key, _)| key.to_vec());
            let mut readers = Vec::new();
            for run in 0..count {
                let mut reader = RunReader::open(runs, transaction, run)?;
                if let Some(last) = &last {
                    reader.skip(runs, transaction, last)?;
                }
                readers.push(reader);
            }
            if append(head, runs, transaction, &mut readers)? {
                return Ok(Some(merging.clone()));
            }
            runs.clear(transaction)?;
            let end = LineEnd { root: to, step, base: step };
            begin_line(line, transaction, &end)?;
            let done = HeadMark::At(end);
            self.put_mark(transaction, &done)?;
            Ok(Some(done))
        })
    }
}

/// Appends rows in key order. True when some are left.
fn append(head: Table, runs: Table, transaction: &mut RwTxn<'_>, readers: &mut [RunReader]) -> heed::Result<bool> {
    let mut appended = 0;
    loop {
        let first = readers.iter().filter_map(RunReader::record).map(|(key, _, _)| key).min();
        let Some(key) = first.map(<[u8]>::to_vec) else { return Ok(false) };
        // The items of one account may be in several records, also of one run.
        let mut parts: Vec<Vec<u8>> = Vec::with_capacity(1);
        for reader in readers.iter_mut() {
            while let Some((_, row, _)) = reader.record().filter(|(of, _, _)| *of == key) {
                parts.push(row.to_vec());
                reader.advance(runs, transaction)?;
            }
        }
        let value = if key[0] == ACCOUNTS && parts.len() > 1 { joined(&parts)? } else { parts.swap_remove(0) };
        let row = [&Stamp::default().encode()[..], &value].concat();
        head.put_with_flags(transaction, PutFlags::APPEND, &key, &row)?;
        appended += key.len() + row.len();
        if appended >= MERGED_BYTES {
            return Ok(true);
        }
    }
}

/// The row of an account from its parts.
fn joined(parts: &[Vec<u8>]) -> heed::Result<Vec<u8>> {
    let mut row = AccountRow::default();
    for part in parts {
        let part = AccountRow::decode(part).ok_or_else(damaged)?;
        row.account = part.account.or(row.account);
        row.code = part.code.or(row.code);
        row.marker |= part.marker;
    }
    Ok(row.encode().to_vec())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::account::Account;
    use rhizome_primitives::state::WriteSet;
    use rhizome_primitives::{Address, Bytes, U256};
    use rhizome_trie::keccak256;

    use super::*;
    use crate::check::CheckProgress;
    use crate::options::StoreOptions;

    const ACCOUNTS: u64 = 600;
    const CELLS: u64 = 1_500;

    fn owner(number: u64) -> AccountRef {
        AccountRef::Address(Address::from_slice(&keccak256(&number.to_be_bytes())[12..]))
    }

    /// One contract has so many cells that its account and its code, which comes behind them, are in different runs.
    fn state() -> WriteSet {
        WriteSet {
            accounts: (0..ACCOUNTS)
                .map(|number| (owner(number), Account { nonce: U256::from(number + 1), ..Account::default() }))
                .collect(),
            code: (0..3).map(|number| (owner(number), Bytes::from(vec![7; 20 + 30 * number as usize]))).collect(),
            markers: vec![owner(0), owner(9)],
            storage: (0..CELLS)
                .map(|slot| (owner(0), U256::from(slot * slot), Some(vec![1; 1 + (slot % 200) as usize].into())))
                .collect(),
            ..WriteSet::default()
        }
    }

    fn stored(folder: &std::path::Path) -> (Arc<StateStore>, B256) {
        let store = StateStore::open(folder, &StoreOptions::default()).unwrap();
        let applied = store.apply(EMPTY_ROOT, &state()).unwrap();
        let root = applied.root();
        store.keep(applied);
        store.commit().unwrap();
        (store, root)
    }

    #[test]
    fn a_table_is_made_from_several_runs_in_several_commits_whatever_happens_between() {
        for restarts in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let (mut store, root) = stored(folder.path());
            // In place of `set_head`, which has a thread do it.
            store.table.state.write().head = Some(root);
            store.leave_table();
            let mut marks = Vec::new();
            loop {
                let goes_on = store.move_step().unwrap();
                marks.push(store.table.state.read().mark.clone().unwrap());
                assert_eq!(store.reader(root).unwrap().account(&owner(5)).unwrap().unwrap().nonce, U256::from(6));
                if !goes_on {
                    break;
                }
                assert_eq!(store.check_head(&CheckProgress::default()).unwrap(), None);
                if restarts {
                    store.close();
                    store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
                    store.table.state.write().head = Some(root);
                }
            }
            let count = |is_one: fn(&HeadMark) -> bool| marks.iter().filter(|mark| is_one(mark)).count();
            assert!(count(|mark| matches!(mark, HeadMark::Sorting { .. })) > 2, "{marks:?}");
            assert!(count(|mark| matches!(mark, HeadMark::Merging { .. })) > 2, "{marks:?}");
            assert!(matches!(marks.last(), Some(HeadMark::At(end)) if end.root == root && end.step == end.base));
            let report = store.check_head(&CheckProgress::default()).unwrap().unwrap();
            assert_eq!((report.root, report.items), (root, ACCOUNTS + 3 + 2 + CELLS));
            let lmdb = store.backend.lmdb().unwrap();
            assert!(lmdb.transact(|transaction| lmdb.runs.unwrap().is_empty(transaction)).unwrap());
        }
    }
}
