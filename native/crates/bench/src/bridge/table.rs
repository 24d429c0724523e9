//! The most expensive calls that were found.

use std::collections::BTreeMap;

use rhizome_bridge::method;
use serde_json::json;

use super::measure::Timing;

/// The most expensive call of a method.
struct Worst {
    stats: Timing,
    input: String,
}

/// By method, and by whether transactions may call it.
#[derive(Default)]
pub(crate) struct Table {
    worst: BTreeMap<(&'static str, bool), Worst>,
    calls: BTreeMap<(&'static str, bool), usize>,
}

fn rate(seconds: f64, gas: u64) -> f64 {
    seconds * 1e9 / gas as f64
}

impl Table {
    pub(crate) fn record(&mut self, stats: Timing, local: bool, input: String) {
        let key = (method::definition(stats.method).name, local);
        *self.calls.entry(key).or_default() += 1;
        let dearest = self.worst.get(&key).map_or(0.0, |worst| rate(worst.stats.first, worst.stats.gas));
        if rate(stats.first, stats.gas) > dearest {
            self.worst.insert(key, Worst { stats, input });
        }
    }

    pub(crate) fn print(&self) {
        for (key, Worst { stats, input }) in &self.worst {
            let line = json!({
                "method": key.0,
                "local": key.1,
                "gas": stats.gas,
                "first": rate(stats.first, stats.gas),
                "further": rate(stats.further, stats.gas),
                "threw": stats.threw,
                "input": input,
                "calls": self.calls.get(key),
            });
            println!("{line}");
        }
    }
}
