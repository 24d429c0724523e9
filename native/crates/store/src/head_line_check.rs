//! Checking the line: each state of it against the trie, and each change of a record both ways.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{B256, U256};
use rhizome_trie::keys::{self, Item, item_of};
use rhizome_trie::{EMPTY_ROOT, Trie};

use crate::check::CheckProgress;
use crate::head_changes::ItemValue;
use crate::head_check::stop_if_cancelled;
use crate::head_history::{check_shard, first_after, is_indexed_after};
use crate::head_mark::{HeadMark, LineEnd};
use crate::head_move::item_value;
use crate::head_reads::{HeadReads, record_at, record_of, step_of};
use crate::head_record::NO_STATE;
use crate::head_rows::{RowKey, account_of_row, cell_key, owner_of_cell, split_row};
use crate::lmdb::{LineTables, Lmdb};
use crate::lmdb_head::damaged;
use crate::node_reads::UncachedNodes;
use crate::state_store::StateStore;

/// A line that was found to be what it stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineReport {
    /// Steps with a record: states before the newest one that can be read.
    pub steps: u64,
    /// Changes in the records.
    pub changes: u64,
    /// Changes in the table of history.
    pub indexed: u64,
}

/// An item whose value before and behind a step is compared.
type Compared = (AccountRef, Item, ItemValue, ItemValue);

/// Steps since the last one that led to a state.
struct Way {
    /// Root of that state, and its step.
    from: B256,
    below: u64,
    /// Rows that were changed since.
    keys: Vec<RowKey>,
}

impl StateStore {
    /// Compares each step of the line with the tries before and behind it: what differs in them is what the table says
    /// of these states, and what a record has is what the tries have, as far as they are kept. The table of history has
    /// all changes that it must have, and no others. None where the table stands for no state; steps that come meanwhile are left out.
    pub fn check_line(self: &Arc<Self>, progress: &CheckProgress) -> Result<Option<LineReport>, StateError> {
        let Some((lmdb, line)) = self.backend.lmdb().and_then(|lmdb| Some((lmdb, lmdb.line?))) else { return Ok(None) };
        let Some(HeadMark::At(end)) = lmdb.head_mark()? else { return Ok(None) };
        let Some(mut root) = root_of_base(lmdb, line, &end)? else {
            let reason = format!("the line does not know the state of its first step {}", end.base);
            return Err(StateError::Corrupt { hash: end.root, reason });
        };
        let mut report = LineReport::default();
        let mut way = Way { from: root, below: end.base, keys: Vec::new() };
        for step in end.base + 1..=end.step {
            stop_if_cancelled(progress)?;
            let Some((next, changes)) = self.check_step(lmdb, line, &end, step, &mut way)? else { return Ok(None) };
            report.steps += 1;
            report.changes += changes;
            root = next;
        }
        if root != end.root {
            let reason = format!("the last step of the line led to {root}");
            return Err(StateError::Corrupt { hash: end.root, reason });
        }
        let Some(indexed) = lmdb.check_history(line, &end, progress)? else { return Ok(None) };
        report.indexed = indexed;
        Ok(Some(report))
    }

