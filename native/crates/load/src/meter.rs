//! Latencies and failures.

use std::error::Error;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::job::{Outcomes, SecondStats};

/// Recorded latencies and failures.
pub(crate) struct Meter {
    latencies: Histogram<u64>,
    pub(crate) failures: u64,
    pub(crate) first_failure: Option<String>,
    pub(crate) outcomes: Outcomes,
}

/// Longest latency that is distinguished from longer ones, nanoseconds.
const MAX_NANOSECONDS: u64 = 120_000_000_000;
const DIGITS: u8 = 3;

impl Meter {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let latencies = Histogram::new_with_bounds(1, MAX_NANOSECONDS, DIGITS)?;
        Ok(Self { latencies, failures: 0, first_failure: None, outcomes: Outcomes::default() })
    }

    pub(crate) fn record(&mut self, latency: Duration) {
        self.latencies.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(MAX_NANOSECONDS));
    }

    pub(crate) fn fail(&mut self, why: String) {
        self.failures += 1;
        self.first_failure.get_or_insert(why);
    }

    pub(crate) fn count(&self) -> u64 {
        self.latencies.len()
    }

    fn clear(&mut self) {
        self.latencies.reset();
        self.outcomes = Outcomes::default();
    }

    /// The latency in milliseconds that a share of all, 0 to 1, does not exceed.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        self.latencies.value_at_quantile(share) as f64 / 1e6
    }
}

/// One meter for each second.
pub(crate) struct Timeline {
    start: Instant,
    current: Meter,
    finished: Vec<SecondStats>,
}

impl Timeline {
    pub(crate) fn new(start: Instant) -> Result<Self, Box<dyn Error>> {
        Ok(Self { start, current: Meter::new()?, finished: Vec::new() })
    }

    /// The meter of the current second.
    pub(crate) fn now(&mut self) -> &mut Meter {
        let second = self.start.elapsed().as_secs() as usize;
        while self.finished.len() < second {
            self.next();
        }
        &mut self.current
    }

    pub(crate) fn finish(mut self) -> Vec<SecondStats> {
        self.next();
        self.finished
    }

    fn next(&mut self) {
        let Meter { outcomes, .. } = self.current;
        let (p50, p99, most) = (self.current.quantile(0.5), self.current.quantile(0.99), self.current.quantile(1.0));
        self.finished.push(SecondStats { outcomes, p50, p99, most });
        self.current.clear();
    }
}

/// Processor time of this process so far, seconds.
pub(crate) fn processor_seconds() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}
