//! Jobs of the generator and their results.

use std::error::Error;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A job, read from a file.
#[derive(Deserialize)]
#[serde(tag = "mode", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum Job {
    /// Requests one after the other on each connection, or at a fixed rate over all of them.
    Load {
        /// `http://HOST:PORT[/PATH]`, or `ws:`.
        url: String,
        /// File with a request per line.
        requests: PathBuf,
        /// Paths that replace the address's path, in rotation over the requests.
        #[serde(default)]
        paths: Vec<String>,
        /// Lines such as `Origin: http://localhost:3000` that each HTTP request has beside its own.
        #[serde(default)]
        headers: Vec<String>,
        connections: usize,
        /// Length of the measurement; with `once` its time limit.
        seconds: f64,
        /// Requests per second, due at equal intervals; absent for a closed loop.
        rate: Option<f64>,
        /// Sends each request once instead of repeating them.
        #[serde(default)]
        once: bool,
        /// In an open loop: drops a request that is due while no connection is free, instead of sending it late.
        #[serde(default)]
        drops: bool,
        /// True when to report every second, too.
        #[serde(default)]
        timeline: bool,
    },
    /// Idle WebSockets until standard input ends; then each sends one request.
    Idle {
        /// `ws:` address.
        url: String,
        connections: usize,
        /// The request that each sends at the end.
        request: String,
        /// File that is written when all are open.
        ready: PathBuf,
    },
    /// Connections that subscribe, and requests that trigger notifications.
    Subscribe {
        /// `ws:` address of the subscribers.
        url: String,
        connections: usize,
        /// The subscription request.
        subscription: String,
        /// `http:` address to which the triggers are sent.
        trigger_url: String,
        /// File with a request per line; each must cause one notification per subscriber.
        triggers: PathBuf,
        /// Pause after a notification has reached every subscriber.
        pause_milliseconds: u64,
        /// File that is written when everyone has subscribed, so that the memory of the server can be measured.
        ready: PathBuf,
    },
}

/// Results of a load. Times are in milliseconds unless stated otherwise.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadStats {
    /// Answers, failed ones included.
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    pub(crate) requests_per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) most: f64,
    /// Errors of JSON-RPC or HTTP, broken connections, requests without an answer at the end.
    pub(crate) failures: u64,
    pub(crate) first_failure: Option<String>,
    pub(crate) outcomes: Outcomes,
    /// Time at which the first request was due, in milliseconds since 1970.
    pub(crate) started_at: f64,
    /// Results of every second, if requested.
    pub(crate) timeline: Vec<SecondStats>,
    /// Processor time of the generator, seconds.
    pub(crate) processor_seconds: f64,
}

/// Outcomes of requests.
#[derive(Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcomes {
    /// Dropped because no connection was free; they never reached the server.
    pub(crate) dropped: u64,
    /// Answers with a result.
    pub(crate) results: u64,
    /// HTTP 429 with `Retry-After`, or JSON-RPC -32005 with another status.
    pub(crate) refused: u64,
    /// Any other error of JSON-RPC or HTTP, including 429 without `Retry-After`.
    pub(crate) errors: u64,
    /// Connections that were closed with a request in flight.
    pub(crate) broken: u64,
    /// Requests without an answer at the end.
    pub(crate) unanswered: u64,
}

/// One second of a load. Times in milliseconds, of answers with a result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SecondStats {
    pub(crate) outcomes: Outcomes,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) most: f64,
}

/// Results of idle WebSockets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdleStats {
    pub(crate) opened: usize,
    /// Sockets that the server closed early.
    pub(crate) closed: usize,
    /// Sockets that got an answer at the end.
    pub(crate) answered: usize,
    /// Time until all of them had it.
    pub(crate) milliseconds: f64,
}

/// Results of subscribers. Times are in milliseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriberStats {
    pub(crate) events: usize,
    pub(crate) delivered: u64,
    pub(crate) missing: u64,
    /// From the sending of the trigger to the receipt, over all subscribers and events.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) most: f64,
    /// From the first notified subscriber to the last, median over the events.
    pub(crate) spread: f64,
}

/// Reads a job.
pub(crate) fn read_job(file: &Path) -> Result<Job, Box<dyn Error>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
}

/// Reads the lines of a file.
pub(crate) fn read_lines(file: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let lines: Vec<String> = std::fs::read_to_string(file)?.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return Err(format!("{} has no requests", file.display()).into());
    }
    Ok(lines)
}
