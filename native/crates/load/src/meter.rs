//! Latencies and failures.

use std::error::Error;
use std::time::Duration;

use hdrhistogram::Histogram;

/// What was seen.
pub(crate) struct Meter {
    latencies: Histogram<u64>,
    pub(crate) failures: u64,
    pub(crate) first_failure: Option<String>,
}

/// Longest latency that is told apart from longer ones, nanoseconds.
const LONGEST: u64 = 120_000_000_000;
const DIGITS: u8 = 3;

impl Meter {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Self { latencies: Histogram::new_with_bounds(1, LONGEST, DIGITS)?, failures: 0, first_failure: None })
    }

    pub(crate) fn record(&mut self, latency: Duration) {
        self.latencies.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(LONGEST));
    }

    pub(crate) fn fail(&mut self, why: String) {
        self.failures += 1;
        self.first_failure.get_or_insert(why);
    }

    pub(crate) fn count(&self) -> u64 {
        self.latencies.len()
    }

    /// Milliseconds that a share of the latencies, 0 to 1, does not exceed.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        self.latencies.value_at_quantile(share) as f64 / 1e6
    }
}

/// Processor time of this process so far, seconds.
pub(crate) fn processor_seconds() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}
