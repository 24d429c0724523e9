//! What each table of the LMDB environment takes of its file.

use heed::RoTxn;
use rhizome_primitives::state::StateError;

use crate::lmdb::{self, Lmdb, Table, store_error};
use crate::state_store::StateStore;

/// Name under which the pages of the file stand that no table has.
const FREE: &str = "free";

/// Bytes of the pages of a table.
pub(crate) fn table_bytes(table: Table, transaction: &RoTxn<'_>) -> heed::Result<u64> {
    let stat = table.stat(transaction)?;
    let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
    Ok(pages as u64 * u64::from(stat.page_size))
}

impl Lmdb {
    fn table_sizes(&self) -> Result<Vec<(&'static str, u64)>, StateError> {
        let line = self.line.map(|line| [line.changes, line.steps, line.history]);
        let older = self.older.map(|tables| [tables.entries, tables.states]);
        let tables = [
            (lmdb::NODES, Some(self.nodes)),
            (lmdb::VALUES, Some(self.values)),
            (lmdb::STATES, Some(self.states)),
            (lmdb::ANCESTORS, Some(self.ancestors)),
            (lmdb::ROOTS, Some(self.roots)),
            (lmdb::META, Some(self.meta)),
            (lmdb::HEAD, self.head),
            (lmdb::RUNS, self.runs),
            (lmdb::CHANGES, line.map(|tables| tables[0])),
            (lmdb::STEPS, line.map(|tables| tables[1])),
            (lmdb::HISTORY, line.map(|tables| tables[2])),
            (lmdb::OLDER, older.map(|tables| tables[0])),
            (lmdb::OLDER_STATES, older.map(|tables| tables[1])),
            (lmdb::NUMBERS, self.numbers),
        ];
        let mut sizes = self.transact(|transaction| {
            tables
                .into_iter()
                .filter_map(|(name, table)| table.map(|table| Ok((name, table_bytes(table, transaction)?))))
                .collect::<heed::Result<Vec<_>>>()
        })?;
        let file = self.env.read().as_ref().map_or(Ok(0), heed::Env::real_disk_size);
        let file = file.map_err(|error| store_error(&error))?;
        let used = sizes.iter().map(|(_, bytes)| bytes).sum();
        sizes.push((FREE, file.saturating_sub(used)));
        Ok(sizes)
    }
}

impl StateStore {
    /// Bytes of each table by its name, and under `free` those of the file that none of them has: later commits make use
    /// of them. Nothing for a store in memory.
    pub fn table_sizes(&self) -> Result<Vec<(&'static str, u64)>, StateError> {
        self.backend.lmdb().map_or_else(|| Ok(Vec::new()), Lmdb::table_sizes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::account::Account;
    use rhizome_primitives::state::WriteSet;
    use rhizome_primitives::{Address, U256};
    use rhizome_trie::EMPTY_ROOT;

    use crate::{StateStore, StoreOptions};

    #[test]
    fn the_tables_and_what_is_free_are_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let accounts = (1..=200u64).map(|number| {
            let account = Account { nonce: U256::from(number), ..Account::default() };
            (Address::left_padding_from(&number.to_be_bytes()).into(), account)
        });
        let changes = WriteSet { accounts: accounts.collect(), ..WriteSet::default() };
        let applied = store.apply(EMPTY_ROOT, &changes).unwrap();
        store.keep(applied);
        store.commit().unwrap();
        let sizes = store.table_sizes().unwrap();
        let of = |name: &str| sizes.iter().find(|(table, _)| *table == name).unwrap().1;
        assert!(of("nodes") >= 200 * 40, "{sizes:?}");
        assert!(of("ancestors") == 0 && of("meta") > 0, "{sizes:?}");
        let file = std::fs::metadata(folder.path().join("data.mdb")).unwrap().len();
        assert_eq!(sizes.iter().map(|(_, bytes)| bytes).sum::<u64>(), file);
    }
}
