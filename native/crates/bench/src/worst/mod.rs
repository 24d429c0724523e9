//! Finds the inputs for which the node works longest per gas: opcodes and precompiled contracts in loops that use up
//! the gas of one transaction, on a state of many accounts in the store.

mod case;
mod contracts;
mod modular;
mod opcodes;
mod points;
mod program;
mod scene;

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use scene::Scene;

/// Minimum number of runs of a case; the fastest one counts, because noise only adds time.
const RUNS: usize = 3;
/// Total duration after which a long case needs no further runs.
const PATIENCE: Duration = Duration::from_millis(400);

/// Measures every case whose subject contains `only`, one JSON object per line.
pub(crate) fn run(only: &str) -> Result<(), Box<dyn Error>> {
    let scene = Scene::new()?;
    for case in opcodes::all().into_iter().chain(contracts::all()) {
        if !case.subject.contains(only) {
            continue;
        }
        let contract = scene.with_code(&case.code)?;
        let (mut gas, mut seconds) = (0, f64::INFINITY);
        let begun = Instant::now();
        for runs in 0.. {
            let start = processor_seconds()?;
            gas = match contract.run() {
                Ok(gas) => gas,
                // A method of the Bridge that the node does not have ends the execution.
                Err(error) => {
                    eprintln!("{}, {}: {error}", case.subject, case.input);
                    break;
                }
            };
            seconds = seconds.min(processor_seconds()? - start);
            if runs >= RUNS - 1 || runs > 0 && begun.elapsed() > PATIENCE {
                break;
            }
        }
        if gas == 0 {
            continue;
        }
        println!("{}", json!({"subject": case.subject, "input": case.input, "gas": gas, "seconds": seconds}));
    }
    Ok(())
}

/// Processor seconds of this thread, which exclude the time of other programs.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let stats = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = stats.split_whitespace().next().ok_or("no figures of the thread")?.parse()?;
    Ok(nanoseconds as f64 / 1e9)
}
