//! Times the transactions of a file of scenarios, warm: `timing FILE [TEXT]` executes each transaction
//! whose note holds the text again and again on the state before it, everything that the executor and the
//! journal do included, and prints its median, shortest and longest time as one JSON object per line.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use rhizome_bridge_vectors::scenario::{Executed, watch_file};
use rhizome_evm::trace::NoInspector;
use serde_json::json;

const ROUNDS: usize = 101;

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
    let state = executed.before()?;
    let mut gas = 0;
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        gas = black_box(executed.inspect(state.clone(), &mut NoInspector)?).gas_used;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let step = &executed.line()["step"];
    Ok(json!({
        "step": step, "note": executed.line()["note"], "gas": gas, "milliseconds": times[ROUNDS / 2],
        "shortest": times[0], "longest": times[ROUNDS - 1],
    }))
}
