//! Load in a closed loop, where each connection waits for its answer, or in an open loop, where requests are due at
//! fixed times whatever the server does, and the latency of a late one counts from its due time.

use std::error::Error;
use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};

use crate::address::Address;
use crate::connection::{Connection, Outcome, Requests, SCRATCH};
use crate::job::{LoadStats, Outcomes};
use crate::meter::{Meter, Timeline, processor_seconds};
use crate::timer::Timer;

pub(crate) struct LoadOptions {
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    /// Requests per second; absent for a closed loop.
    pub(crate) rate: Option<f64>,
    pub(crate) once: bool,
    /// Drops requests that are due while no connection is free.
    pub(crate) drops: bool,
    pub(crate) timeline: bool,
}

/// Time for which answers are awaited after the end.
const DRAIN: Duration = Duration::from_secs(10);
const TIMER: Token = Token(usize::MAX);

struct Slot {
    connection: Connection,
    /// Due time of the request in flight.
    due: Option<Instant>,
}

struct Load<'a> {
    address: &'a Address,
    requests: &'a Requests,
    options: &'a LoadOptions,
    poll: Poll,
    timer: Timer,
    slots: Vec<Slot>,
    idle: Vec<usize>,
    /// Number of requests assigned so far.
    taken: usize,
    start: Instant,
    end: Instant,
    meter: Meter,
    timeline: Option<Timeline>,
    scratch: Vec<u8>,
}

/// Runs a load to its end.
pub(crate) fn run(address: &Address, requests: &Requests, options: &LoadOptions) -> Result<LoadStats, Box<dyn Error>> {
    let poll = Poll::new()?;
    let timer = Timer::new()?;
    poll.registry().register(&mut SourceFd(&timer.descriptor()), TIMER, Interest::READABLE)?;
    let start = Instant::now();
    let mut load = Load {
        address,
        requests,
        options,
        poll,
        timer,
        slots: Vec::new(),
        idle: (0..options.connections).rev().collect(),
        taken: 0,
        start,
        end: start,
        meter: Meter::new()?,
        timeline: None,
        scratch: vec![0; SCRATCH],
    };
    for index in 0..options.connections {
        let connection = load.connect(index)?;
        load.slots.push(Slot { connection, due: None });
    }
    let processor = processor_seconds();
    load.start = Instant::now();
    let started_at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1e3;
    load.end = load.start + Duration::from_secs_f64(options.seconds);
    load.timeline = options.timeline.then(|| Timeline::new(load.start)).transpose()?;
    let in_time = load.run_to_end()?;
    let seconds = load.start.elapsed().min(load.end - load.start).as_secs_f64();
    let meter = load.meter;
    Ok(LoadStats {
        requests: in_time,
        seconds,
        requests_per_second: in_time as f64 / seconds,
        p50: meter.quantile(0.5),
        p99: meter.quantile(0.99),
        p999: meter.quantile(0.999),
        most: meter.quantile(1.0),
        failures: meter.failures,
        first_failure: meter.first_failure,
        outcomes: meter.outcomes,
        started_at,
        timeline: load.timeline.map_or_else(Vec::new, Timeline::finish),
        processor_seconds: processor_seconds() - processor,
    })
}

