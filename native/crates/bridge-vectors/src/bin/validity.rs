//! `validity DIR [--questions | --answered]`: compares the lists in a folder with our own parser, structure and
//! interpreter; prints one JSON line per difference, then one per list with the counts. With a flag it prints all cases
//! of the lists instead, as bridge-primitives lines, either without `out` so that the reference can answer them, or
//! with our results.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use rhizome_bridge_vectors::lists::{ListReport, questions, run_folder};
use serde_json::{Map, Value, json};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, flags @ ..] = &words[..] else { return usage() };
    let folder = Path::new(folder);
    match flags {
        [] => compare(folder),
        [flag] if flag == "--questions" => print(&questions(folder, false)),
        [flag] if flag == "--answered" => print(&questions(folder, true)),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: validity DIR [--questions | --answered]");
    ExitCode::from(2)
}

fn print(lines: &[Value]) -> ExitCode {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compare(folder: &Path) -> ExitCode {
    let lists = run_folder(folder);
    if lists.is_empty() {
        eprintln!("no list that is known is in {}", folder.display());
        return ExitCode::from(2);
    }
    let mut different = 0;
    for ListReport { name, report, counts } in &lists {
        for difference in &report.differences {
            println!("{}", difference.to_json(name));
        }
        let counts: Map<_, _> = counts.iter().map(|(what, count)| ((*what).to_owned(), json!(count))).collect();
        println!("{}", json!({"file": name, "equal": report.equal, "different": report.different, "compared": counts}));
        different += report.different;
    }
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
