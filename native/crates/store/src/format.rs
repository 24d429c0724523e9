//! The format of a store on disk, and conversion of older ones.

use std::path::Path;

use heed::{Env, RoTxn, RwTxn, WithTls};
use rhizome_primitives::state::StateError;

use crate::lmdb::{Table, store_error};

/// Version of the tables and their encodings. A store of a later version is refused.
pub(crate) const FORMAT: u32 = 2;

/// The same with a log of nodes that is cut into epochs, which older programs would take for damaged. A store has it from
/// the first commit on that gives nodes up some day (`pruning.md`).
pub(crate) const CUT_FORMAT: u32 = 3;

/// The oldest format that can be converted.
const OLDEST: u32 = 2;

/// Version of the program, which is recorded in each store that it writes.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

const FORMAT_KEY: &[u8] = b"format";
const PROGRAM_KEY: &[u8] = b"program";
/// Key of an interrupted conversion: the format it comes from, big-endian, and the result of its last batch.
const CONVERSION_KEY: &[u8] = b"conversion";

/// Format of a store and the version of the program that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFormat {
    /// Version of the tables.
    pub format: u32,
    /// Version of the program that wrote it last; None if it was older than this record.
    pub program: Option<String>,
    /// True when a conversion to this format has begun and not ended.
    pub converting: bool,
}

impl StoreFormat {
    /// The format that this program writes, of a store whose log is not cut into epochs.
    pub fn present() -> Self {
        Self { format: FORMAT, program: Some(PROGRAM.to_owned()), converting: false }
    }
}

impl StoreFormat {
    /// The format that this program writes in such a store.
    pub fn current(&self) -> u32 {
        if self.format == CUT_FORMAT { CUT_FORMAT } else { FORMAT }
    }

    /// The same of a store whose log is cut.
    pub(crate) fn cut() -> Self {
        Self { format: CUT_FORMAT, ..Self::present() }
    }
}

/// One conversion, from one format to the next.
pub(crate) struct Conversion {
    /// The format that it converts from.
    pub(crate) from: u32,
    /// Converts one batch, starting behind the result of the last one; None says that all is converted. The result is
    /// stored in the same transaction, so that a process that was killed resumes with the next batch.
    pub(crate) batch: Batch,
}

type Batch = fn(&Env<WithTls>, &mut RwTxn<'_>, Option<&[u8]>) -> heed::Result<Option<Vec<u8>>>;

/// Every conversion, oldest first. A superseded format stays readable through one of them.
const CONVERSIONS: &[Conversion] = &[];

/// The format according to the metadata table; None for a new store.
pub(crate) fn read(meta: Table, transaction: &RoTxn<'_>) -> heed::Result<Option<StoreFormat>> {
    let Some(format) = meta.get(transaction, FORMAT_KEY)? else { return Ok(None) };
    // Bytes of another length were never written: no program reads such a format.
    let format = format.try_into().map_or(u32::MAX, u32::from_be_bytes);
    let program = meta.get(transaction, PROGRAM_KEY)?.map(|name| String::from_utf8_lossy(name).into_owned());
    let converting = meta.get(transaction, CONVERSION_KEY)?.is_some();
    Ok(Some(StoreFormat { format, program, converting }))
}

/// Converts an older store to the present format, and records the present format in a new one.
pub(crate) fn prepare(env: &Env<WithTls>, meta: Table, path: &Path, is_new: bool) -> Result<(), StateError> {
    let found = env.read_txn().and_then(|transaction| read(meta, &transaction)).map_err(|error| store_error(&error))?;
    let is_cut = found.is_some_and(|found| found.format == CUT_FORMAT);
    let format = if is_cut { CUT_FORMAT } else { FORMAT };
    prepare_with(env, meta, path, is_new, &Target { format, oldest: OLDEST, conversions: CONVERSIONS })
}

/// Records within a transaction that the log is cut.
pub(crate) fn mark_cut(meta: Table, transaction: &mut RwTxn<'_>) -> heed::Result<()> {
    let format = CUT_FORMAT.to_be_bytes();
    if meta.get(transaction, FORMAT_KEY)? != Some(&format) {
        meta.put(transaction, FORMAT_KEY, &format)?;
    }
    Ok(())
}

/// Refuses a store that is not of the present format.
pub(crate) fn check(found: Option<&StoreFormat>, path: &Path) -> Result<(), StateError> {
    match found {
        Some(StoreFormat { format: FORMAT | CUT_FORMAT, converting: false, .. }) => Ok(()),
        _ => Err(refusal(found, path, FORMAT, OLDEST)),
    }
}

struct Target<'a> {
    format: u32,
    oldest: u32,
    conversions: &'a [Conversion],
}

