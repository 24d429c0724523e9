//! Idle WebSockets.

use std::error::Error;
use std::io::{self, Read};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::address::Address;
use crate::connection::{open_web_socket, ready_frame};
use crate::job::IdleStats;

/// The default of 128 KiB per socket would use more memory than the server under test.
const BUFFER: usize = 1024;
const POLL_TIMEOUT: Duration = Duration::from_millis(100);
/// Time limit for the answers at the end.
const LIMIT: Duration = Duration::from_secs(30);

struct Idle {
    poll: Poll,
    /// None for a socket that the server closed.
    sockets: Vec<Option<WebSocket<TcpStream>>>,
}

/// Opens the sockets and answers pings until standard input ends; then each sends one request.
pub(crate) fn run(
    address: &Address,
    connections: usize,
    request: &str,
    ready: &Path,
) -> Result<IdleStats, Box<dyn Error>> {
    let mut idle = Idle::open(address, connections)?;
    std::fs::write(ready, "")?;
    let ended = watch_input();
    while !ended.load(Ordering::Relaxed) {
        idle.poll_once(|_, _| ())?;
    }
    let closed = idle.sockets.iter().filter(|socket| socket.is_none()).count();
    let start = Instant::now();
    for slot in &mut idle.sockets {
        let sent = slot.as_mut().map(|socket| ready_frame(socket.send(Message::text(request))));
        if matches!(sent, Some(Err(_))) {
            *slot = None;
        }
    }
    let mut has_answer = vec![false; connections];
    let mut answered = 0;
    // A socket may close after its request, too; its answer is not awaited.
    while idle.is_any_unanswered(&has_answer) && start.elapsed() < LIMIT {
        idle.poll_once(|index, message| {
            let is_answer = message.to_text().is_ok_and(|text| text.contains("\"result\""));
            if is_answer && !std::mem::replace(&mut has_answer[index], true) {
                answered += 1;
            }
        })?;
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    Ok(IdleStats { opened: connections, closed, answered, milliseconds })
}

/// Signals the end of standard input.
fn watch_input() -> Arc<AtomicBool> {
    let ended = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&ended);
    std::thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        signal.store(true, Ordering::Relaxed);
    });
    ended
}

impl Idle {
    fn open(address: &Address, connections: usize) -> Result<Self, Box<dyn Error>> {
        let poll = Poll::new()?;
        let mut sockets = Vec::new();
        let config = WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(0);
        for index in 0..connections {
            let socket = open_web_socket(address, TcpStream::connect(address.socket)?, config)?;
            socket.get_ref().set_nonblocking(true)?;
            let descriptor = socket.get_ref().as_raw_fd();
            poll.registry().register(&mut SourceFd(&descriptor), Token(index), Interest::READABLE)?;
            sockets.push(Some(socket));
        }
        Ok(Self { poll, sockets })
    }

    /// True when an open socket has not received its answer.
    fn is_any_unanswered(&self, has_answer: &[bool]) -> bool {
        self.sockets.iter().zip(has_answer).any(|(socket, has_answer)| socket.is_some() && !has_answer)
    }

    /// Reads the available messages: pings are answered, other messages are passed on.
    fn poll_once(&mut self, mut receive: impl FnMut(usize, &Message)) -> io::Result<()> {
        let mut events = Events::with_capacity(4096);
        match self.poll.poll(&mut events, Some(POLL_TIMEOUT)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        }
        for event in &events {
            let index = event.token().0;
            let Some(slot) = self.sockets.get_mut(index) else { continue };
            while let Some(socket) = slot {
                match ready_frame(socket.read()) {
                    Ok(Some(message @ (Message::Text(_) | Message::Binary(_)))) => receive(index, &message),
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => *slot = None,
                }
            }
        }
        Ok(())
    }
}
