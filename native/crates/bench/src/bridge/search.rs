//! Finds the calls of the Bridge that take longest for the gas that they pay: every recorded call of every upgrade on
//! an enlarged state, and calls that are designed to be expensive.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rhizome_bridge_vectors::scenario::{Executed, watch_lines};
use rhizome_primitives::{Bytes, hex};
use serde_json::Value;

use super::crafted;
use super::large::Enlarger;
use super::measure::{Caller, Case};
use super::table::Table;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../test/vectors/recorded/bridge");

/// Searches the recorded files whose names contain `only`, and the calls of [`crafted`] whose scenes do.
pub(crate) fn run(only: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::default();
    let mut files: Vec<String> = std::fs::read_dir(RECORDED)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".zst").map(str::to_owned))
        .filter(|name| name.starts_with("bridge-calls-") && name.contains(only))
        .collect();
    files.sort();
    for file in files {
        let mut enlarger = Enlarger::default();
        let scene = file.trim_start_matches("bridge-calls-").trim_end_matches(".jsonl").to_owned();
        let mut last = None;
        let mut problem = None;
        watch_lines(&Path::new(RECORDED).join(&file), &mut |executed| {
            if let Err(error) = one(executed, &scene, &mut enlarger, &mut table) {
                problem.get_or_insert(error);
            }
            if executed.line()["line"] == "tx" {
                last = executed.after().ok().map(|state| (executed.context(), state));
            }
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        if let Some((context, state)) = last {
            let state = Arc::new(enlarger.enlarge(state, context.rules));
            crafted::all(&scene, &context, &state, &mut table)?;
        }
        eprintln!("{scene}");
    }
    table.print();
    Ok(())
}

fn one(executed: &Executed<'_>, scene: &str, enlarger: &mut Enlarger, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let line = executed.line();
    let transaction = executed.transaction();
    let data = match &transaction {
        Some(transaction) => transaction.data.clone(),
        None => text(&line["data"])?,
    };
    let local = transaction.is_none();
    let context = executed.context();
    let state = Arc::new(enlarger.enlarge(executed.before()?, context.rules));
    let caller = transaction.map_or(Caller::Local, |transaction| Caller::Transaction(Box::new(transaction)));
    let note = line["note"].as_str().unwrap_or_default();
    if let Some(stats) = (Case { caller, data, context, state }).measure()? {
        table.record(stats, local, format!("{scene}: {note}"));
    }
    Ok(())
}

fn text(value: &Value) -> Result<Bytes, Box<dyn Error>> {
    Ok(hex::decode(value.as_str().unwrap_or("0x"))?.into())
}
