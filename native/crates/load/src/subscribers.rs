//! Many subscribers: the time from an event to its notification.

use std::error::Error;
use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::address::Address;
use crate::connection::{Connection, Outcome, Requests, SCRATCH, open_web_socket, ready_frame};
use crate::job::SubscriberStats;
use crate::meter::Meter;

pub(crate) struct SubscriberOptions<'a> {
    pub(crate) connections: usize,
    pub(crate) subscription: &'a str,
    pub(crate) pause: Duration,
    /// File that is written when everyone has subscribed.
    pub(crate) ready: &'a Path,
}

/// Time limit for an event to reach everyone.
const LIMIT: Duration = Duration::from_secs(10);
/// The default of 128 KiB per subscriber would use more memory than the server under test.
const BUFFER: usize = 2 * 1024;

struct Subscribers {
    poll: Poll,
    sockets: Vec<WebSocket<TcpStream>>,
}

/// Subscribes, triggers the events one after the other, and waits until each has reached everyone.
pub(crate) fn run(
    address: &Address,
    trigger_address: &Address,
    triggers: &Requests,
    options: &SubscriberOptions<'_>,
) -> Result<SubscriberStats, Box<dyn Error>> {
    let mut subscribers = Subscribers::connect(address, options)?;
    std::fs::write(options.ready, "")?;
    let mut trigger = Connection::open(trigger_address)?;
    let source = Token(subscribers.sockets.len());
    let descriptor = trigger.descriptor();
    subscribers.poll.registry().register(&mut SourceFd(&descriptor), source, Interest::READABLE)?;
    let mut meter = Meter::new()?;
    let mut spreads = Vec::new();
    let mut delivered = 0;
    for event in 0..triggers.len() {
        std::thread::sleep(options.pause);
        subscribers.discard()?;
        let start = Instant::now();
        trigger.send(triggers, event)?;
        let mut first = None;
        let mut last = start;
        let mut notified = vec![false; subscribers.sockets.len()];
        let mut missing = notified.len();
        let mut answered = false;
        let mut scratch = vec![0; SCRATCH];
        while (missing > 0 || !answered) && start.elapsed() < LIMIT {
            subscribers.wait(|token, socket| {
                match socket {
                    None => {
                        if let Outcome::Answered { failure } = trigger.advance(&mut scratch)? {
                            answered = true;
                            if let Some(why) = failure {
                                return Err(io::Error::other(why.text));
                            }
                        }
                    }
                    Some(socket) => {
                        while let Some(message) = ready_frame(socket.read())? {
                            if !is_notification(&message) || std::mem::replace(&mut notified[token], true) {
                                continue;
                            }
                            last = Instant::now();
                            first.get_or_insert(last);
                            meter.record(last - start);
                            missing -= 1;
                        }
                    }
                }
                Ok(())
            })?;
        }
        delivered += (notified.len() - missing) as u64;
        spreads.push((last - first.unwrap_or(last)).as_secs_f64() * 1e3);
    }
    spreads.sort_by(f64::total_cmp);
    Ok(SubscriberStats {
        events: triggers.len(),
        delivered,
        missing: (options.connections * triggers.len()) as u64 - delivered,
        p50: meter.quantile(0.5),
        p99: meter.quantile(0.99),
        most: meter.quantile(1.0),
        spread: spreads[spreads.len() / 2],
    })
}

fn is_notification(message: &Message) -> bool {
    matches!(message, Message::Text(text) if text.contains("eth_subscription"))
}

impl Subscribers {
    fn connect(address: &Address, options: &SubscriberOptions<'_>) -> Result<Self, Box<dyn Error>> {
        let poll = Poll::new()?;
        let mut sockets = Vec::new();
        let config = WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(0);
        for index in 0..options.connections {
            let stream = TcpStream::connect(address.socket)?;
            let mut socket = open_web_socket(address, stream, config)?;
            socket.send(Message::text(options.subscription))?;
            let answer = socket.read()?.into_text()?;
            if !answer.contains("\"result\":\"0x") {
                return Err(format!("subscriber {index}: {answer}").into());
            }
            socket.get_ref().set_nonblocking(true)?;
            let descriptor = socket.get_ref().as_raw_fd();
            poll.registry().register(&mut SourceFd(&descriptor), Token(index), Interest::READABLE)?;
            sockets.push(socket);
        }
        Ok(Self { poll, sockets })
    }

    /// Waits for events and passes on each readable socket, or None for the one that sends the triggers.
    fn wait(
        &mut self,
        mut visit: impl FnMut(usize, Option<&mut WebSocket<TcpStream>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut events = Events::with_capacity(4096);
        self.poll.poll(&mut events, Some(Duration::from_millis(100)))?;
        for event in &events {
            let token = event.token().0;
            visit(token, self.sockets.get_mut(token))?;
        }
        Ok(())
    }

    /// Reads the rest of the previous event.
    fn discard(&mut self) -> io::Result<()> {
        for socket in &mut self.sockets {
            while ready_frame(socket.read())?.is_some() {}
        }
        Ok(())
    }
}
