//! Going back, or forth again, to a state that the line has: what changed in between is in its records, so that no trie
//! is compared, and a contract that was destroyed with all its cells comes back by one row.

use std::collections::BTreeSet;

use rhizome_primitives::B256;
use rhizome_primitives::state::StateError;

use crate::head_mark::{HeadMark, LineEnd};
use crate::head_reads::{HeadReads, record_of, step_of};
use crate::lmdb::Lmdb;
use crate::lmdb_head::{Rows, damaged};

impl Lmdb {
    /// True when the line has the state.
    pub(crate) fn is_on_line(&self, root: &B256) -> Result<bool, StateError> {
        let Some(line) = self.line else { return Ok(false) };
        self.transact(|transaction| {
            let Some(HeadMark::At(end)) = self.mark_in(transaction)? else { return Ok(false) };
            Ok(step_of(line, transaction, root)?.is_some_and(|step| (end.base..=end.step).contains(&step)))
        })
    }

    /// One commit that brings the table nearer to a state of the line, or to it: a step that leads to an earlier state
    /// again, with about `limit` rows at most. The next mark; None when the mark is not the expected one, or the line does not
    /// have the state.
    pub(crate) fn step_along(&self, mark: &LineEnd, root: &B256, limit: usize) -> Result<Option<HeadMark>, StateError> {
        let Some((head, line)) = self.head.zip(self.line) else { return Ok(None) };
        self.change(|transaction| {
            if self.mark_in(transaction)?.as_ref() != Some(&HeadMark::At(*mark)) {
                return Ok(None);
            }
            let on_line = mark.base..=mark.step;
            let Some(target) = step_of(line, transaction, root)?.filter(|step| on_line.contains(step)) else {
                return Ok(None);
            };
            let present = step_of(line, transaction, &mark.root)?.filter(|step| on_line.contains(step));
            let mut at = present.ok_or_else(damaged)?;
            let mut keys = BTreeSet::new();
            while at != target && keys.len() < limit {
                let is_back = target < at;
                let record = record_of(line, transaction, if is_back { at } else { at + 1 })?;
                for entry in record.entries() {
                    keys.insert(entry.ok_or_else(damaged)?.0);
                }
                at = if is_back { at - 1 } else { at + 1 };
            }
            let reached = if at == target { *root } else { record_of(line, transaction, at)?.root() };
            let step = mark.step + 1;
            let mut rows = Rows::new(head, step);
            for key in keys {
                let value = {
                    let reads = HeadReads::new(head, line, transaction, Some(at)).without_limit();
                    reads.value(&key)?.to_vec()
                };
                rows.put(transaction, key, &value)?;
            }
            rows.end_step(line, transaction, &reached)?;
            rows.write(line, transaction)?;
            let next = HeadMark::At(LineEnd { root: reached, step, base: mark.base });
            self.put_mark(transaction, &next)?;
            Ok(Some(next))
        })
    }
}
