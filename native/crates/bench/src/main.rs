//! `rhizome-bench engines` compares the executor of this workspace with bare revm: the same bytecode and the same
//! calls, in alternation. `micro` times hot paths, `bridge` expensive calls of the Bridge, `bridge-search [SCENE]`
//! finds the Bridge's worst time per gas, `trie KEYS…` times the Unitrie at several sizes, and `worst` finds the worst
//! time per gas. Each prints one JSON object per line to standard output.

mod bare;
mod bridge;
mod micro;
mod ours;
mod programs;
mod tries;
mod worst;

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use bare::Bare;
use ours::{Ours, StateLocation};

/// The calling account.
const CALLER: [u8; 20] = [0xca; 20];
/// The account with the code.
const CONTRACT: [u8; 20] = [0xc0; 20];
/// Gas limit of each transaction.
const GAS_LIMIT: u64 = 30_000_000;
/// Measurements of each engine per program; the fastest one counts, because noise only adds time.
const ROUNDS: usize = 15;
/// Minimum duration of a measurement.
const ROUND: Duration = Duration::from_millis(60);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["engines"] => engines(),
        ["bridge"] => bridge::run(),
        ["bridge-search"] => bridge::search(""),
        ["bridge-search", only] => bridge::search(only),
        ["micro"] => micro::run(),
        ["worst"] => worst::run(""),
        ["worst", only] => worst::run(only),
        ["trie", ref sizes @ ..] => sizes.iter().try_for_each(|size| tries::run(size.parse()?)),
        _ => Err("engines, bridge, bridge-search [SCENE], micro, worst [SUBJECT] or trie KEYS… expected".into()),
    }
}

fn engines() -> Result<(), Box<dyn Error>> {
    for program in programs::all(CALLER)? {
        let bare = Bare::new(&program)?;
        compare(program.name, &Ours::new(&program, StateLocation::Memory)?, &bare)?;
        if program.reads_state {
            compare(&format!("{}, from the store", program.name), &Ours::new(&program, StateLocation::Store)?, &bare)?;
        }
    }
    Ok(())
}

fn compare(program: &str, ours: &Ours, bare: &Bare) -> Result<(), Box<dyn Error>> {
    let (our_gas, bare_gas) = (ours.run()?, bare.run()?);
    let (mut our_time, mut bare_time) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        our_time = our_time.min(seconds(|| ours.run())?);
        bare_time = bare_time.min(seconds(|| bare.run())?);
    }
    let line = json!({
        "program": program,
        "ours": {"gas": our_gas, "seconds": our_time, "mgasPerSecond": our_gas as f64 / our_time / 1e6},
        "revm": {"gas": bare_gas, "seconds": bare_time, "mgasPerSecond": bare_gas as f64 / bare_time / 1e6},
    });
    println!("{line}");
    Ok(())
}

/// Seconds per run.
fn seconds(run: impl Fn() -> Result<u64, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < ROUND {
        std::hint::black_box(run()?);
        runs += 1;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(runs))
}