impl Load<'_> {
    /// Sends and receives until the end; returns the answers that came before it.
    fn run_to_end(&mut self) -> io::Result<u64> {
        let mut events = Events::with_capacity(1024);
        let mut in_time = None;
        self.dispatch()?;
        loop {
            let now = Instant::now();
            if now >= self.end && in_time.is_none() {
                in_time = Some(self.meter.count());
            }
            if self.is_done(now) {
                break;
            }
            let limit = if now < self.end { self.end - now } else { self.end + DRAIN - now };
            match self.poll.poll(&mut events, Some(limit)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            }
            for event in &events {
                if event.token() != TIMER {
                    self.advance(event.token().0)?;
                }
            }
            self.dispatch()?;
        }
        let now = Instant::now();
        for slot in &mut self.slots {
            if let Some(due) = slot.due.take() {
                self.meter.record(now - due);
                self.meter.outcomes.unanswered += 1;
                self.meter.fail("no answer".to_owned());
            }
        }
        while let Some(due) = self.next_due().filter(|due| *due < self.end) {
            self.taken += 1;
            self.meter.record(now - due);
            self.meter.fail("never sent".to_owned());
        }
        Ok(in_time.unwrap_or_else(|| self.meter.count()))
    }

    /// True when every request that was due has its answer, or time is up.
    fn is_done(&self, now: Instant) -> bool {
        if now >= self.end + DRAIN {
            return true;
        }
        let all_idle = self.idle.len() == self.slots.len();
        let exhausted = self.options.once && self.taken >= self.requests.len();
        let backlog = self.options.rate.is_some() && self.next_due().is_some_and(|due| due < self.end);
        all_idle && (exhausted || (now >= self.end && !backlog))
    }

    /// Due time of the next request of an open loop.
    fn next_due(&self) -> Option<Instant> {
        let rate = self.options.rate?;
        Some(self.start + Duration::from_secs_f64(self.taken as f64 / rate))
    }

    /// Sends the due requests on free connections.
    fn dispatch(&mut self) -> io::Result<()> {
        self.drop_late();
        while let Some(index) = self.idle.last().copied() {
            if self.options.once && self.taken >= self.requests.len() {
                return Ok(());
            }
            let now = Instant::now();
            let due = match self.next_due() {
                None => now,
                Some(due) if due <= now => due,
                Some(due) => {
                    return if due < self.end { self.timer.fire_in(due - now) } else { Ok(()) };
                }
            };
            if due >= self.end {
                return Ok(());
            }
            self.idle.pop();
            let request = self.taken % self.requests.len();
            self.taken += 1;
            if self.slots[index].connection.is_stale() {
                self.slots[index].connection = self.connect(index)?;
            }
            self.slots[index].due = Some(due);
            if let Err(error) = self.slots[index].connection.send(self.requests, request) {
                self.fail(index, &error)?;
            }
        }
        Ok(())
    }

    /// Drops requests that are due while no connection is free.
    fn drop_late(&mut self) {
        let (true, true, Some(rate)) = (self.options.drops, self.idle.is_empty(), self.options.rate) else { return };
        let elapsed = Instant::now().min(self.end) - self.start;
        let due = (elapsed.as_secs_f64() * rate) as usize;
        let late = due.saturating_sub(self.taken);
        self.taken += late;
        self.record(|outcomes| outcomes.dropped += late as u64);
    }

    /// Counts the outcome of a request, in total and for its second.
    fn record(&mut self, count: impl Fn(&mut Outcomes)) {
        count(&mut self.meter.outcomes);
        if let Some(timeline) = &mut self.timeline {
            count(&mut timeline.now().outcomes);
        }
    }

    fn advance(&mut self, index: usize) -> io::Result<()> {
        let slot = &mut self.slots[index];
        let Some(due) = slot.due else { return Ok(()) };
        match slot.connection.advance(&mut self.scratch) {
            Ok(Outcome::Waiting) => Ok(()),
            Ok(Outcome::Answered { failure }) => {
                slot.due = None;
                let latency = due.elapsed();
                self.meter.record(latency);
                match failure {
                    None => {
                        self.record(|outcomes| outcomes.results += 1);
                        if let Some(timeline) = &mut self.timeline {
                            timeline.now().record(latency);
                        }
                    }
                    Some(why) => {
                        let refused = u64::from(why.refusal);
                        self.record(|outcomes| {
                            outcomes.refused += refused;
                            outcomes.errors += 1 - refused;
                        });
                        self.meter.fail(why.text);
                    }
                }
                self.idle.push(index);
                Ok(())
            }
            Err(error) => self.fail(index, &error),
        }
    }

    fn fail(&mut self, index: usize, error: &io::Error) -> io::Result<()> {
        if let Some(due) = self.slots[index].due.take() {
            self.meter.record(due.elapsed());
            self.record(|outcomes| outcomes.broken += 1);
        }
        self.meter.fail(error.to_string());
        self.slots[index].connection = self.connect(index)?;
        self.idle.push(index);
        Ok(())
    }

    fn connect(&self, index: usize) -> io::Result<Connection> {
        let connection = Connection::open(self.address)?;
        self.poll.registry().register(
            &mut SourceFd(&connection.descriptor()),
            Token(index),
            Interest::READABLE | Interest::WRITABLE,
        )?;
        Ok(connection)
    }
}
