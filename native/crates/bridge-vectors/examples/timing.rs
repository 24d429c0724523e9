//! Times the transactions of a file of scenarios: `timing FILE [TEXT]` executes each transaction whose note contains
//! the text repeatedly on the state before it, warmed up and with all the work of executor and journal, but with its
//! bytes decoded and its sender known. It prints the median, shortest and longest time as one JSON object per line.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use rhizome_bridge_vectors::scenario::{Executed, watch_file};
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{Evm, FeePayment, Journal, Position};
use serde_json::json;

const ROUNDS: usize = 301;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, only) = match &arguments[..] {
        [file] => (file, ""),
        [file, only] => (file, &only[..]),
        _ => return Err("FILE [TEXT] expected".into()),
    };
    let report = watch_file(Path::new(file), &mut |executed| {
        let note = executed.line()["note"].as_str().unwrap_or_default();
        if note.contains(only) {
            println!("{}", time(executed).unwrap_or_else(|reason| json!({"note": note, "refused": reason})));
        }
    });
    println!("{}", json!({"equal": report.equal, "different": report.different}));
    Ok(())
}

fn time(executed: &Executed<'_>) -> Result<serde_json::Value, String> {
    let (state, context) = (executed.before()?, executed.context());
    let transaction = executed.transaction().ok_or("it does not decode")?;
    let position = Position { index: 0, gas_used: 0, gas_limit: context.block.gas_limit };
    let mut gas = 0;
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut evm = Evm::new(context.clone(), Journal::new(state.clone()));
        let outcome = evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector);
        gas = black_box(outcome).map_err(|error| error.to_string())?.gas_used;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let step = &executed.line()["step"];
    Ok(json!({
        "step": step, "note": executed.line()["note"], "gas": gas, "milliseconds": times[ROUNDS / 2],
        "shortest": times[0], "longest": times[ROUNDS - 1],
    }))
}