fn prepare_with(
    env: &Env<WithTls>,
    meta: Table,
    path: &Path,
    is_new: bool,
    target: &Target<'_>,
) -> Result<(), StateError> {
    let failed = |error: heed::Error| store_error(&error);
    loop {
        let mut transaction = env.write_txn().map_err(failed)?;
        let found = read(meta, &transaction).map_err(failed)?;
        match &found {
            None if is_new => {
                meta.put(&mut transaction, FORMAT_KEY, &target.format.to_be_bytes()).map_err(failed)?;
            }
            Some(found) if found.format == target.format && !found.converting => {
                if found.program.as_deref() == Some(PROGRAM) {
                    return Ok(());
                }
            }
            Some(found) if (target.oldest..=target.format).contains(&found.format) => {
                if !convert_batch(env, meta, &mut transaction, found, target).map_err(failed)? {
                    return Err(refusal(Some(found), path, target.format, target.oldest));
                }
            }
            found => return Err(refusal(found.as_ref(), path, target.format, target.oldest)),
        }
        meta.put(&mut transaction, PROGRAM_KEY, PROGRAM.as_bytes()).map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
}

/// Converts the next batch. The store has the later format from the first batch on, so that no older program reads
/// half-converted tables. False where no conversion fits.
fn convert_batch(
    env: &Env<WithTls>,
    meta: Table,
    transaction: &mut RwTxn<'_>,
    found: &StoreFormat,
    target: &Target<'_>,
) -> heed::Result<bool> {
    let begun = meta.get(transaction, CONVERSION_KEY)?.map(<[u8]>::to_vec);
    let (from, cursor) = match begun.as_deref().map(|bytes| bytes.split_at_checked(size_of::<u32>())) {
        None => (found.format, None),
        Some(Some((from, cursor))) => (from.try_into().map_or(u32::MAX, u32::from_be_bytes), Some(cursor)),
        Some(None) => return Ok(false),
    };
    let Some(conversion) = target.conversions.iter().find(|conversion| conversion.from == from) else {
        return Ok(false);
    };
    let next = (conversion.batch)(env, transaction, cursor)?;
    meta.put(transaction, FORMAT_KEY, &(from + 1).to_be_bytes())?;
    match next {
        Some(cursor) => meta.put(transaction, CONVERSION_KEY, &[&from.to_be_bytes()[..], &cursor[..]].concat())?,
        None => {
            meta.delete(transaction, CONVERSION_KEY)?;
        }
    }
    Ok(true)
}

fn refusal(found: Option<&StoreFormat>, path: &Path, current: u32, oldest: u32) -> StateError {
    let path = path.display();
    let Some(StoreFormat { format, program, .. }) = found else {
        return StateError::Format(format!("the state store at {path} does not say which format it has"));
    };
    let writer = program.as_ref().map_or_else(String::new, |program| format!(", written by Rhizome {program}"));
    let advice = if *format > current {
        format!("this build ({PROGRAM}) reads up to {current}: run a newer build")
    } else if *format < oldest {
        format!(
            "this build ({PROGRAM}) reads {oldest} to {current}: use the version that wrote it, or start with a new \
             --data-dir and import the chain again"
        )
    } else {
        format!("this build ({PROGRAM}) reads {current}: convert it with `rhizome migrate`")
    };
    StateError::Format(format!("the state store at {path} has format {format}{writer}; {advice}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[allow(unsafe_code, reason = "opens a memory map as the store does")]
mod tests {
    use heed::EnvOpenOptions;
    use heed::types::Bytes as RawBytes;

    use super::*;

    const ROWS: u8 = 10;

    /// Doubles each value, three in a batch.
    const DOUBLING: &[Conversion] = &[Conversion { from: 7, batch: double }];

    fn double(env: &Env<WithTls>, transaction: &mut RwTxn<'_>, after: Option<&[u8]>) -> heed::Result<Option<Vec<u8>>> {
        let rows: Table = env.create_database(transaction, Some("rows"))?;
        let next = after.map_or(0, |last| last[0] + 1);
        let last = (next + 2).min(ROWS - 1);
        for key in next..=last {
            let value = rows.get(transaction, &[key])?.expect("a row")[0];
            rows.put(transaction, &[key], &[2 * value])?;
        }
        Ok((last + 1 < ROWS).then(|| vec![last]))
    }

    fn open(path: &Path) -> (Env<WithTls>, Table) {
        // SAFETY: each test has a folder of its own, in which nothing else is open.
        let env = unsafe { EnvOpenOptions::new().read_txn_with_tls().map_size(1 << 20).max_dbs(4).open(path) }.unwrap();
        let mut transaction = env.write_txn().unwrap();
        let meta = env.create_database::<RawBytes, RawBytes>(&mut transaction, Some("meta")).unwrap();
        transaction.commit().unwrap();
        (env, meta)
    }

    fn old_store(path: &Path) -> (Env<WithTls>, Table) {
        let (env, meta) = open(path);
        let mut transaction = env.write_txn().unwrap();
        let rows: Table = env.create_database(&mut transaction, Some("rows")).unwrap();
        for key in 0..ROWS {
            rows.put(&mut transaction, &[key], &[key + 1]).unwrap();
        }
        meta.put(&mut transaction, FORMAT_KEY, &7_u32.to_be_bytes()).unwrap();
        transaction.commit().unwrap();
        (env, meta)
    }

    fn assert_doubled(env: &Env<WithTls>, meta: Table) {
        let transaction = env.read_txn().unwrap();
        let rows: Table = env.open_database(&transaction, Some("rows")).unwrap().unwrap();
        for key in 0..ROWS {
            assert_eq!(rows.get(&transaction, &[key]).unwrap(), Some(&[2 * (key + 1)][..]));
        }
        let found = read(meta, &transaction).unwrap().unwrap();
        assert_eq!(found, StoreFormat { format: 8, program: Some(PROGRAM.into()), converting: false });
    }

    const TARGET: Target<'static> = Target { format: 8, oldest: 7, conversions: DOUBLING };

    #[test]
    fn an_older_store_is_converted() {
        let folder = tempfile::tempdir().unwrap();
        let (env, meta) = old_store(folder.path());
        prepare_with(&env, meta, folder.path(), false, &TARGET).unwrap();
        assert_doubled(&env, meta);
        prepare_with(&env, meta, folder.path(), false, &TARGET).unwrap();
        assert_doubled(&env, meta);
    }

    #[test]
    fn a_conversion_that_was_interrupted_goes_on() {
        for batches in 1..4 {
            let folder = tempfile::tempdir().unwrap();
            let (env, meta) = old_store(folder.path());
            for _ in 0..batches {
                let mut transaction = env.write_txn().unwrap();
                let found = read(meta, &transaction).unwrap().unwrap();
                assert!(convert_batch(&env, meta, &mut transaction, &found, &TARGET).unwrap());
                transaction.commit().unwrap();
            }
            let found = read(meta, &env.read_txn().unwrap()).unwrap().unwrap();
            assert_eq!((found.format, found.converting), (8, true), "older programs see the later format");
            prepare_with(&env, meta, folder.path(), false, &TARGET).unwrap();
            assert_doubled(&env, meta);
        }
    }

    #[test]
    fn a_format_that_nobody_converts_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (env, meta) = old_store(folder.path());
        let targets = [
            (Target { format: 6, ..TARGET }, "has format 7; this build"),
            (Target { format: 9, oldest: 8, ..TARGET }, "reads 8 to 9: use the version that wrote it"),
            (Target { conversions: &[], ..TARGET }, "convert it with `rhizome migrate`"),
        ];
        for (target, message) in targets {
            let error = prepare_with(&env, meta, folder.path(), false, &target).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
