//! `bridge-vectors FILE…`: one JSON line per difference, then one per file with the counts.

use std::path::Path;
use std::process::ExitCode;

use rhizome_bridge_vectors::run_file;
use serde_json::json;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: bridge-vectors FILE…");
        return ExitCode::from(2);
    }
    let mut different = 0;
    for file in &files {
        let report = run_file(Path::new(file));
        for difference in &report.differences {
            println!("{}", difference.to_json(file));
        }
        println!("{}", json!({"file": file, "equal": report.equal, "different": report.different}));
        different += report.different;
    }
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
