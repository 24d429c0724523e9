//! Recorded scenarios: transactions and local calls that run one after the other on one state.

mod environment;
mod execute;
mod state;

use std::path::Path;

use serde_json::Value;

use crate::lines;
use crate::report::Report;
use environment::Environment;
use execute::Executor;

pub use execute::Executed;

/// Runs the lines of a file of scenarios. A line that differs is reported, and the recorded changes are applied
/// instead, so that the next lines start from the recorded state.
pub(crate) fn run(lines: &mut dyn Iterator<Item = Value>, report: &mut Report) {
    run_watched(lines, report, &mut |_| {});
}

/// Runs a file of scenarios and passes each of its transactions to `watch`, with the states before and after it.
///
/// # Panics
/// As for [`crate::run_file`].
pub fn watch_file(path: &Path, watch: &mut dyn FnMut(&Executed<'_>)) -> Report {
    watch_lines(path, &mut |executed| {
        if executed.line()["line"] == "tx" {
            watch(executed);
        }
    })
}

/// Like [`watch_file`], but also passes local calls, which change nothing.
///
/// # Panics
/// As for [`crate::run_file`].
pub fn watch_lines(path: &Path, watch: &mut dyn FnMut(&Executed<'_>)) -> Report {
    let mut report = Report::default();
    run_watched(&mut lines::of_file(&path.to_string_lossy()), &mut report, watch);
    report
}

fn run_watched(lines: &mut dyn Iterator<Item = Value>, report: &mut Report, watch: &mut dyn FnMut(&Executed<'_>)) {
    let mut executor: Option<Executor> = None;
    for line in lines {
        match line["line"].as_str() {
            Some("header") => {
                let name = line["scenario"].as_str().unwrap_or("scenario").to_owned();
                match Environment::read(&line).and_then(|environment| Executor::new(environment, &line)) {
                    Ok(new) => {
                        report.case(&name, new.pre_state_differences(&line));
                        executor = Some(new);
                    }
                    Err(reason) => {
                        report.case(&name, vec![reason]);
                        executor = None;
                    }
                }
            }
            Some(kind @ ("tx" | "local")) => {
                let name = format!("step {}: {}", line["step"], line["note"].as_str().unwrap_or_default());
                let differences = match &mut executor {
                    None => vec!["no scenario to run in".to_owned()],
                    Some(executor) if kind == "tx" => {
                        let before = executor.root();
                        let differences = executor.transaction(&line);
                        watch(&executor.executed(&line, before));
                        differences
                    }
                    Some(executor) => {
                        let differences = executor.local_call(&line);
                        watch(&executor.executed(&line, executor.root()));
                        differences
                    }
                };
                report.case(&name, differences);
            }
            kind => report.case("line", vec![format!("unknown kind of line: {kind:?}")]),
        }
    }
}
