//! Checking the table of the head against the trie.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;
use rhizome_trie::Trie;
use rhizome_trie::keys::{Item, item_of};

use crate::check::CheckProgress;
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_move::item_value;
use crate::head_reads::HeadReads;
use crate::head_rows::{ACCOUNTS, AccountRow, decode_cell, owner_of_cell, split_row};
use crate::lmdb::Lmdb;
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// Rows that are read in one transaction.
const ROWS_AT_ONCE: usize = 10_000;

/// Items of a state, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    accounts: u64,
    codes: u64,
    markers: u64,
    cells: u64,
}

/// A table that was found to be the state that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadReport {
    /// Root of the state.
    pub root: B256,
    /// Items of the state: accounts, code, markers and cells.
    pub items: u64,
    /// Cells of earlier incarnations, which earlier states have.
    pub dead_cells: u64,
}

/// Reason why a check ends.
pub(crate) enum End {
    /// The table was moved meanwhile.
    Moved,
    Failed(StateError),
}

impl From<StateError> for End {
    fn from(error: StateError) -> Self {
        Self::Failed(error)
    }
}

impl StateStore {
    /// Compares the table of the head with the trie of the state that it stands for: each item is there with its value,
    /// and nothing else is. None where the table stands for no state (it is being made or moved, or there is none), and
    /// when it was moved meanwhile.
    pub fn check_head(self: &Arc<Self>, progress: &CheckProgress) -> Result<Option<HeadReport>, StateError> {
        let Some(lmdb) = self.backend.lmdb() else { return Ok(None) };
        let Some(HeadMark::At(LineEnd { root, .. })) = lmdb.head_mark()? else { return Ok(None) };
        let compared = self.compare_trie(lmdb, root, progress).and_then(|expected| {
            let (found, dead_cells) = count_rows(lmdb, root, progress)?;
            if found != expected {
                let reason = format!("the table of the head has {found:?} where the trie has {expected:?}");
                return Err(End::Failed(StateError::Corrupt { hash: root, reason }));
            }
            let items = expected.accounts + expected.codes + expected.markers + expected.cells;
            Ok(HeadReport { root, items, dead_cells })
        });
        match compared {
            Ok(report) => Ok(Some(report)),
            Err(End::Moved) => Ok(None),
            Err(End::Failed(error)) => Err(error),
        }
    }

    /// Looks each item of the trie up in the table.
    fn compare_trie(self: &Arc<Self>, lmdb: &Lmdb, root: B256, progress: &CheckProgress) -> Result<Counts, End> {
        let trie = Trie::at(Arc::new(UncachedNodes::new(self.clone())), root);
        let mut counts = Counts::default();
        let mut has_moved = false;
        trie.walk(&mut |path, node| {
            if node.value().is_none() {
                return Ok(ControlFlow::Continue(()));
            }
            stop_if_cancelled(progress)?;
            let corrupt = |reason: String| StateError::Corrupt { hash: root, reason };
            let (account, item) = Some(path.as_bytes())
                .filter(|_| path.len().is_multiple_of(8))
                .and_then(item_of)
                .ok_or_else(|| corrupt("it has a key that no state has".to_owned()))?;
            let expected = item_value(&trie, item, node.value())?;
            let found = lmdb.read_head(|of| *of == root, None, |table: &HeadReads<'_>| table.item(&account, item))?;
            match found {
                Some(found) if found == expected => {}
                Some(_) => {
                    return Err(corrupt(format!("the table of the head has another {item:?} of {account:?}")));
                }
                None => {
                    has_moved = true;
                    return Ok(ControlFlow::Break(()));
                }
            }
            let count = match item {
                Item::Account => &mut counts.accounts,
                Item::Code => &mut counts.codes,
                Item::Marker => &mut counts.markers,
                Item::Cell(_) => &mut counts.cells,
            };
            *count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        if has_moved { Err(End::Moved) } else { Ok(counts) }
    }
}

pub(crate) fn stop_if_cancelled(progress: &CheckProgress) -> Result<(), StateError> {
    if progress.cancelled.load(Ordering::Relaxed) {
        return Err(StateError::Store("the check was cancelled".to_owned()));
    }
    Ok(())
}

/// Counts what the table has, and the dead cells.
fn count_rows(lmdb: &Lmdb, root: B256, progress: &CheckProgress) -> Result<(Counts, u64), End> {
    let (mut counts, mut dead_cells) = (Counts::default(), 0);
    let mut after: Option<Vec<u8>> = None;
    loop {
        stop_if_cancelled(progress)?;
        let part = lmdb.read_head(
            |of| *of == root,
            None,
            |table: &HeadReads<'_>| {
                let mut part = (Counts::default(), 0, None);
                for (number, entry) in table.rows_after(after.as_deref())?.enumerate() {
                    let (key, row) = entry?;
                    if number == ROWS_AT_ONCE {
                        return Ok(part);
                    }
                    part.2 = Some(key.to_vec());
                    let (_, row) = split_row(row).ok_or_else(|| damaged(key))?;
                    match key.first() {
                        Some(&ACCOUNTS) => {
                            let row = AccountRow::decode(row).ok_or_else(|| damaged(key))?;
                            part.0.accounts += u64::from(row.account.is_some());
                            part.0.codes += u64::from(row.code.is_some());
                            part.0.markers += u64::from(row.marker);
                        }
                        _ => {
                            let (account, incarnation) = owner_of_cell(key).ok_or_else(|| damaged(key))?;
                            if row.is_empty() {
                                continue;
                            }
                            decode_cell(row).ok_or_else(|| damaged(key))?;
                            let present = table.incarnation(&account)?;
                            if incarnation == present {
                                part.0.cells += 1;
                            } else if incarnation < present {
                                part.1 += 1;
                            } else {
                                return Err(damaged(key));
                            }
                        }
                    }
                }
                part.2 = None;
                Ok(part)
            },
        )?;
        let (found, dead, last) = part.ok_or(End::Moved)?;
        counts.accounts += found.accounts;
        counts.codes += found.codes;
        counts.markers += found.markers;
        counts.cells += found.cells;
        dead_cells += dead;
        if last.is_none() {
            return Ok((counts, dead_cells));
        }
        after = last;
    }
}

fn damaged(key: &[u8]) -> heed::Error {
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    heed::Error::Decoding(format!("the table of the head has no valid row under {digits}").into())
}