    /// Root behind a step, and changes in its record. None when the line began anew meanwhile.
    fn check_step(
        self: &Arc<Self>,
        lmdb: &Lmdb,
        line: LineTables,
        end: &LineEnd,
        step: u64,
        way: &mut Way,
    ) -> Result<Option<(B256, u64)>, StateError> {
        let is_same = |mark: Option<HeadMark>| matches!(mark, Some(HeadMark::At(now)) if now.base == end.base);
        let found = lmdb.transact(|transaction| {
            if !is_same(lmdb.mark_in(transaction)?) {
                return Ok(None);
            }
            let record = record_of(line, transaction, step)?;
            let indexed = lmdb.indexed(transaction)?;
            let mut keys: Vec<RowKey> = Vec::new();
            for entry in record.entries() {
                let (key, before) = entry.ok_or_else(damaged)?;
                let (stamp, _) = split_row(before).ok_or_else(damaged)?;
                let is_in_order = keys.last().is_none_or(|last| *last < key) && stamp.step < step;
                let is_indexed = !is_indexed_after(stamp)
                    || step > indexed
                    || first_after(line, transaction, &key, step - 1)? == Some(step);
                if !is_in_order || !is_indexed {
                    return Err(damaged());
                }
                keys.push(key);
            }
            let to = record.root();
            let known = step_of(line, transaction, &to)?;
            // Later steps may have led to it again.
            let is_known = known.is_some_and(|known| known >= step);
            if is_known == (to == NO_STATE) {
                return Err(damaged());
            }
            Ok(Some((to, keys)))
        })?;
        let Some((to, keys)) = found else { return Ok(None) };
        let changes = keys.len() as u64;
        way.keys.extend(keys);
        if to == NO_STATE {
            return Ok(Some((to, changes)));
        }
        let Way { from, below, keys } = std::mem::replace(way, Way { from: to, below: step, keys: Vec::new() });
        // With `--proofs` the tries of old states are gone, and their values are here alone. A line that gives up its
        // earliest steps may begin between two states.
        if from == NO_STATE || self.is_given_up(&from)? || self.is_given_up(&to)? {
            return Ok(Some((to, changes)));
        }
        let source = Arc::new(UncachedNodes::new(self.clone()));
        let (old, new) = (Trie::at(source.clone(), from), Trie::at(source, to));
        let mut compared: Vec<Compared> = Vec::new();
        let mut differ = HashSet::new();
        let corrupt = |reason: String| StateError::Corrupt { hash: to, reason };
        old.differences(&new, None, &mut |key, before, behind| {
            let (account, item) = item_of(key).ok_or_else(|| corrupt("it has a key that no state has".to_owned()))?;
            compared.push((account, item, item_value(&old, item, before)?, item_value(&new, item, behind)?));
            differ.insert(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        for key in &keys {
            let (account, items) = items_of(key).ok_or_else(|| corrupt(format!("step {step} changed no row")))?;
            for item in items {
                let key = trie_key(&account, item);
                if differ.contains(&key[..]) {
                    continue;
                }
                let before = item_value(&old, item, &old.value(&key)?)?;
                compared.push((account, item, before, item_value(&new, item, &new.value(&key)?)?));
            }
        }
        let is_right = lmdb.transact(|transaction| {
            let Some(head) = lmdb.head else { return Ok(None) };
            if !is_same(lmdb.mark_in(transaction)?) {
                return Ok(None);
            }
            let old_reads = HeadReads::new(head, line, transaction, Some(below)).without_limit();
            let above = HeadReads::new(head, line, transaction, Some(step)).without_limit();
            for (account, item, before, behind) in &compared {
                if old_reads.item(account, *item)? != *before || above.item(account, *item)? != *behind {
                    return Ok(Some(Some((*account, *item))));
                }
            }
            Ok(Some(None))
        })?;
        match is_right {
            None => Ok(None),
            Some(None) => Ok(Some((to, changes))),
            Some(Some((account, item))) => {
                Err(corrupt(format!("step {step} of the line has another {item:?} of {account:?}")))
            }
        }
    }
}

/// Items of a row. Which incarnation a cell belongs to does not matter: its slot is compared in both states.
fn items_of(key: &[u8]) -> Option<(AccountRef, Vec<Item>)> {
    if let Some(account) = account_of_row(key) {
        return Some((account, vec![Item::Account, Item::Code, Item::Marker]));
    }
    let (account, incarnation) = owner_of_cell(key)?;
    let prefix = cell_key(&account, incarnation, &U256::ZERO).len();
    Some((account, vec![Item::Cell(U256::from_be_slice(&key[prefix..]))]))
}

fn trie_key(account: &AccountRef, item: Item) -> keys::Key {
    match item {
        Item::Account => keys::account_key(account),
        Item::Code => keys::code_key(account),
        Item::Marker => keys::storage_prefix_key(account),
        Item::Cell(slot) => keys::storage_key(account, &slot),
    }
}

/// Root of the state with which the line begins; [`NO_STATE`] where the step is a part of the way to one.
fn root_of_base(lmdb: &Lmdb, line: LineTables, end: &LineEnd) -> Result<Option<B256>, StateError> {
    if end.base == 0 {
        return Ok(Some(EMPTY_ROOT));
    }
    lmdb.transact(|transaction| {
        // Where earlier states were given up, the record of the first one that is kept stays for its root.
        if let Some(record) = record_at(line, transaction, end.base)? {
            return Ok(Some(record.root()));
        }
        for entry in line.steps.iter(transaction)? {
            let (root, step) = entry?;
            if *step == end.base.to_be_bytes() {
                // Behind the root of a state to which several steps led there is one byte more.
                let root = root.get(..32).ok_or_else(damaged)?;
                return B256::try_from(root).map(Some).map_err(|_| damaged());
            }
        }
        Ok(None)
    })
}

impl Lmdb {
    /// Changes in the table of history, each of which is in the record of its step.
    /// None when earlier states were given up meanwhile.
    fn check_history(
        &self,
        line: LineTables,
        end: &LineEnd,
        progress: &CheckProgress,
    ) -> Result<Option<u64>, StateError> {
        // Below every key, which begins with its length.
        let mut after = vec![0];
        let mut changes = 0;
        loop {
            stop_if_cancelled(progress)?;
            let found = self.transact(|transaction| {
                if !matches!(self.mark_in(transaction)?, Some(HeadMark::At(now)) if now.base == end.base) {
                    return Ok(None);
                }
                check_shard(line, transaction, end.base, &after).map(Some)
            })?;
            let Some(found) = found else { return Ok(None) };
            let Some((shard, steps)) = found else { return Ok(Some(changes)) };
            changes += steps;
            after = shard;
        }
    }
}
